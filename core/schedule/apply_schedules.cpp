// ApplySchedules: the stages of each kernel that nobody has scheduled, by rules for processors.
#include "core/schedule/apply_schedules.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/function_target.h"
#include "core/lower/scope.h"
#include "core/lower/statements.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/host_rules.h"
#include "core/schedule/kernel_blocks.h"
#include "core/schedule/kernel_scheduler.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

namespace {

using Rules = std::vector<const HostRuleRow*>;

Result<Rules> rulesOf(const ir::Attrs& options) {
  const NodeRef value = ir::attrOf(options, "rules");
  const auto* list = as<ir::ArrayAttr>(value);
  if (!list) return fail("pass.option-value", "rules is a list of names");
  Rules rules;
  for (const NodeRef& item : list->items) {
    const auto* name = as<ir::StrAttr>(item);
    const HostRuleRow* row = name ? findHostRule(name->value.view()) : nullptr;
    if (!row) {
      std::string known;
      for (const HostRuleRow& other : hostRuleRows())
        known += fmt::format("{}{}", known.empty() ? "" : ", ", other.name);
      return fail("pass.option-value", fmt::format("there is no rule '{}'; there are {}",
                                                   name ? name->value.view() : std::string_view(), known));
    }
    rules.push_back(row);
  }
  return rules;
}

/// Places of the block, those of axes whose size is not known left out.
int64_t placesOf(const BlockInfo& info) {
  int64_t count = 1;
  for (const AxisInfo& axis : info.axes) {
    if (__builtin_mul_overflow(count, asInt(axis.extent).value_or(1), &count))
      return std::numeric_limits<int64_t>::max();
  }
  return count;
}

/// Whether the block may go into those that read what it makes: they reduce nothing and have no more places than it
/// has, so that nothing is computed again and again.
bool mayInline(Schedule& schedule, const BlockInfo& info, const std::vector<BlockInfo>& all) {
  if (!info.isInjective()) return false;
  const BlockScope scope(*schedule.get(schedule.root()));
  const auto readers = scope.consumers(*schedule.get(info.block));
  return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](const auto& reader) {
    return std::any_of(all.begin(), all.end(), [&](const BlockInfo& other) {
      return other.isInjective() && schedule.has(other.block) && schedule.get(other.block) == reader->block &&
             placesOf(other) <= placesOf(info);
    });
  });
}

/// Whether a loop runs as often as another one says, as windows that are not alike do.
bool hasDependentLoops(const PrimFuncRef& function) {
  std::vector<const For*> loops;
  walk(*function->body, Into::Parts, [&](const Node& node) {
    if (const auto* loop = as<For>(&node)) loops.push_back(loop);
    return !isa<ExprNode>(&node);
  });
  return std::any_of(loops.begin(), loops.end(), [&](const For* loop) {
    return std::any_of(loops.begin(), loops.end(),
                       [&](const For* other) { return lower::uses(loop->extent, other->loopVar.get()); });
  });
}

/// The kernel with blocks that reduce nothing inlined into one another.
PrimFuncRef inlined(const PrimFuncRef& function) {
  auto schedule = Schedule::of(function);
  if (!schedule || hasDependentLoops(function)) return function;
  const auto blocks = normalizedBlocks(*schedule);
  if (!blocks) return function;
  for (const BlockInfo& info : *blocks) {
    if (mayInline(*schedule, info, *blocks)) (void)computeInline(*schedule, info.block);
  }
  return schedule->function();
}

void tell(lower::Scope& scope, const std::string& why) {
  Diagnostic told = warningAt({}, std::string(kNoRule), fmt::format("{}: {}", scope.name->name.view(), why));
  told.severity = Severity::Note;
  scope.context.messages.push_back(std::move(told));
}

Result<PrimFuncRef> scheduled(const PrimFuncRef& function, lower::Scope& scope) {
  if (ir::boolAttrOf(function->attrs, kScheduled, false)) return function;
  RX_TRY(own, lower::targetOf(*function));
  const target::TargetRef target = own ? own : scope.context.target;
  if (!target) return fail("lower.no-target", "a kernel is scheduled for a target, and the function names none");
  RX_TRY(rules, rulesOf(scope.options));
  if (target->kind() != "llvm") return function;
  if (!isa<BlockRealize>(function->body)) {
    tell(scope, "the body of the function is no block");
    return function;
  }
  const PrimFuncRef whole = inlined(function);
  VectorShape vectors = vectorShapeOf(*target);
  if (ir::boolAttrOf(scope.options, "precise", false)) {
    vectors.fused = false;
    vectors.inOrder = true;
  }
  KernelScheduler scheduler(whole, rules, vectors);
  const PrimFuncRef made = scheduler.run();
  if (!scheduler.why().empty()) tell(scope, scheduler.why());
  if (!made) return function;
  std::vector<NodeRef> rulesUsed;
  for (const std::string& said : scheduler.made()) rulesUsed.push_back(ir::strAttr(said));
  ir::BaseFunc marked = ir::withFunctionAttr(made, Str(kScheduled), ir::boolAttr(true));
  if (!rulesUsed.empty()) {
    marked = ir::withFunctionAttr(marked, Str(kRules), make<ir::ArrayAttr>(Array<NodeRef>(std::move(rulesUsed))));
  }
  return cast<PrimFunc>(marked);
}

}  // namespace

std::vector<std::string> rulesThatMade(const PrimFunc& kernel) {
  std::vector<std::string> rules;
  const NodeRef value = ir::attrOf(kernel.attrs, kRules);
  const auto* list = as<ir::ArrayAttr>(value);
  for (size_t i = 0; list && i < list->items.size(); ++i)
    if (const auto* text = as<ir::StrAttr>(list->items[i])) rules.push_back(text->value.string());
  return rules;
}

Result<ir::Module> applySchedules(const ir::Module& module, const ir::Attrs& options, pass::PassContext& context) {
  RX_CHECK(rulesOf(options));
  return lower::overPrimFuncs(module, options, context, scheduled);
}

}  // namespace rx::schedule
