// What a device does at the most, measured on it, for profiles of what runs there.
#pragma once

#include "core/compile/compile.h"
#include "core/profile/profile.h"

namespace rx::cli {

/// Bytes moved and multiplications and additions of fp32 a second, of two kernels of our own on the first device of a
/// target (some tenths of a second). Fails as compiling and running there do.
Result<profile::Hardware> deviceLimits(const target::TargetRef& target);

/// The clock of the devices of a machine, which outlives it; nothing where it has none.
std::optional<profile::DeviceClock> deviceClockOf(const vm::Machine& machine);

}  // namespace rx::cli
