// Whether vectors along an axis can move what a stage reads and stores in one piece.
#pragma once

#include "core/schedule/stage.h"

namespace rx::schedule {

/// Whether vectors along the axis move in one piece, or not at all, all that the value reads and the stage stores, and
/// computing it asks nothing of single lanes.
bool movesInOrder(const Stage& stage, const tir::PrimExpr& value, const tir::Var& axis);

}  // namespace rx::schedule
