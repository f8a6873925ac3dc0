// What a call does to the values of a program: most compute one, others make room for one or name what is there.
#pragma once

#include <string_view>
#include <vector>

#include "core/ir/relax.h"

namespace rx::analysis {

enum class CalleeRole : uint8_t {
  Computes,  ///< makes a value: its own, or in the buffers that it writes
  Buffer,    ///< a tensor that waits for the call that writes it
  Names,     ///< another name of what is there
  View,      ///< the same memory in another shape
  Machine,   ///< storage, kills, the shape heap: no value of the program
};

/// What a call calls in the end, where a function of the machine only passes its arguments on.
struct Called {
  relax::Expr function;
  std::vector<relax::Expr> args;
  /// Name of an operator or a packed function, empty for functions of the module; lives as long as `function`.
  std::string_view name;
  CalleeRole role = CalleeRole::Computes;
};
Called calledBy(const relax::Call& call);

}  // namespace rx::analysis
