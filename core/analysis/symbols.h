// The symbol table of a function: each symbolic variable with where it is bound, where it is used, and its bounds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ir/module.h"

namespace rx::analysis {

enum class SymbolBinder : uint8_t {
  Parameter,  ///< a dimension or value of a parameter
  MatchCast,  ///< a match_cast, which checks at run time
  Nothing,    ///< free: the module is not well formed
};

/// One place where a symbol occurs.
struct SymbolUse {
  Str variable;      ///< the binding or parameter, empty for the return annotation
  Span span;         ///< of the binding or parameter
  std::string text;  ///< the dimension or value: "n * 4"
};

struct Symbol {
  tir::VarRef var;
  SymbolBinder binder = SymbolBinder::Nothing;
  std::string boundAt;  ///< "dimension 0 of x", empty for Nothing
  Str binderVariable;   ///< "x"
  Span binderSpan;
  std::vector<SymbolUse> uses;          ///< in text order, the binding itself left out
  std::optional<int64_t> lower, upper;  ///< closed bounds that are known
};

/// In order of first occurrence. Bounds come from the function's attributes (tir_var_lower_bound, tir_var_upper_bound,
/// tir_non_negative_var); a dimension is at least 0.
std::vector<Symbol> symbolTable(const relax::Function& function);

}  // namespace rx::analysis
