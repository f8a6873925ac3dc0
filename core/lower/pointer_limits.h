// Pointers of a kernel and the memory behind them.
#pragma once

#include "core/ir/relax.h"
#include "core/support/result.h"

namespace rx::lower {

/// Refuses every pointer of which it is not known how much memory lies behind it (tir.pointer-limit), each with its
/// place, so that a back end can check any access: pointers come from parameters, allocations, elements of buffers and
/// parts of such, through bindings and choices. What packed functions get are arrays whose rank is the number of their
/// sizes. So that nothing else escapes the checks, refuses calls of what is not of the module (tir.outside-call),
/// accesses with another number of indices than dimensions (tir.index-count) and numbers of types that not all who run
/// a kernel know (tir.host-type). `function` holds no blocks.
Result<Unit> checkPointers(const tir::PrimFunc& function);

}  // namespace rx::lower
