// Tables along one axis: what each step of it needs and no other axis changes, computed once.
#pragma once

#include <vector>

#include "core/schedule/stage.h"

namespace rx::schedule {

/// A value that reads tables in the place of what it was computed from.
struct AxisTables {
  std::vector<tir::Stmt> made;  ///< allocates and fills them; empty where there are none
  tir::PrimExpr value;          ///< of the stage, as it was where there are none
};
/// Tables for all that the value of the stage computes with floats from nothing but the last axis, as the places and
/// weights of a resize are: where the size of the axis is known and small, and other axes make each step of it again.
AxisTables tablesOfLastAxis(const Stage& stage);

}  // namespace rx::schedule
