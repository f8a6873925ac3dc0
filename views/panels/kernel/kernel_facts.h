// What is said above the stages of a kernel.
#pragma once

#include "views/models/kernel_listing.h"

namespace rx::views {

/// Which rules made it or why none did, and why others made nothing of it. A line each.
QStringList ruleFacts(const KernelListing& kernel);
/// Why the strip counts instructions and no cycles of the ports of a processor.
QString portCyclesText();
/// What the machine code does with registers, all of it and in the loop, which may be null. A line each.
QStringList codeFacts(const KernelListing& kernel, const KernelLoop* loop);
/// Both.
QStringList kernelFacts(const KernelListing& kernel, const KernelLoop* loop);

/// Of a kernel of which no rule says anything: who scheduled it all the same.
QString withoutRules(const KernelListing& kernel);

}  // namespace rx::views
