// Sets of integers by what Canon proves, as passes need whose output is compared with TVM's (int_set.h goes by the
// Analyzer): the values of an expression, and where a condition on one variable holds. Source of the rules: TVM v0.25
// (src/arith/int_set.cc, bound_deducer.cc).
#pragma once

#include <optional>

#include "core/arith/canon.h"
#include "core/arith/int_set.h"

namespace rx::arith {

/// Common values; nothing where it is proven that there are none.
IntSet intersection(Canon& canon, const IntSet& a, const IntSet& b);
/// A set that holds all values of the expression when variables range over their domains; others stay symbols.
IntSet valuesOf(const tir::PrimExpr& expr, const Domains& domains);
/// Values of `var` for which the comparison holds whatever the variables of `relaxed` are; `hints` tell signs. No set
/// where none can be told.
std::optional<IntSet> deduceBound(const tir::VarRef& var, const tir::PrimExpr& comparison, const Domains& hints,
                                  const Domains& relaxed);

}  // namespace rx::arith
