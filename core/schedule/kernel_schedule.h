// One kernel scheduled as a pass does it: by the pass's rules, with the trace of what they did.
#pragma once

#include "core/lower/scope.h"
#include "core/schedule/rules.h"
#include "core/support/cancel.h"

namespace rx::schedule {

/// A pass that schedules kernels by rules.
struct Scheduler {
  const char* pass;
  /// An outcome without a kernel and without a reason where kernels for such targets are none of the pass's.
  Result<Outcome> (*apply)(const tir::PrimFuncRef& kernel, const target::Target& target, const ir::Attrs& options,
                           const CancelToken& cancel);
};
extern const Scheduler kDefaultScheduler, kHostScheduler;
/// The names of all rules, and whether one is of those that ApplySchedules has.
std::vector<std::string> namesOfRules();
bool isHostRule(std::string_view name);
/// Null where the pass schedules no kernels by rules.
const Scheduler* schedulerOf(std::string_view pass);

/// What the pass makes of a kernel that nobody has scheduled, marked as scheduled; no kernel where it stays as it is.
/// Fails with lower.no-target where neither the function nor the caller names a target.
Result<Outcome> scheduleKernel(const Scheduler& scheduler, const tir::PrimFuncRef& kernel,
                               const target::TargetRef& target, const ir::Attrs& options, const CancelToken& cancel);
/// The same within a pass: the very same kernel where it stays, and a note (kNoRule) of why it, or a part of it, does,
/// whose context is the name of the kernel.
Result<tir::PrimFuncRef> scheduledBy(const Scheduler& scheduler, const tir::PrimFuncRef& kernel, lower::Scope& scope);

}  // namespace rx::schedule
