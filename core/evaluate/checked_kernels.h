// Kernels that are held against an oracle, call by call.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "core/runtime/callable.h"

namespace rx::evaluate {

/// Receives what was not compared and why, once a kernel.
using Unchecked = std::function<void(std::string_view kernel, const Diagnostic& why)>;

/// The kernels of `compiled`, each call of which is repeated by the kernel of that name of `oracle` (interpreted ones:
/// core/interpret/kernels.h) on copies of its arguments. What the machine gets is the compiled result. A call fails
/// with check.differs (kernel, argument, element, both values) where they differ beyond the rounding of their type
/// (beyondRounding in core/tensor/stats.h).
std::shared_ptr<vm::KernelProvider> makeCheckedKernels(std::shared_ptr<vm::KernelProvider> compiled,
                                                       std::shared_ptr<vm::KernelProvider> oracle, Unchecked unchecked);

}  // namespace rx::evaluate
