// What the processor reaches in loops that do nothing else.
#pragma once

#include "core/profile/hardware.h"

namespace rx::profile {

/// Bits of the registers that the loops use here.
int measuredVectorBits();
/// Of `threads` threads at once: the best of several rounds.
Limits measureLimits(int threads, const CancelToken& cancel);

}  // namespace rx::profile
