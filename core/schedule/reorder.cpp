// reorder: the loops of a nest in another order.
#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/lower/loop_nest.h"
#include "core/lower/statements.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/loop_checks.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Why the blocks in the loops do not bear another order; empty where they do.
std::string_view whyFixed(const Schedule& schedule, const Stmt& body, std::span<const Ref<For>> nest) {
  for (const auto& realize : blocksBelow(body)) {
    for (const auto& axis : realize->block->iterVars) {
      if (axis->iterType != IterType::DataPar && axis->iterType != IterType::CommReduce) {
        return "a block in it has axes that are neither data-parallel nor reduced";
      }
    }
    if (!schedule.isAffine(*realize->block) && !isAffine(*realize, nest)) {
      return "the axes of a block in it are no independent pieces of the loops";
    }
  }
  return {};
}

}  // namespace

Result<Unit> bare::reorder(Schedule& schedule, std::span<const LoopRef> loops) {
  if (loops.size() < 2) return Unit{};
  Path deepest;
  for (const LoopRef& loop : loops) {
    RX_TRY(path, loopPath(schedule, "reorder", loop));
    if (std::count(loops.begin(), loops.end(), loop) > 1) {
      return refuse("reorder", loop->name.view(), "it is named more than once");
    }
    if (path.size() > deepest.size()) deepest = std::move(path);
  }
  // The nest from the outermost of the loops to the innermost, and where it takes loops in the new order.
  const std::vector<Ref<For>> around = loopsInScope(deepest);
  auto named = [&](const Ref<For>& loop) {
    return std::find(loops.begin(), loops.end(), loop->loopVar) != loops.end();
  };
  const auto first = std::find_if(around.begin(), around.end(), named);
  const std::vector<Ref<For>> chain(first, around.end());
  if (static_cast<size_t>(std::count_if(chain.begin(), chain.end(), named)) != loops.size()) {
    return refuse("reorder", loops.front()->name.view(), "the loops are not in one nest");
  }
  for (size_t i = 1; i < chain.size(); ++i) {
    if (chain[i - 1]->body != chain[i]) {
      return refuse("reorder", chain[i - 1]->loopVar->name.view(), "it holds more than the next loop");
    }
  }
  const Stmt body = chain.back()->body;
  if (const std::string_view why = whyFixed(schedule, body, chain); !why.empty()) {
    return refuse("reorder", loops.front()->name.view(), why);
  }
  std::vector<Ref<For>> order;
  size_t next = 0;
  for (const Ref<For>& loop : chain) order.push_back(named(loop) ? schedule.get(loops[next++]) : loop);
  for (size_t i = 0; i < order.size(); ++i) {
    for (size_t j = i + 1; j < order.size(); ++j) {
      const Var* inner = order[j]->loopVar.get();
      if (lower::uses(order[i]->extent, inner) || lower::uses(order[i]->min, inner)) {
        return refuse("reorder", order[i]->loopVar->name.view(), "its range depends on a loop that would be inside");
      }
    }
  }
  schedule.replace(chain.front(), lower::inLoops(order, body));
  return Unit{};
}

}  // namespace rx::schedule
