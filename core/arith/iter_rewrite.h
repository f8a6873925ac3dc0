// How expressions become sums of iterator pieces: the rewriter behind iter_map.h, shared by the files that implement
// it.
#pragma once

#include <unordered_map>

#include "core/arith/canon.h"
#include "core/arith/iter_map.h"

namespace rx::arith {

/// What an expression is to the rewriter: plain, or a sum of iterator pieces.
struct IterValue {
  PrimExpr plain;
  std::optional<IterSum> sum;
  bool isIter() const { return sum.has_value(); }
};

class IterRewriter {
 public:
  IterRewriter(Analyzer& analyzer, std::span<const IterRange> iters, IterMapLevel level, bool dropUnitIters);

  /// The index as one fused iterator and a base. `learnPadding` lets divisions pad iterators up to multiples and notes
  /// by how much; without it the padding noted before is applied. Nothing where it can not be written so.
  std::optional<IterSum> index(const PrimExpr& expr, bool learnPadding);
  /// The index as pieces from the longest stride to the shortest; nothing where it has parts that are none.
  std::optional<IterSum> byStride(const PrimExpr& expr);
  /// Takes note of `lower <= expr < upper` (either may be null); false where it fits no fused iterator.
  bool constrain(const PrimExpr& expr, PrimExpr lower, PrimExpr upper);
  /// Constraints contain each other or have nothing in common.
  bool constraintsAgree() const;
  /// The pieces of every iterator are disjoint and cover what the level asks for.
  bool covers(std::span<const IterSum> sums);
  bool needsPadding() const { return needsPadding_; }

 private:
  /// A fused iterator by its pieces: the mark, and what its values begin at.
  struct Fused {
    std::vector<IterSplit> flat;
    IterMarkRef mark;
    PrimExpr offset;
  };
  struct Padding {
    IterMarkRef mark;
    PrimExpr factor, left;
    IterMarkRef padded;  ///< null until the first padded piece is met
  };

  IterValue valueOf(const PrimExpr& root);
  IterValue step(const PrimExpr& expr, const std::unordered_map<const Node*, IterValue>& done);
  IterValue binary(const PrimExpr& whole, const IterValue& a, const IterValue& b);
  IterValue product(const IterValue& a, const IterValue& b, const PrimExpr& whole);
  IterValue divided(const IterValue& a, const IterValue& b, const PrimExpr& whole);
  std::optional<IterSum> quotient(IterSplit lhs, PrimExpr base, PrimExpr divisor);
  std::optional<IterSum> remainder(IterSplit lhs, PrimExpr base, PrimExpr divisor);
  std::optional<std::pair<IterSplit, PrimExpr>> padTo(IterSplit split, const PrimExpr& base, const PrimExpr& divisor);
  bool padMark(const IterSplit& split, Padding& info, PrimExpr& left);

  std::optional<IterSum> fuse(IterSum sum, bool mayStaySplit);
  IterSum joinSplits(IterSum sum) const;
  std::optional<size_t> smallest(const IterSum& sum, const std::vector<bool>& taken, const IterMark* source,
                                 size_t end) const;
  std::optional<size_t> withScale(const IterSum& sum, const std::vector<bool>& taken, const PrimExpr& scale,
                                  const IterMark* source, size_t end) const;
  std::optional<size_t> nextSmaller(const IterSum& sum, const std::vector<bool>& taken, const PrimExpr& scale) const;
  const std::vector<IterSplit>* constraintEndingIn(const IterSplit& split) const;
  Fused* findFused(const std::vector<IterSplit>& flat);
  bool sameSplit(const IterSplit& a, const IterSplit& b, bool withScale) const;
  /// By what is known, or by the rules alone: either proves what the other does not.
  bool equal(const PrimExpr& a, const PrimExpr& b) {
    return analyzer_.canProveEqual(a, b) || canon_.canProveEqual(a, b);
  }
  bool divisible(const PrimExpr& value, const PrimExpr& by);
  bool covers(const IterMark& mark, const std::vector<IterSplit>& splits);
  std::nullopt_t failed() {
    failed_ = true;
    return std::nullopt;
  }

  Analyzer& analyzer_;  ///< what is known
  Canon canon_;         ///< the form of extents
  IterMapLevel level_;
  std::unordered_map<const tir::Var*, IterValue> vars_;
  std::vector<IterMarkRef> inputs_;
  std::vector<Fused> fused_;
  std::vector<std::vector<IterSplit>> constrained_;
  std::unordered_map<const IterMark*, Padding> padding_;
  std::unordered_map<const IterMark*, IterMarkRef> unpadded_;  ///< padded mark to the one it was made of
  bool learning_ = false;
  bool needsPadding_ = false;
  bool failed_ = false;
};

/// The product with its constant factors joined at the end.
PrimExpr normalProduct(const PrimExpr& a, const PrimExpr& b);
PrimExpr exprOf(const IterSplit& split, Analyzer& analyzer);
IterMarkRef markOf(PrimExpr plain, PrimExpr extent);
IterMarkRef markOf(IterSum sum, PrimExpr extent);
/// The whole of a mark.
IterSplit splitOf(const IterMarkRef& mark, PrimExpr scale);
PrimExpr zeroLike(const PrimExpr& expr);
PrimExpr oneLike(const PrimExpr& expr);

}  // namespace rx::arith
