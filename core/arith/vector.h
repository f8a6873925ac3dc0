// Vectors of fixed and scalable length: their lanes as expressions, and makers of ramps and broadcasts.
#pragma once

#include <optional>

#include "core/ir/prim_expr.h"

namespace rx::arith {

/// A call of the TIR intrinsic of that short name ("likely", "if_then_else")?
const tir::Call* asIntrinsic(const Node* node, std::string_view name);
template <class T>
const tir::Call* asIntrinsic(const Ref<T>& node, std::string_view name) {
  return asIntrinsic(node.get(), name);
}

/// Lanes as DataType counts them: a positive constant, or the negative of the factor of T.vscale(); nothing for
/// anything else.
std::optional<int16_t> lanesOf(const tir::PrimExpr& lanes);
/// Does the expression depend on the length of scalable vectors?
bool usesVScale(const tir::PrimExpr& expr);

/// The lanes must be such as lanesOf understands.
tir::PrimExpr broadcast(tir::PrimExpr value, tir::PrimExpr lanes);
/// Base and stride of one scalar type.
tir::PrimExpr ramp(tir::PrimExpr base, tir::PrimExpr stride, tir::PrimExpr lanes);

}  // namespace rx::arith
