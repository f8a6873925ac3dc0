// What the double of the CUDA driver runs in place of PTX: the lowered TIR that the text was made from, by the
// interpreter, as one steps its threads.
#pragma once

#include "core/codegen/device_text.h"
#include "core/ir/module.h"
#include "tests/device/cuda_double.h"

namespace rx::cuda_double {

/// Registers the kernels of a module under the text that is made of it for the target, whose accesses are not looked
/// at: one outside of its memory faults as on a device. Fails with what a kernel is refused for.
Result<Unit> addModule(Control& control, const ir::Module& module, const codegen::DeviceOptions& options);

}  // namespace rx::cuda_double
