// Kernels of a module for the machine, interpreted; and compiled ones that are compared with them call by call.
#pragma once

#include <memory>

#include "core/interpret/interpret.h"
#include "core/runtime/callable.h"

namespace rx::interpret {

/// The PrimFuncs of `module` by their symbols, run by the interpreter. A PrimFunc that it can not run is a failure of
/// its first call (interpret.unavailable). Packed functions that a kernel calls are those of the machine's registry.
std::shared_ptr<vm::KernelProvider> makeInterpretedKernels(const ir::Module& module, const Options& options);

/// Receives what was not compared and why, once a kernel.
using Unchecked = std::function<void(std::string_view kernel, const Diagnostic& why)>;

/// The kernels of `compiled`, each call of which is repeated by the interpreter on copies of its arguments. What the
/// machine gets is the compiled result. A call fails with check.differs (kernel, argument, element, both values) where
/// they differ beyond the rounding of their type (beyondRounding in core/tensor/stats.h).
std::shared_ptr<vm::KernelProvider> makeCheckedKernels(std::shared_ptr<vm::KernelProvider> compiled,
                                                       const ir::Module& module, const Options& options,
                                                       Unchecked unchecked);

}  // namespace rx::interpret
