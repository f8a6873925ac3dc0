// Intervals between symbolic ends: the values of an expression over domains of its variables, and where a condition on
// one variable holds. Source of the rules: TVM v0.25 (src/arith/int_set.cc, bound_deducer.cc).
#pragma once

#include <optional>
#include <unordered_map>

#include "core/arith/canon.h"

namespace rx::arith {

/// All integers from min to max, ends included; a null end is no bound.
struct Interval {
  tir::PrimExpr min, max;
  bool empty = false;

  static Interval point(tir::PrimExpr value) { return {value, value}; }
  /// [min, min + extent).
  static Interval range(const tir::PrimExpr& min, const tir::PrimExpr& extent);
  bool isEverything() const { return !empty && !min && !max; }
  bool isPoint() const { return min && min == max; }
};
using Domains = std::unordered_map<const tir::Var*, Interval>;

/// Common values; empty where it is proven that there are none.
Interval intersection(Canon& canon, const Interval& a, const Interval& b);
/// An interval that holds all values of the expression when variables range over their domains; others stay symbols.
Interval valuesOf(const tir::PrimExpr& expr, const Domains& domains);
/// Values of `var` for which the comparison holds whatever the variables of `relaxed` are; `hints` tell signs. Nothing
/// where none can be told.
std::optional<Interval> deduceBound(const tir::VarRef& var, const tir::PrimExpr& comparison, const Domains& hints,
                                    const Domains& relaxed);

}  // namespace rx::arith
