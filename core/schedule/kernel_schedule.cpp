#include "core/schedule/kernel_schedule.h"

#include "core/ir/all_nodes.h"
#include "core/lower/function_target.h"
#include "core/schedule/apply_schedules.h"
#include "core/schedule/host_rules.h"

namespace rx::schedule {

using tir::PrimFuncRef;

const Scheduler* schedulerOf(std::string_view pass) {
  for (const Scheduler* scheduler : {&kDefaultScheduler, &kHostScheduler}) {
    if (scheduler->pass == pass) return scheduler;
  }
  return nullptr;
}

std::vector<std::string> namesOfRules() {
  std::vector<std::string> names;
  for (const RuleRow& row : ruleRows()) names.emplace_back(row.name);
  for (const HostRuleRow& row : hostRuleRows()) names.emplace_back(row.name);
  return names;
}

bool isHostRule(std::string_view name) { return findHostRule(name) != nullptr; }

Result<Outcome> scheduleKernel(const Scheduler& scheduler, const PrimFuncRef& kernel, const target::TargetRef& target,
                               const ir::Attrs& options, const CancelToken& cancel) {
  if (ir::boolAttrOf(kernel->attrs, kScheduled, false)) return Outcome{};
  RX_TRY(own, lower::targetOf(*kernel));
  const target::TargetRef& wanted = own ? own : target;
  if (!wanted) return lower::withoutTarget("a kernel is scheduled for a target");
  RX_TRY(outcome, scheduler.apply(kernel, *wanted, options, cancel));
  if (outcome.kernel) {
    outcome.kernel = cast<tir::PrimFunc>(ir::withFunctionAttr(outcome.kernel, Str(kScheduled), ir::boolAttr(true)));
  }
  return outcome;
}

Result<PrimFuncRef> scheduledBy(const Scheduler& scheduler, const PrimFuncRef& kernel, lower::Scope& scope) {
  RX_TRY(outcome, scheduleKernel(scheduler, kernel, scope.context.target, scope.options, scope.context.cancel));
  if (!outcome.why.empty()) {
    Diagnostic told = warningAt({}, std::string(kNoRule), std::move(outcome.why));
    told.severity = Severity::Note;
    told.context = scope.name->name.string();
    scope.context.messages.push_back(std::move(told));
  }
  return outcome.kernel ? outcome.kernel : kernel;
}

}  // namespace rx::schedule
