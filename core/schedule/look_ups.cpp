// get_sblock, get_child_blocks, get_loops: how a trace names what others then change.
#include "core/schedule/loop_checks.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

Result<BlockRef> bare::getSblock(Schedule& schedule, std::string_view name) { return schedule.block(name); }

Result<std::vector<BlockRef>> bare::getChildBlocks(Schedule& schedule, BlockRef block) {
  RX_CHECK(blockPath(schedule, "get_child_blocks", block));
  return schedule.childBlocks(block);
}

Result<std::vector<LoopRef>> bare::getLoops(Schedule& schedule, BlockRef block) {
  RX_CHECK(blockPath(schedule, "get_loops", block));
  return schedule.loops(block);
}

}  // namespace rx::schedule
