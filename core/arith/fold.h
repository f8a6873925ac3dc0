// Makers of TIR expressions with what the arithmetic operators of TVMScript do: operands are converted to a common type
// (integer to float, narrow to wide, scalar to vector), constants fold, and neutral elements vanish.
#pragma once

#include "core/ir/prim_expr.h"

namespace rx::arith {

using tir::PrimExpr;

/// Brings both operands to one type: scalar to vector lanes, integer to float, narrow to wide; mixed signedness of one
/// width becomes unsigned only when the signed side is a non-negative constant. False where there is no common type
/// (the operands are then unchanged).
bool matchTypes(PrimExpr& a, PrimExpr& b);

/// `a op b` for a kind of tir::BinaryNode, converted and folded. The operands must have a common type (matchTypes).
PrimExpr makeBinary(Kind op, PrimExpr a, PrimExpr b);
/// The folded value of a op b for operands of one type, or null. Integers that leave their type are not folded.
PrimExpr tryFold(Kind op, const PrimExpr& a, const PrimExpr& b);

PrimExpr add(PrimExpr a, PrimExpr b);
PrimExpr sub(PrimExpr a, PrimExpr b);
PrimExpr mul(PrimExpr a, PrimExpr b);
PrimExpr div(PrimExpr a, PrimExpr b);
PrimExpr truncDiv(PrimExpr a, PrimExpr b);
PrimExpr truncMod(PrimExpr a, PrimExpr b);
PrimExpr floorDiv(PrimExpr a, PrimExpr b);
PrimExpr floorMod(PrimExpr a, PrimExpr b);
PrimExpr min(PrimExpr a, PrimExpr b);
PrimExpr max(PrimExpr a, PrimExpr b);
PrimExpr eq(PrimExpr a, PrimExpr b);
PrimExpr ne(PrimExpr a, PrimExpr b);
PrimExpr lt(PrimExpr a, PrimExpr b);
PrimExpr le(PrimExpr a, PrimExpr b);
PrimExpr gt(PrimExpr a, PrimExpr b);
PrimExpr ge(PrimExpr a, PrimExpr b);
PrimExpr logicalAnd(PrimExpr a, PrimExpr b);
PrimExpr logicalOr(PrimExpr a, PrimExpr b);
PrimExpr logicalNot(PrimExpr a);
/// 0 - a, folded.
PrimExpr neg(PrimExpr a);
/// Select with a constant condition folded.
PrimExpr select(PrimExpr condition, PrimExpr ifTrue, PrimExpr ifFalse);
/// Conversion; constants are converted, the own type is the value itself, lanes are broadcast.
PrimExpr cast(DataType dtype, PrimExpr value);
/// A constant of any numeric type (lanes broadcast).
PrimExpr constant(DataType dtype, double value);
PrimExpr constantInt(DataType dtype, int64_t value);
/// Smallest and largest finite-order value of a type as reductions start from it: -inf/inf are not used, floats give
/// the lowest and largest finite number.
PrimExpr minValue(DataType dtype);
PrimExpr maxValue(DataType dtype);

bool isZero(const PrimExpr& e);
bool isOne(const PrimExpr& e);
/// Integer division and remainder rounded down; the divisor must not be zero and the quotient must fit.
int64_t floorDivInt(int64_t a, int64_t b);
int64_t floorModInt(int64_t a, int64_t b);

}  // namespace rx::arith
