// Intrinsics by other arithmetic: rules of intrinsic_rules.def that are formulas.
#pragma once

#include <string_view>

#include "core/ir/prim_expr.h"

namespace rx::lower {

// Each as IntrinsicRule describes; null where the formula does not fit the types of the call.
tir::PrimExpr rsqrtByDivision(const tir::Call& call, std::string_view detail);
tir::PrimExpr sigmoidByExp(const tir::Call& call, std::string_view detail);
tir::PrimExpr exp10ByExp(const tir::Call& call, std::string_view detail);
tir::PrimExpr tanBySinCos(const tir::Call& call, std::string_view detail);
tir::PrimExpr atanhByLog(const tir::Call& call, std::string_view detail);
/// Of exp of the negative magnitude, so that large arguments give no NaN.
tir::PrimExpr stableTanh(const tir::Call& call, std::string_view detail);
/// A rational function of degree 13 over 8, on [-4, 4]; float16 and float32.
tir::PrimExpr fastErf(const tir::Call& call, std::string_view detail);
tir::PrimExpr finiteByComparison(const tir::Call& call, std::string_view detail);
tir::PrimExpr infiniteByComparison(const tir::Call& call, std::string_view detail);
/// Fixed-point products of int32 values, rounded up in the middle.
tir::PrimExpr multiplyShift(const tir::Call& call, std::string_view detail);
tir::PrimExpr multiplyShiftPerAxis(const tir::Call& call, std::string_view detail);

}  // namespace rx::lower
