// Where a buffer has to live: the innermost loop or block around all its accesses.
#pragma once

#include <unordered_map>

#include "core/ir/relax.h"

namespace rx::lower {

/// By buffer, the loop or block (the Block, not its BlockRealize) that holds every access; null for the function
/// itself. Buffers that blocks match to regions are left out: their sources count. Memory that all thread blocks of a
/// launch share stays outside the launch, what a reduction or an axis of no known order writes stays outside the loops
/// that it goes around.
std::unordered_map<const tir::Buffer*, const tir::StmtNode*> accessScopes(const tir::PrimFunc& function);

}  // namespace rx::lower
