// What rules for reductions of a processor share: the type in which sums are made, and how one grows by a step.
#pragma once

#include "core/schedule/stage.h"

namespace rx::schedule {

/// What rules say of another one.
constexpr const char* kNoReduction = "it is no sum, maximum or minimum that starts from a number";

/// Whether shares of it can meet: it is a sum that starts from zero, or a maximum or minimum that starts from a number.
bool hasShares(const Stage& stage, Kind kind);

/// The steps of a stage that reduces, of a type that typeOfSums has another for.
class ReductionSteps {
 public:
  /// The stage outlives it.
  ReductionSteps(StageReduction reduction, const Stage& stage, const VectorShape& vectors);

  DataType type() const { return type_; }  ///< of sums on their way
  const tir::PrimExpr& step() const { return reduction_.step; }
  /// What a sum starts as.
  tir::PrimExpr none() const;
  tir::PrimExpr met(tir::PrimExpr a, tir::PrimExpr b) const;
  /// A share and what one more step brings: nothing where it is not `inside`, which may be null.
  tir::PrimExpr grown(tir::PrimExpr share, const tir::PrimExpr& step, const tir::PrimExpr& inside = nullptr) const;
  /// A sum as the stage has it.
  tir::PrimExpr made(const tir::PrimExpr& sum) const;

 private:
  StageReduction reduction_;
  const Stage& stage_;
  DataType type_;
  bool fused_;  ///< a product and a sum are rounded once
};

}  // namespace rx::schedule
