// Mathematical functions as polynomials: what TVM's FastMath passes and the lowering of an intrinsic without a library
// function compute. Coefficients of topi (elemwise.h) and of TVM's fast_erf.
#pragma once

#include "core/ir/prim_expr.h"

namespace rx::op {

using tir::PrimExpr;

/// The polynomial of a float32 (erf: also float16), scalars or vectors; null for other types.
PrimExpr approximateExp(const PrimExpr& x);
/// Between -kTanhEnd and kTanhEnd; outside, the tangent is 1 or -1 in this precision.
PrimExpr approximateTanh(const PrimExpr& x);
constexpr double kTanhEnd = 9;
PrimExpr approximateErf(const PrimExpr& x);

}  // namespace rx::op
