// Epilogues: what is made of each element that a stage gives, where it is stored.
#pragma once

#include "core/schedule/stage.h"

namespace rx::schedule {

/// The store of a stage, with the stage behind it folded in where that takes each element of the first once and goes
/// through the same places.
class Epilogue {
 public:
  /// `behind` may be null.
  Epilogue(const Stage& stage, const Stage* behind);
  bool taken() const { return taken_; }
  /// Where it stores, by the axes of the first stage.
  std::span<const tir::PrimExpr> indices() const { return indices_; }
  const tir::BufferRef& buffer() const { return buffer_; }
  /// Stores what becomes of `value`, the element at the place that the axes of the first stage stand for.
  tir::Stmt store(const arith::VarMap& places, const tir::PrimExpr& value) const;

 private:
  bool take(const Stage& stage, const Stage& behind);

  const tir::BufferRef& made_;  ///< of the first stage
  tir::BufferRef buffer_;
  std::vector<tir::PrimExpr> indices_;
  tir::PrimExpr value_;  ///< what is stored, with loads of `made_` in it; null: the element itself
  bool taken_ = false;
};

}  // namespace rx::schedule
