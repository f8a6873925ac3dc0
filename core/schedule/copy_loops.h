// Blocks that copy one buffer to another, element by element.
#pragma once

#include "core/ir/stmt.h"

namespace rx::schedule {

/// What one axis of such a block is.
struct CopyAxis {
  tir::PrimExpr size;    ///< of the axis
  tir::PrimExpr begin;   ///< what the loop's variable is added to
  tir::PrimExpr extent;  ///< of the loop
};
/// A copy while it is made: variables of axes are there to be put into indices.
struct CopyLoops {
  std::vector<tir::VarRef> axes;
  std::vector<tir::PrimExpr> place;  ///< the axes as indices
  tir::BufferRef from, to;
  std::vector<tir::PrimExpr> source, target;
  tir::PrimExpr inside;  ///< where the copy holds elements; zeros elsewhere. Null: everywhere

  explicit CopyLoops(std::vector<CopyAxis> axes);
  /// The block of that name in its loops.
  tir::Stmt nest(const Str& name) const;

 private:
  std::vector<CopyAxis> shape_;
};

}  // namespace rx::schedule
