// A well-typed module of Relax that bytes choose: a function of operators of the operator table, each called with
// values that it takes, and arguments for it.
#pragma once

#include <string_view>
#include <vector>

#include "core/ir/module.h"
#include "core/runtime/value.h"

namespace rx::fuzz {

/// Numbers out of bytes; zeros when they have come to an end.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}
  /// In [0, count).
  size_t below(size_t count) {
    const size_t byte = bytes_.empty() ? 0 : static_cast<unsigned char>(bytes_.front());
    if (!bytes_.empty()) bytes_.remove_prefix(1);
    return count ? byte % count : 0;
  }
  bool atEnd() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

struct RandomModule {
  ir::Module module;  ///< with the function "main"
  std::vector<vm::Value> arguments;
};

/// Sizes of parameters may be symbolic; numbers are such that sums and products of a few of them are exact.
RandomModule randomModule(Choices& choices);

}  // namespace rx::fuzz
