// What is said above the stages of a kernel.
#pragma once

#include "views/models/kernel_listing.h"

namespace rx::views {

/// Which rules made it or why none did; what the machine code does with registers, all of it and in the loop, which may
/// be null. A line each.
QStringList kernelFacts(const KernelListing& kernel, const KernelLoop* loop);

}  // namespace rx::views
