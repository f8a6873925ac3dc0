// What is said above the stages of a kernel.
#pragma once

#include "views/models/kernel_listing.h"

namespace rx::views {

/// Which rules made it or why none did, and why others made nothing of it. A line each.
QStringList ruleFacts(const KernelListing& kernel);
/// What a turn of the loop costs and waits for, and by whose table; without one what there is instead, and why. Empty
/// where there is no machine code.
QString turnText(const KernelListing& kernel, const KernelLoop* loop);
/// The same in short, beside the cycles.
QString turnLimit(const KernelListing& kernel, const KernelLoop* loop);
/// How much of the samples, in percent, is in lines of the machine code.
double sampledIn(const KernelListing& kernel, int first, int last);
/// What the machine code does with registers, all of it and in the loop, which may be null. A line each.
QStringList codeFacts(const KernelListing& kernel, const KernelLoop* loop);
/// Under machine code: what a loop of it consists of and comes to.
QString loopFooter(const KernelListing& kernel, const KernelLoop& loop);
/// Under another text: what the step that made it was, and which lines of it are new. Empty where it was made of none.
QString stepFooter(const KernelListing& kernel, int stage);
/// Lines of a stage that the text before it has not.
KernelLines newLines(const KernelListing& kernel, int stage);
/// Of a kernel that was sampled: the loops that take its time, most first, and what each waits for. A line each.
QStringList timeFacts(const KernelListing& kernel);
/// Both.
QStringList kernelFacts(const KernelListing& kernel, const KernelLoop* loop);

/// Whether it has a schedule as text, or nothing has scheduled it, so that one may be written.
bool takesSchedule(const KernelListing& kernel);
/// Of a kernel of which no rule says anything: who scheduled it all the same.
QString withoutRules(const KernelListing& kernel);

}  // namespace rx::views
