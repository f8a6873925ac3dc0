// Reductions over nothing.
#pragma once

#include "core/ir/stmt.h"

namespace rx::tir {

/// A block's init runs with the first step of its reduction, so a loop that takes no step would leave the result
/// unwritten. The statement that writes the init values in that case: the nest below `loop` without its reduction
/// loops. Null where the loop is not one of a reduction, or is known to take a step.
Stmt initOfEmptyLoop(const For& loop);

}  // namespace rx::tir
