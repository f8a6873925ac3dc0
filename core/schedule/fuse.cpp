// fuse: one loop for several.
#include "core/arith/equal.h"
#include "core/ir/all_nodes.h"
#include "core/lower/loop_bindings.h"
#include "core/lower/statements.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/loop_checks.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

Result<LoopRef> bare::fuse(Schedule& schedule, std::span<const LoopRef> loops) {
  if (loops.empty()) return refuse("fuse", "nothing", "there are no loops");
  std::vector<Ref<For>> nest;
  Path around;
  for (const LoopRef& loop : loops) {
    RX_TRY(path, plainLoop(schedule, "fuse", loop));
    const auto found = cast<For>(path.back());
    if (nest.empty()) {
      around = path;
      around.pop_back();
    } else if (nest.back()->body != found) {
      return refuse("fuse", loop->name.view(), "it is not all that the loop before it holds");
    }
    for (const Ref<For>& outer : nest) {
      if (lower::uses(found->extent, outer->loopVar.get())) {
        return refuse("fuse", loop->name.view(), "its extent depends on a loop around it");
      }
    }
    nest.push_back(found);
  }
  const Ref<For> fused = lower::fusedLoop(nest, loopsOf(around), lower::UnitIters::Keep);
  schedule.replace(nest.front(), fused);
  return fused->loopVar;
}

}  // namespace rx::schedule
