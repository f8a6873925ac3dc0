// What the processor reaches in loops that do nothing else.
#pragma once

#include "core/profile/hardware.h"

namespace rx::profile {

/// Bits of the registers that the loops use here.
int measuredVectorBits();
/// Of `threads` threads at once: the best of several rounds, in the time that they work: not that in which other
/// programs have their processors.
Limits measureLimits(int threads, const CancelToken& cancel);

}  // namespace rx::profile
