// What layers that serve every language ask of the one that a function is written in.
#pragma once

#include <string_view>

#include "core/ir/text_bindings.h"

namespace rx::ir {

struct Language {
  std::string_view name;   ///< "relax", "tir", "relay"
  std::string_view title;  ///< as it is written: "Relax"
  /// How large a function is: its bindings, statements, operations.
  int64_t (*size)(const BaseFuncNode& function);
  /// The pipeline that leads to a language that code is generated from; empty where it is one.
  std::string_view toCompiled;
  /// The functions of the language in a module as their text binds names to values, each at its place; null where the
  /// text binds nothing.
  void (*bindings)(const IRModule& module, std::vector<TextFunction>* all);
  /// What a value says, in a language whose functions are graphs; null in the others.
  TextValue (*value)(const relax::ExprNode& value);
};

const Language& languageOf(const BaseFuncNode& function);
/// Relax where none is called so.
const Language& languageNamed(std::string_view name);
/// The language that a module is in as a whole: that of its functions beside TIR's, Relax where it has none.
const Language& languageOf(const IRModule& module);

}  // namespace rx::ir
