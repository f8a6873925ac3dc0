// Functions that run on a device, as kernels of a machine.
#pragma once

#include "core/codegen/device_text.h"
#include "core/codegen/kernels.h"
#include "core/device/device.h"

namespace rx::codegen {

/// The PrimFuncs of a module as functions of the first device of a machine, which is `device`. Their program is made
/// when the first of them is called, or ahead. What has no text for the device is what `host` has for it. A failing
/// access, or whatever else a kernel looks at, fails as on the host, when the call ends.
std::shared_ptr<JitKernels> makeDeviceKernels(const ir::Module& module, DeviceOptions options,
                                              std::shared_ptr<device::Device> device, std::shared_ptr<JitKernels> host);

}  // namespace rx::codegen
