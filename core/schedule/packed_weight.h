// Weights in panels: what lies across the lanes of a product, laid out once, for all runs, in the order in which the
// blocks of registers read it.
#pragma once

#include "core/arith/equal.h"
#include "core/schedule/contraction.h"

namespace rx::schedule {

/// The mark of blocks that lay weights out, as TVM's SplitLayoutRewritePreproc takes them out of kernels.
constexpr std::string_view kWeightCopy = "meta_schedule.layout_rewrite_preproc";

/// The block marked so.
tir::Stmt asWeightCopy(const tir::Stmt& block);

/// What the axes of lanes, together one, stand for at this place of it.
void bindLanes(std::span<const StageAxis> lanes, const tir::PrimExpr& place, arith::VarMap& places);

/// [outer axes..., panel, strip, sums..., lane of the strip] of a weight: a panel is as wide as a block of registers, a
/// strip of it a line of memory, so that a block reads as many streams as it has strips, which processors fetch sooner
/// than one. Lanes behind the last are left as they are.
class PackedWeight {
 public:
  /// `width`: lanes of a panel; `perVector`: of a vector, in which they are read.
  PackedWeight(const Contraction& roles, int64_t width, int64_t perVector);
  const tir::BufferRef& buffer() const { return buffer_; }
  /// Lanes of a strip.
  int64_t stripWidth() const { return strip_; }
  /// The block that makes it.
  tir::Stmt copy() const;
  /// An element: of the panel that begins with lane `first`, and of it `lane` of the vector that begins with `vector`.
  tir::PrimExpr element(const arith::VarMap& outer, const tir::PrimExpr& first, const arith::VarMap& sums,
                        const tir::PrimExpr& vector, const tir::PrimExpr& lane) const;
  /// The same as it lies in the panels, before anything is made of it.
  tir::PrimExpr stored(const arith::VarMap& outer, const tir::PrimExpr& first, const arith::VarMap& sums,
                       const tir::PrimExpr& vector, const tir::PrimExpr& lane) const;

 private:
  /// So many, from one on.
  struct Some {
    int64_t first, count;
  };
  /// The loops that lay out so many lanes of each of these strips.
  tir::Stmt nest(const Some& panels, const Some& strips, int64_t lanes) const;
  tir::PrimExpr number(int64_t value) const;
  std::vector<tir::PrimExpr> at(const arith::VarMap& outer, const tir::PrimExpr& panel, const arith::VarMap& sums,
                                const tir::PrimExpr& vector, const tir::PrimExpr& lane) const;

  const Contraction& roles_;
  int64_t width_, strip_, lanes_;
  std::vector<StageAxis> outer_;  ///< those that the weight has
  tir::BufferRef buffer_;
};

}  // namespace rx::schedule
