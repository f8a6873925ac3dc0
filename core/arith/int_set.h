// IntSet: what an integer expression may be while some variables run over sets of their own. The rules are those of
// TVM v0.25's interval sets.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "core/arith/analyzer.h"
#include "core/arith/canon.h"

namespace rx::arith {

using tir::PrimExpr;

/// All integers from min to max, both included; a null end is not bounded.
struct IntSet {
  PrimExpr min, max;
  bool nothing = false;

  static IntSet everything() { return {}; }
  static IntSet none() { return {nullptr, nullptr, true}; }
  static IntSet point(const PrimExpr& value) { return {value, value}; }
  /// min .. min + extent - 1; a point where the extent is the constant one.
  static IntSet fromRange(const PrimExpr& min, const PrimExpr& extent);
  static IntSet fromRange(const tir::Range& range) { return fromRange(range.min, range.extent); }
  /// A single value by its form, not by proof.
  bool isPoint() const { return min && min == max; }
  bool isEverything() const { return !nothing && !min && !max; }
  bool bounded() const { return min && max; }
};

/// The sets over which variables run; all other variables are free.
using Domains = std::unordered_map<const tir::Var*, IntSet>;

/// Every value of the expression. A vector counts as all its lanes.
IntSet evalSet(const PrimExpr& expr, const Domains& domains);
/// Every value from the least min to the greatest max.
IntSet evalSet(const IntSet& set, const Domains& domains);
/// Every value in the range.
IntSet evalSet(const tir::Range& range, const Domains& domains);

/// The smallest interval around both, simplified.
IntSet unite(const IntSet& a, const IntSet& b);
IntSet intersect(const IntSet& a, const IntSet& b);
/// The set as a range, simplified; `otherwise` where it is not bounded.
Ref<tir::Range> cover(const IntSet& set, const Ref<tir::Range>& otherwise);

/// Proves a comparison (<, <=, >, >=) by the least difference of its sides while variables run over `domains`, where
/// the rules alone do not.
bool canProveBySets(const PrimExpr& comparison, const Domains& domains, Canon& canon);

/// A set for each dimension of a region that holds all its places while variables run over `iters` and `predicate`
/// (null = always) holds: exact where the places are pieces of iterators, each dimension by itself elsewhere.
std::vector<IntSet> regionBound(std::span<const Ref<tir::Range>> region, const Domains& iters,
                                const PrimExpr& predicate, Analyzer& analyzer);

}  // namespace rx::arith
