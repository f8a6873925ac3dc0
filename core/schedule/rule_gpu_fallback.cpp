// gpu.Fallback: inlines what it can, and deals the places of each block that is left out to threads.
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/schedule/kernel_blocks.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"
#include "core/schedule/rules.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Whether the statement launches threads by itself.
bool launchesThreads(const Stmt& statement) {
  bool found = false;
  walk(*statement, Into::Parts, [&](const Node& node) {
    const auto* attribute = as<AttrStmt>(&node);
    const auto* loop = as<For>(&node);
    found =
        found || (attribute && (attribute->key.view() == "thread_extent" || attribute->key.view() == "virtual_thread"));
    found = found || (loop && loop->forKind == ForKind::ThreadBinding);
    return !found && isa<StmtNode>(&node);
  });
  return found;
}

bool isBound(const Schedule& schedule, const std::vector<LoopRef>& loops) {
  for (const LoopRef& loop : loops) {
    if (schedule.get(loop)->threadBinding) return true;
  }
  return false;
}

/// The loops of one kind.
std::vector<LoopRef> ofKind(const std::vector<LoopRef>& loops, const std::string& kinds, char kind) {
  std::vector<LoopRef> made;
  for (size_t i = 0; i < std::min(loops.size(), kinds.size()); ++i) {
    if (kinds[i] == kind) made.push_back(loops[i]);
  }
  return made;
}

}  // namespace

Result<Outcome> gpuFallback(const RuleInput& input) {
  RX_TRY(schedule, Schedule::of(input.kernel));
  auto blocks = normalizedBlocks(schedule);
  if (!blocks) return notApplied("the axes of a block are not the loops around it");
  const int64_t threads = maxThreadsPerBlock(input.target);
  std::vector<std::pair<BlockRef, LoopRef>> reductions;
  for (const BlockInfo& info : tryInline(schedule, std::move(*blocks))) {
    const std::vector<LoopRef> loops = schedule.loops(info.block);
    if (isBound(schedule, loops) || (loops.empty() && launchesThreads(schedule.get(info.block)->body))) continue;
    std::vector<LoopRef> order = ofKind(loops, info.kinds(), 'S');
    if (order.empty()) {
      RX_TRY(unit, addUnitLoop(schedule, info.block));
      order.push_back(unit);
    }
    const std::vector<LoopRef> places = order, reduced = ofKind(loops, info.kinds(), 'R');
    const std::vector<LoopRef> others = ofKind(loops, info.kinds(), 'O');
    order.insert(order.end(), reduced.begin(), reduced.end());
    order.insert(order.end(), others.begin(), others.end());
    RX_CHECK(reorder(schedule, order));
    RX_TRY(fused, fuse(schedule, places));
    RX_TRY(parts, split(schedule, fused, {0, threads}));
    RX_CHECK(bindTo(schedule, parts[0], "blockIdx.x"));
    RX_CHECK(bindTo(schedule, parts[1], "threadIdx.x"));
    if (!reduced.empty()) reductions.push_back({info.block, reduced.front()});
  }
  for (const auto& [block, loop] : reductions) RX_CHECK(decomposeReduction(schedule, block, loop));
  return applied(schedule);
}

}  // namespace rx::schedule
