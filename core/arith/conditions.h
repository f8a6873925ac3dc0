// Conditions taken apart, without native recursion.
#pragma once

#include <functional>
#include <vector>

#include "core/ir/prim_expr.h"

namespace rx::arith {

/// The parts of a conjunction from left to right; a condition that is none is its own only part. `alsoOpened` may tell
/// of calls whose arguments count as parts, and gives null for others.
std::vector<tir::PrimExpr> conjuncts(const tir::PrimExpr& condition,
                                     const std::function<const tir::Call*(const tir::PrimExpr&)>& alsoOpened = {});
/// The negation of a condition, pushed down to its comparisons.
tir::PrimExpr negated(const tir::PrimExpr& condition);
/// What bounds of quotients in a condition say about their dividends, as conditions.
std::vector<tir::PrimExpr> derivedFacts(const tir::PrimExpr& condition);
/// Calls of intrinsics with constant arguments and the like; null where there is nothing to compute.
tir::PrimExpr foldIntrinsic(const tir::Call& call);

}  // namespace rx::arith
