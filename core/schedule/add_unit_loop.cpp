// add_unit_loop: a loop of one step around a block.
#include "core/ir/all_nodes.h"
#include "core/lower/loop_nest.h"
#include "core/schedule/loop_checks.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

Result<LoopRef> bare::addUnitLoop(Schedule& schedule, BlockRef block) {
  RX_TRY(path, blockPath(schedule, "add_unit_loop", block));
  if (path.size() < 2) return refuse("add_unit_loop", schedule.name(block), "it is the block of the kernel itself");
  const auto unit = make<Var>(Str("u"), DataType::Int(32));
  schedule.replace(path.back(), lower::loopOver(unit, intImm(1, DataType::Int(32)), ForKind::Serial, path.back()));
  return unit;
}

}  // namespace rx::schedule
