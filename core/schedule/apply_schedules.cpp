// ApplySchedules: the stages of each kernel that nobody has scheduled, by rules for processors.
#include "core/schedule/apply_schedules.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/ir/structural_hash.h"
#include "core/schedule/host_schedule.h"
#include "core/schedule/kernel_schedule.h"
#include "core/schedule/schedule_stages.h"

namespace rx::schedule {

using namespace tir;

namespace {

Result<Outcome> byRules(const PrimFuncRef& kernel, const target::Target& target, const ir::Attrs& options,
                        const CancelToken&) {
  RX_TRY(rules, hostRulesOf(ir::attrOf(options, "rules")));
  if (target.kind() != "llvm") return Outcome{};
  if (!isa<BlockRealize>(kernel->body)) return notApplied("the body of the function is no block");
  VectorShape vectors = vectorShapeOf(target);
  if (ir::boolAttrOf(options, "precise", false)) {
    vectors.fused = false;
    vectors.inOrder = true;
  } else {
    vectors.sumThreads = ir::intAttrOf(options, "sum_threads", 1);
  }
  if (const NodeRef tuned = ir::attrOf(refAs<ir::DictAttrs>(ir::attrOf(options, "tuned")), kernelKey(kernel))) {
    RX_TRY(choices, choicesOf(tuned));
    vectors.choices = choices;
  }
  return hostSchedule(kernel, rules, vectors);
}

Result<PrimFuncRef> scheduled(const PrimFuncRef& function, lower::Scope& scope) {
  return scheduledBy(kHostScheduler, function, scope);
}

}  // namespace

const Scheduler kHostScheduler{"ApplySchedules", byRules};

std::string kernelKey(const PrimFuncRef& kernel) {
  return fmt::format("{:016x}", structuralHash(ir::withFunctionAttrs(kernel, nullptr)));
}

std::vector<std::string> rulesThatMade(const PrimFunc& kernel) {
  std::vector<std::string> rules;
  const NodeRef value = ir::attrOf(kernel.attrs, kRules);
  const auto* list = as<ir::ArrayAttr>(value);
  for (size_t i = 0; list && i < list->items.size(); ++i)
    if (const auto* text = as<ir::StrAttr>(list->items[i])) rules.push_back(text->value.string());
  return rules;
}

bool namesRule(std::span<const std::string> made, std::string_view rule) {
  return std::ranges::any_of(made, [&](const std::string& text) { return text.find(rule) != std::string::npos; });
}

Result<ir::Module> applySchedules(const ir::Module& module, const ir::Attrs& options, pass::PassContext& context) {
  RX_CHECK(hostRulesOf(ir::attrOf(options, "rules")));
  const int64_t sumThreads = ir::intAttrOf(options, "sum_threads", 1);
  if (sumThreads < 1 || sumThreads > kMostSumThreads)
    return fail("pass.option-value", fmt::format("sum_threads is a number from 1 to {}", kMostSumThreads));
  return lower::overPrimFuncs(module, options, context, scheduled);
}

}  // namespace rx::schedule
