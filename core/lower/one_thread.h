// What no thread axis runs becomes kernels of a single thread, so that a device can run any function.
#pragma once

#include "core/ir/relax.h"

namespace rx::lower {

/// The function with every statement outside of launches of threads in a launch of one thread, as many of them in one
/// launch as follow each other; a loop of T.parallel, whose steps may run side by side, has a thread for each. Bindings
/// that read no memory, and allocations, stay outside. Memory that a single thread allocates is allocated before its
/// launch where it is more than a few kilobytes and its size is known there. The very same function where launches hold
/// everything. A loop around launches of a single thread is code of one thread. `function` holds no blocks.
tir::PrimFuncRef withRemainsOnOneThread(const tir::PrimFuncRef& function);

/// Whether the statement launches threads.
bool launchesThreads(const tir::Stmt& statement);

}  // namespace rx::lower
