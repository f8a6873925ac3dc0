// What layers that serve every language ask of the one that a function is written in.
#pragma once

#include <string_view>

#include "core/ir/module.h"

namespace rx::ir {

struct Language {
  std::string_view name;  ///< "relax", "tir", "relay"
  /// How large a function is: its bindings, statements, operations.
  int64_t (*size)(const BaseFuncNode& function);
  /// The pipeline that leads to a language that code is generated from; empty where it is one.
  std::string_view toCompiled;
};

const Language& languageOf(const BaseFuncNode& function);
/// The language that a module is in as a whole: that of its functions beside TIR's, Relax where it has none.
const Language& languageOf(const IRModule& module);

}  // namespace rx::ir
