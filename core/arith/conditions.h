// Conditions taken apart, without native recursion.
#pragma once

#include <vector>

#include "core/ir/prim_expr.h"

namespace rx::arith {

/// The negation of a condition, pushed down to its comparisons.
tir::PrimExpr negated(const tir::PrimExpr& condition);
/// What bounds of quotients in a condition say about their dividends, as conditions.
std::vector<tir::PrimExpr> derivedFacts(const tir::PrimExpr& condition);
/// Calls of intrinsics with constant arguments and the like; null where there is nothing to compute.
tir::PrimExpr foldIntrinsic(const tir::Call& call);

}  // namespace rx::arith
