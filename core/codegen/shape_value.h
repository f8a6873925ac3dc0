// The value of a shape expression whose variables are known.
#pragma once

#include <optional>
#include <unordered_map>

#include "core/ir/prim_expr.h"

namespace rx::codegen {

/// Nothing when a variable has no value, the result overflows or divides by zero, or the expression is none of integer
/// arithmetic, comparison, selection and casts.
std::optional<int64_t> shapeValue(const tir::PrimExpr& expr,
                                  const std::unordered_map<const tir::Var*, int64_t>& values);

}  // namespace rx::codegen
