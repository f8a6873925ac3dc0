// Whether threads share the steps of a nest: where there are so many that more is gained than waking threads costs.
#pragma once

#include <functional>
#include <span>

#include "core/arith/equal.h"
#include "core/schedule/stage.h"

namespace rx::schedule {

/// Makes what is done at a place of the outer axes; `kind`: of its own outermost loop.
using SharedMaker = std::function<tir::Stmt(const arith::VarMap& places, tir::ForKind kind)>;

class ThreadGrain {
 public:
  /// Of a nest over these axes; `from`: the steps that are worth it. None where threads may not share it.
  ThreadGrain(std::span<const StageAxis> axes, int64_t from, bool threads);

  /// Whether threads share the steps, in some runs at least.
  bool shares() const { return shares_; }
  /// Loops over the axes, the outermost of which threads share; where there is no axis they share the loop that `made`
  /// is told to make so. `made` is called once.
  tir::Stmt over(std::span<const StageAxis> outer, const SharedMaker& made) const;
  /// What holds loops that are shared; where a run alone knows the number of steps it decides.
  tir::Stmt around(tir::Stmt nest) const;
  /// The nest with its outermost loop shared, or as it is.
  tir::Stmt outermost(const tir::Stmt& nest) const;

 private:
  bool shares_;
  tir::PrimExpr enough_;  ///< whether there are enough steps; null where that is known
};

}  // namespace rx::schedule
