// Functions that run on a device, as kernels of a machine.
#pragma once

#include "core/codegen/device_text.h"
#include "core/codegen/kernels.h"
#include "core/device/device.h"

namespace rx::codegen {

/// A device of a program.
struct DeviceRow {
  int64_t type = 1;  ///< as DLPack numbers the types of devices
  int64_t number = 0;
  std::shared_ptr<device::Device> device;  ///< null: the host
};

/// The PrimFuncs of a module as functions of the devices of a machine, which instructions number in the order of the
/// rows. A function runs where its result is to lie; on the first device where calls do not say. The program of a
/// device is made when the first of its functions is called, or ahead. What has no text for devices is what `host` has
/// for it. A failing access, or whatever else a kernel looks at, fails as on the host, when the call ends.
std::shared_ptr<JitKernels> makeDeviceKernels(const ir::Module& module, DeviceOptions options,
                                              std::vector<DeviceRow> devices, std::shared_ptr<JitKernels> host);

}  // namespace rx::codegen
