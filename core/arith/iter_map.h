// Iterator maps: indices as sums of pieces of loop iterators, which shows whether loops walk over indices once each, in
// which range, and what the shortest form of an index is. The rules are those of TVM v0.25's affine iterator maps.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/arith/analyzer.h"
#include "core/arith/equal.h"

namespace rx::arith {

using tir::PrimExpr;

struct IterMark;
using IterMarkRef = std::shared_ptr<const IterMark>;

/// `source // lower % extent * scale`.
struct IterSplit {
  IterMarkRef source;
  PrimExpr lower, extent, scale;
};
/// The sum of the splits and a base that holds no iterator.
struct IterSum {
  std::vector<IterSplit> args;
  PrimExpr base;
};
/// An iterator that runs from 0 to extent - 1: a loop variable less its beginning, or a sum that acts as one.
struct IterMark {
  PrimExpr plain;  ///< null for a sum
  IterSum sum;
  PrimExpr extent;
};

enum class IterMapLevel : uint8_t {
  Bijective,   ///< every value of every iterator is used, once
  Surjective,  ///< the pieces do not overlap and reach every value of their ranges
  NoCheck,
};

struct IterRange {
  tir::VarRef var;
  PrimExpr min, extent;
};

struct IterMapQuery {
  std::span<const PrimExpr> indices;
  std::span<const IterRange> iters;
  PrimExpr predicate;  ///< holds in the loops; null = nothing is known
  IterMapLevel level = IterMapLevel::Surjective;
  bool dropUnitIters = true;  ///< loops of one step count as their value
};

/// One sum of at most one split for each index, or nothing where the indices are not independent pieces of the
/// iterators. The ranges of iterators must not depend on iterators (nothing then).
std::optional<std::vector<IterSum>> detectIterMap(const IterMapQuery& query, Analyzer& analyzer);
/// The index as pieces of the iterators from the longest stride to the shortest, whether they lie side by side or not;
/// iterators of one step are their values. Nothing where it is no such sum.
std::optional<IterSum> sumByStride(const PrimExpr& index, std::span<const IterRange> iters, Analyzer& analyzer);
/// The iterators as what they are where the sums have these values; nothing where the sums are not pieces of iterators
/// side by side (a bijective map has such an inverse).
std::optional<VarMap> invertIterMap(std::span<const IterSum> sums, std::span<const PrimExpr> values,
                                    Analyzer& analyzer);
/// The sum written out.
PrimExpr exprOf(const IterSum& sum, Analyzer& analyzer);
/// The indices in their short form; as they are where detectIterMap finds nothing, with and without the predicate.
std::vector<PrimExpr> simplifyIndices(const IterMapQuery& query, Analyzer& analyzer);

}  // namespace rx::arith
