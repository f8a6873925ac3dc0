// Linear inequalities solved for their variables, by elimination (Fourier and Motzkin), as TVM's arith does it.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/arith/analyzer.h"

namespace rx::arith {

using VarRanges = std::unordered_map<const tir::Var*, Ref<tir::Range>>;

/// Ranges of the variables that say just what the comparisons of integers and the known ranges say together. Nothing
/// where ranges can not say it all, or where nothing satisfies the comparisons. A variable that stays without a range
/// is left out. In the order of `vars`, the first eliminated first.
std::optional<VarRanges> solveInequalities(std::span<const tir::VarRef> vars, const VarRanges& known,
                                           std::span<const tir::PrimExpr> comparisons);

/// `expr` as coefficient * var + rest with a constant coefficient (0 where it does not occur) and a rest without the
/// variable; nothing where it is not linear in it.
std::optional<std::pair<int64_t, tir::PrimExpr>> linearIn(const tir::PrimExpr& expr, const tir::Var* var);
/// The same for several variables: the coefficient of each, and a rest without any of them.
std::optional<std::pair<std::vector<int64_t>, tir::PrimExpr>> linearIn(tir::PrimExpr expr,
                                                                       std::span<const tir::Var* const> vars);

}  // namespace rx::arith
