// One kernel of a fused function: the bodies of the kernels that it calls, one after the other.
#pragma once

#include <functional>

#include "core/ir/module.h"
#include "core/support/result.h"

namespace rx::transform {

struct FusedKernel {
  tir::PrimFuncRef function;
  /// Of call_tir_inplace: for each output the parameter that holds it, -1 for an output of its own; empty where no
  /// output is in a parameter.
  std::vector<int64_t> inplace;
};

/// The kernel of a function that only calls kernels by call_tir and call_tir_inplace. Tensors that are parameters
/// become its buffers, then its outputs; scalars and sizes come last. What is passed from kernel to kernel is allocated
/// in it. Refused with pass.fused-kernel where the function holds anything else.
Result<FusedKernel> fuseKernels(const relax::Function& function, const ir::IRModule& module);

/// Calls `note` for each value that the function hands to a kernel, and for each first result of one, with the buffer
/// that the kernel declares for it and the place of the call.
void eachKernelBuffer(const relax::Function& function, const ir::IRModule& module,
                      const std::function<void(const Node& value, const tir::BufferRef& buffer, Span span)>& note);

}  // namespace rx::transform
