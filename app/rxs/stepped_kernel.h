// Kernels of a device that a debugger steps into.
#pragma once

#include "core/compile/kernel_stages.h"
#include "core/debug/stepped_kernel.h"
#include "core/debug/value.h"

namespace rx::cli {

/// Whether a kernel of the program has threads: it is a function that its device runs.
bool hasThreads(const compile::Program& program, std::string_view name);

/// The first group of the first kernel that the function starts, on copies of what it is given. Fails with
/// kernel.threads where it runs on the host, with what lowering refuses, and as the launch does.
Result<std::unique_ptr<debug::SteppedKernel>> stepInto(const compile::Program& program, std::string_view name,
                                                       std::vector<debug::Value> given, const CancelToken& cancel);

}  // namespace rx::cli
