// What the text of a kernel shows of its faults, before it runs.
#pragma once

#include <vector>

#include "core/ir/relax.h"
#include "core/support/cancel.h"

namespace rx::lower {

/// Warnings: accesses that every run of the function makes outside of their buffer (kernel.bounds), and pointers and
/// calls for which it will not be compiled (tir.pointer-limit, tir.outside-call). None for a function that can not be
/// lowered for a host.
std::vector<Diagnostic> visibleFaults(const tir::PrimFuncRef& function, const CancelToken& cancel = {});

}  // namespace rx::lower
