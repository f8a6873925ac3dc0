// What the processor reaches in loops that do nothing else.
#pragma once

#include <array>
#include <span>

#include "core/profile/hardware.h"

namespace rx::profile {

/// Bits of the registers that the loops use here.
int measuredVectorBits();
/// What the loops that read memory add up, in one stream and in several beside each other. The memory begins at a
/// multiple of 64 bytes; what fills no whole round of a loop, at most 2 KiB at its end, is not read.
std::array<float, 2> sumsAsRead(std::span<const float> memory);
/// Cycles of a second, in which this thread works: as many additions as one does after the other.
double measureCycles();
/// Of `threads` threads at once: the best of several rounds, in the time that they work: not that in which other
/// programs have their processors.
Limits measureLimits(int threads, const CancelToken& cancel);

}  // namespace rx::profile
