// Structural comparison of TIR expressions, variables by identity. Without native recursion.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "core/ir/prim_expr.h"

namespace rx::arith {

/// Same kinds, types, constants and variables (the same Var objects). Names of buffers are not compared, buffers are
/// compared by identity.
bool sameExpr(const tir::PrimExpr& a, const tir::PrimExpr& b);
/// The same, but "no" after so many visited nodes.
bool quicklySame(const tir::PrimExpr& a, const tir::PrimExpr& b, size_t visits);
bool sameExprs(std::span<const tir::PrimExpr> a, std::span<const tir::PrimExpr> b);
/// Equal for expressions that sameExpr calls equal. Depends on addresses: never let it decide an order that is seen.
size_t hashExpr(const tir::PrimExpr& expr);

using VarMap = std::unordered_map<const tir::Var*, tir::PrimExpr>;
/// The expression with variables replaced; the same node when none occurs.
tir::PrimExpr substitute(const tir::PrimExpr& expr, const VarMap& map);
/// The variables that occur, in order of first occurrence.
std::vector<tir::VarRef> freeVars(const tir::PrimExpr& expr);

}  // namespace rx::arith
