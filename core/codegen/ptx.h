// Kernels of a device as PTX, by LLVM's NVPTX: what the CUDA driver compiles for the device that is there. Functions
// such as exp are ours; nothing of a vendor is linked.
#pragma once

#include "core/codegen/device_writer.h"

namespace rx::codegen {

/// The architectures that there is code for, the oldest first.
std::vector<std::string_view> ptxArchitectures();

/// For the architecture that the target names (sm_50 to sm_90a), or the oldest of them, whose code any later device
/// takes.
Result<std::unique_ptr<DeviceWriter>> ptxWriter(const WriterOptions& options);

}  // namespace rx::codegen
