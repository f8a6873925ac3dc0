// Functions that run on a device, as kernels of a machine.
#pragma once

#include "core/codegen/device_text.h"
#include "core/codegen/kernels.h"
#include "core/device/run/program.h"

namespace rx::codegen {

/// What is asked for statistics of tensors on a device.
using StatisticsMaker = std::function<vm::StatisticsOf(const std::shared_ptr<device::Device>& device)>;

/// The PrimFuncs of a module as functions of the devices of a machine (device::PlacedFunctions), which instructions
/// number in this order; null is the host. What has no text for devices is what `host` has for it.
/// `statistics` may be empty.
std::shared_ptr<JitKernels> makeDeviceKernels(const ir::Module& module, DeviceOptions options,
                                              std::vector<std::shared_ptr<device::Device>> devices,
                                              std::shared_ptr<JitKernels> host, device::ProgramSources sources,
                                              StatisticsMaker statistics);

}  // namespace rx::codegen
