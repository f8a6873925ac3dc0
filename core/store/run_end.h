// How a run ended, as the file keeps it.
#pragma once

#include <optional>
#include <vector>

#include "core/store/value.h"

namespace rx::store {

struct RunEnd {
  bool failed = false;
  std::vector<Diagnostic> diagnostics;  ///< of a failed run; spans are not kept
  std::string details;                  ///< bytes that the caller understands: what a fault knows beside its texts
  std::optional<Value> result;          ///< of a finished run
};

void encodeRunEnd(ByteOut& out, const RunEnd& end);
/// Nothing where the bytes are none.
std::optional<RunEnd> decodeRunEnd(std::string_view bytes);

}  // namespace rx::store
