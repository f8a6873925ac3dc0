// Kernels of a device as OpenCL C, to be read by people and compiled by a driver. The text keeps to OpenCL C 1.2 and
// what 3.0 took from it; of extensions it asks for cl_khr_fp64 where a kernel computes in double precision.
#pragma once

#include "core/codegen/device_writer.h"

namespace rx::codegen {

/// Each kernel has its helpers once in the text.
Result<std::unique_ptr<DeviceWriter>> openClWriter(const WriterOptions& options);

}  // namespace rx::codegen
