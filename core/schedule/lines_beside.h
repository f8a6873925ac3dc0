// Lines beside one another: a loop whose steps may run at once, each of them a line of stores one behind the other, as
// running sums are. Where the lines lie side by side in memory, lanes go across them.
#pragma once

#include "core/schedule/stage.h"

namespace rx::schedule {

/// The loop with vectors of lines in the place of single ones, each line in its own order as before. Null where the
/// statement is no such loop, only a run knows how many lines there are, or they do not lie beside one another; it says
/// nothing of why.
tir::Stmt linesBeside(const tir::Stmt& statement, const VectorShape& vectors, std::string& why);

}  // namespace rx::schedule
