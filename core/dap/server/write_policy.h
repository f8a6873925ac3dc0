// Where the engine may write what a client asks for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/support/result.h"

namespace rx::dap {

/// Everywhere, or in some folders and what is below them, links followed.
struct WritePolicy {
  std::optional<std::vector<std::string>> folders;

  /// Fails with `dap.write` for a path that is not allowed.
  Result<Unit> check(const std::string& path) const;
};

}  // namespace rx::dap
