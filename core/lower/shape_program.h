// Shape expressions as the runtime computes them.
#pragma once

#include <functional>
#include <optional>

#include "core/ir/prim_expr.h"
#include "core/runtime/shape_program.h"

namespace rx::lower {

/// The steps of an expression. `indexOf` numbers its variables; what is none of integer arithmetic, comparison,
/// selection and casts, or a variable without a number, makes the value unknown.
vm::ShapeProgram shapeProgram(const tir::PrimExpr& expr,
                              const std::function<std::optional<size_t>(const tir::Var&)>& indexOf);

}  // namespace rx::lower
