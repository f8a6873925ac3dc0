#include "core/schedule/host_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/statements.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/kernel_blocks.h"
#include "core/schedule/primitives.h"
#include "core/schedule/schedule_stages.h"

namespace rx::schedule {

using namespace tir;

namespace {

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

/// Inlines blocks that reduce nothing into one another.
void inlineBlocks(Schedule& schedule) {
  if (hasDependentLoops(schedule.function())) return;
  const auto blocks = normalizedBlocks(schedule);
  if (!blocks) return;
  for (const BlockInfo& info : *blocks) {
    if (mayInline(schedule, info, *blocks)) (void)computeInline(schedule, info.block);
  }
}

}  // namespace

Result<HostRules> hostRulesOf(const NodeRef& names) {
  const auto* list = as<ir::ArrayAttr>(names);
  if (!list) return fail("pass.option-value", "rules is a list of names");
  HostRules rules;
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

Result<Outcome> hostSchedule(const PrimFuncRef& kernel, const HostRules& rules, const VectorShape& vectors) {
  RX_TRY(schedule, Schedule::of(kernel));
  inlineBlocks(schedule);
  auto made =
      scheduleStages(schedule, schedule.root(), namesOf(rules), asAttribute(vectors), asAttribute(vectors.choices));
  if (!made) return notApplied(schedule.left());
  Outcome outcome = applied(schedule);
  outcome.why = schedule.left();
  return outcome;
}

}  // namespace rx::schedule
