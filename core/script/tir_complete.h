// What a text leaves out of a TIR function: the root block, and the regions that blocks read and write.
#pragma once

#include "core/ir/stmt.h"

namespace rx::script {

/// Wraps the body in a block "root" where the text has blocks (or allocations) and no root of its own.
tir::Stmt completeFunction(tir::Stmt body, const std::vector<tir::BufferRef>& rootAllocs);

/// Fills the regions that the text of a block does not give: the union of what its body accesses, loops and blocks
/// inside it relaxed over their ranges.
void detectRegions(tir::Block& block, bool readsGiven, bool writesGiven);

}  // namespace rx::script
