// Statistics of tensors that lie on a device, by kernels of the device, so that a recording that keeps no bytes copies
// none.
#pragma once

#include "core/compile/compile.h"
#include "core/device/device.h"
#include "core/runtime/callable.h"

namespace rx::compile {

/// What computes them, of elements of this type: one kernel, whose threads each take a part and give what they found.
Result<Program> statisticsProgram(DataType type, const target::TargetRef& target);

/// For the tensors on a device of this target (vm::RunDevice::statistics). Kernels are made by the type of elements
/// when a tensor of it is asked for; nothing for tensors so small that copying them costs no more. Of what has none,
/// `control.onHost` is told why, once.
vm::StatisticsOf statisticsOn(std::shared_ptr<device::Device> device, target::TargetRef target, Control control,
                              bool keepsPrograms);

}  // namespace rx::compile
