// How long kernels took to compile: what a step that calls one for the first time spent before it ran.
#pragma once

#include <cstdint>

#include "core/runtime/callable.h"

namespace rx::codegen {

/// Nanoseconds that the kernels of a provider of makeJitKernels took to compile so far; 0 for any other provider.
int64_t compileNanoseconds(const vm::KernelProvider& kernels);

}  // namespace rx::codegen
