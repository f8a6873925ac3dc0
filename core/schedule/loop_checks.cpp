#include "core/schedule/loop_checks.h"

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"

namespace rx::schedule {

using namespace tir;

Result<Path> loopPath(const Schedule& schedule, std::string_view primitive, const LoopRef& loop) {
  Path path = schedule.pathTo(loop);
  if (path.empty()) return refuse(primitive, loop->name.view(), "the kernel has no such loop");
  return path;
}

Result<Path> plainLoop(const Schedule& schedule, std::string_view primitive, const LoopRef& loop) {
  RX_TRY(path, loopPath(schedule, primitive, loop));
  const auto* found = as<For>(path.back());
  if (found->threadBinding) return refuse(primitive, loop->name.view(), "it is bound to threads");
  if (found->annotations && found->annotations->size() > 0) {
    return refuse(primitive, loop->name.view(), "it has annotations");
  }
  if (!arith::Analyzer().canProveEqual(found->min, arith::constantInt(found->min->dtype, 0))) {
    return refuse(primitive, loop->name.view(), "it does not begin with 0");
  }
  return path;
}

Result<Path> blockPath(const Schedule& schedule, std::string_view primitive, BlockRef block) {
  Path path = schedule.pathTo(block);
  if (path.empty()) return refuse(primitive, schedule.name(block), "the kernel has no such block");
  return path;
}

}  // namespace rx::schedule
