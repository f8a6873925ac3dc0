// Accesses that a kernel has to look at while it runs, marked where indices still are those of dimensions.
#pragma once

#include "core/lower/proven_accesses.h"

namespace rx::lower {

/// The function with the indices of accesses that are not proven in calls of rx_index, which carry the extent of their
/// dimension, the buffer's name and the number of the dimension. The very same function where all are proven. Fails
/// with codegen.unsupported where a view says more of its memory than is known to be there.
Result<tir::PrimFuncRef> withAccessesMarked(const tir::PrimFuncRef& function, const AccessProof& proof);

}  // namespace rx::lower
