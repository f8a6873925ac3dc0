// What layers that serve every language ask of the one that a function is written in.
#pragma once

#include <string_view>

#include "core/ir/module.h"

namespace rx::ir {

struct Language {
  std::string_view name;  ///< "relax", "tir", "relay"
  /// How large a function is: its bindings, statements, operations.
  int64_t (*size)(const BaseFuncNode& function);
  bool isCompiled;  ///< whether code can be generated from its functions, once their passes ran
};

const Language& languageOf(const BaseFuncNode& function);
/// The language that a module is in as a whole: that of its functions beside TIR's, Relax where it has none.
const Language& languageOf(const IRModule& module);

}  // namespace rx::ir
