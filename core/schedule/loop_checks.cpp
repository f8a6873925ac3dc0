#include "core/schedule/loop_checks.h"

#include <fmt/format.h>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/thread_scope.h"
#include "core/support/nearest.h"

namespace rx::schedule {

using namespace tir;

Result<Path> loopPath(const Schedule& schedule, std::string_view primitive, const LoopRef& loop) {
  Path path = schedule.pathTo(loop);
  if (path.empty()) return refuse(primitive, loop->name.view(), "the kernel has no such loop any more");
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
  if (path.empty()) return refuse(primitive, schedule.name(block), "the kernel has no such block any more");
  return path;
}

Result<Unit> checkMemory(std::string_view primitive, std::string_view block, std::string_view scope) {
  if (lower::isStorageScope(scope)) return Unit{};
  Failure said = refuse(primitive, block, fmt::format("there is no memory '{}'", scope));
  Nearest nearest(scope);
  for (const std::string_view name : lower::storageScopes()) nearest.offer(name);
  said.diagnostics.front().fix = nearest.fix();
  return said;
}

}  // namespace rx::schedule
