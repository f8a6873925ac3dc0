// Functions of a program that a device runs as a whole (RewriteCUDAGraph): what they allocate, and what they ask for.
#pragma once

#include "core/device/device.h"
#include "core/runtime/callable.h"

namespace rx::device {

/// The two functions that programs call, over all runs of the machines that they belong to. A run whose steps are
/// recorded takes none of it from before and captures nothing.
struct GraphFunctions {
  Ref<vm::Callable> cachedAlloc;  ///< vm.builtin.cuda_graph.get_cached_alloc(machine, function, index)
  Ref<vm::Callable>
      runOrCapture;  ///< vm.builtin.cuda_graph.run_or_capture(machine, function, arguments, index[, sizes])
};
/// On a device that captures.
GraphFunctions graphFunctions(std::shared_ptr<Device> device);

}  // namespace rx::device
