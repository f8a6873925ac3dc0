// How the host runs a function on a device, read from its lowered form.
#pragma once

#include "core/device/run/code.h"
#include "core/lower/device_lowering.h"
#include "core/lower/signature.h"

namespace rx::codegen {

/// Fails with codegen.unsupported where the host would have to do more than a plan says.
Result<device::DevicePlan> devicePlan(const lower::DeviceForm& form, const lower::Signature& signature);

}  // namespace rx::codegen
