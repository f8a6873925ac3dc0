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

/// [outer axes..., panel, sums..., lane of the panel] of a weight; lanes behind the last are left as they are.
class PackedWeight {
 public:
  PackedWeight(const Contraction& roles, int64_t width);
  const tir::BufferRef& buffer() const { return buffer_; }
  /// The block that makes it.
  tir::Stmt copy() const;
  /// An element: of the panel that begins with lane `first`.
  tir::PrimExpr element(const arith::VarMap& outer, const tir::PrimExpr& first, const arith::VarMap& sums,
                        const tir::PrimExpr& lane) const;
  /// The same as it lies in the panels, before anything is made of it.
  tir::PrimExpr stored(const arith::VarMap& outer, const tir::PrimExpr& first, const arith::VarMap& sums,
                       const tir::PrimExpr& lane) const;

 private:
  tir::Stmt panels(const arith::VarMap& outer) const;
  tir::PrimExpr number(int64_t value) const;
  std::vector<tir::PrimExpr> at(const arith::VarMap& outer, const tir::PrimExpr& panel, const arith::VarMap& sums,
                                const tir::PrimExpr& lane) const;

  const Contraction& roles_;
  int64_t width_, lanes_;
  std::vector<StageAxis> outer_;  ///< those that the weight has
  tir::BufferRef buffer_;
};

}  // namespace rx::schedule
