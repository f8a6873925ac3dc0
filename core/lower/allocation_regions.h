// Which parts of the buffers that a kernel allocates are ever accessed.
#pragma once

#include <unordered_map>

#include "core/ir/relax.h"

namespace rx::lower {

using Region = std::vector<Ref<tir::Range>>;

/// By the pointer of an allocated buffer, the region around all accesses while the loops inside the allocation run, and
/// those of threads that share it. Sizes do not depend on loops or on data. With `inbound` a region never leaves the
/// buffer's shape. Left out: buffers without accesses, and those with several views.
std::unordered_map<const tir::Var*, Region> allocationRegions(const tir::PrimFunc& function, bool inbound);

}  // namespace rx::lower
