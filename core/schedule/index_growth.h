// How an index goes along an axis.
#pragma once

#include <optional>
#include <span>

#include "core/arith/canon.h"
#include "core/ir/prim_expr.h"

namespace rx::schedule {

/// By how much the index grows with each step of the axis; nothing where that is no number.
std::optional<int64_t> growthOf(const tir::PrimExpr& index, const tir::Var& axis);

/// By how much the last of the indices grows with each step of the axis, where none of the others goes along it: 0
/// where that one does not either; nothing where others do, or it is no number.
std::optional<int64_t> lastGrowthOf(std::span<const tir::PrimExpr> indices, const tir::Var& axis);

/// The expression with the indices of all that it loads simplified, by what is known of their axes.
tir::PrimExpr withPlainIndices(const tir::PrimExpr& expr, arith::Canon& known);

}  // namespace rx::schedule
