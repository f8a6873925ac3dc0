// Lines beside one another: a loop whose steps may run at once, each of them a line of stores one behind the other, as
// running sums are. Where the lines lie side by side in memory, lanes go across them; others are made several at once.
#pragma once

#include "core/schedule/stage.h"

namespace rx::schedule {

/// The loop with vectors of lines, or several lines, in the place of single ones, each line in its own order as before.
/// Null where the statement is no such loop, only a run knows how many lines there are, or they neither lie beside one
/// another nor have steps that wait for the one before; it says nothing of why.
tir::Stmt linesBeside(const tir::Stmt& statement, const VectorShape& vectors, std::string& why);

}  // namespace rx::schedule
