// Kernels of a module for the machine, interpreted.
#pragma once

#include <memory>

#include "core/interpret/interpret.h"
#include "core/runtime/callable.h"

namespace rx::interpret {

/// The PrimFuncs of `module` by their symbols, run by the interpreter. A PrimFunc that it can not run is a failure of
/// its first call (interpret.unavailable). Packed functions that a kernel calls are those of the machine's registry.
std::shared_ptr<vm::KernelProvider> makeInterpretedKernels(const ir::Module& module, const Options& options);

}  // namespace rx::interpret
