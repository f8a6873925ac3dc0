// What a kernel is lowered to for a device: code of its threads, and code of the host that launches it.
#pragma once

#include <vector>

#include "core/lower/host_lowering.h"

namespace rx::lower {

/// A function that a device runs, with its launch parameters in "tirx.kernel_launch_params".
struct DeviceKernel {
  std::string symbol;
  tir::PrimFuncRef function;
};

/// A PrimFunc for a device.
struct DeviceForm {
  tir::PrimFuncRef host;  ///< allocations, and launches as T.call_packed(symbol, arguments, extents)
  std::vector<DeviceKernel> kernels;
  bool exact = false;  ///< no integer that is computed leaves its type
};

/// The function by TVM's passes in the order of its default pipeline, as far as a back end that knows all types needs
/// them. Kernels that nobody has scheduled get the default schedule, and what has no threads then runs on one. Accesses
/// and divisions that are not proven are marked (rx_index, rx_divisor). `name` begins the symbols. Fails with what a
/// pass refuses, or pass.cancelled. `step` is told of what is made before kernels and host are split; it may be empty.
Result<DeviceForm> loweredForDevice(const std::string& name, const tir::PrimFuncRef& function,
                                    const CancelToken& cancel, const target::TargetRef& target,
                                    const LoweringStep& step = {});

}  // namespace rx::lower
