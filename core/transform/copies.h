// Kernels that only copy, or add up a few elements, run without a program: as they are, weights of any size are laid
// out in other ways.
#pragma once

#include <span>

#include "core/ir/module.h"
#include "core/support/cancel.h"

namespace rx::transform {

/// Runs a kernel on tensors, one a parameter, where it is nests of loops that each store, one element a step, an
/// element of another parameter, or of float32 a sum of some of them times powers of two, at indices that are sums of
/// multiples of the loops. False, with nothing written that counts, where it is another kernel or an index leaves its
/// buffer: what that means the interpreter says.
bool runCopies(const tir::PrimFunc& function, std::span<const Ref<HostTensor>> tensors, const CancelToken& cancel);

}  // namespace rx::transform
