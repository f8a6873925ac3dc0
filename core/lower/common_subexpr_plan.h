// The plan of CommonSubexprElim: which expressions get a variable, and before which statement it is bound.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/ir/stmt.h"
#include "core/lower/value_numbers.h"

namespace rx::lower {

struct CommonSubexprPlan {
  ValueNumbers numbers;  ///< of every expression of the body
  /// Variables by value number; null where the value keeps its expression.
  std::vector<tir::VarRef> variables;
  /// Bindings by the statement that they stand before, in order.
  std::unordered_map<const Node*, std::vector<Ref<tir::Bind>>> before;
};

/// Finds the repeated values of a body. The rule is that of TVM v0.25: a value is a candidate when it is computed by
/// arithmetic, conversion or selection alone, is no truth value and no vector construction; what repeats only as part
/// of a larger repeated value gets no variable of its own; simpler values are bound first. Blocks in the body are left
/// out: what is in one is a body of its own.
CommonSubexprPlan planCommonSubexprs(const tir::Stmt& body);

}  // namespace rx::lower
