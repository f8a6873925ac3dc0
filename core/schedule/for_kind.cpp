// bind, parallel, vectorize, unroll: how the steps of a loop run.
#include <fmt/format.h>

#include "core/ir/all_nodes.h"
#include "core/lower/loop_bindings.h"
#include "core/lower/statements.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/loop_checks.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Why steps of the loop can not run side by side in the blocks in it; empty where they can. Threads of one block may
/// reduce together.
std::string whySerial(const Path& path, std::string_view threadAxis) {
  const auto* loop = as<For>(path.back());
  for (const auto& realize : blocksBelow(loop->body)) {
    const Block& block = *realize->block;
    for (size_t i = 0; i < block.iterVars.size(); ++i) {
      if (!lower::uses(realize->iterValues[i], loop->loopVar.get())) continue;
      const IterType type = block.iterVars[i]->iterType;
      if (type == IterType::DataPar || (type == IterType::CommReduce && threadAxis.starts_with("threadIdx"))) continue;
      return fmt::format("the block {} has an axis along it that is not data-parallel", block.name.view());
    }
  }
  return {};
}

Result<Unit> sideBySide(Schedule& schedule, std::string_view primitive, const LoopRef& loop, ForKind kind) {
  RX_TRY(path, loopPath(schedule, primitive, loop));
  if (const std::string why = whySerial(path, {}); !why.empty()) return refuse(primitive, loop->name.view(), why);
  const Ref<For> made = changed(*as<For>(path.back()), [&](For& copy) {
    copy.forKind = kind;
    copy.threadBinding = nullptr;
  });
  schedule.replace(path.back(), made);
  return Unit{};
}

constexpr std::string_view kThreadAxes[] = {"blockIdx.x",  "blockIdx.y", "blockIdx.z", "threadIdx.x", "threadIdx.y",
                                            "threadIdx.z", "vthread.x",  "vthread.y",  "vthread.z"};

}  // namespace

Result<Unit> bare::bindTo(Schedule& schedule, const LoopRef& loop, std::string_view threadAxis) {
  RX_TRY(path, loopPath(schedule, "bind", loop));
  if (std::find(std::begin(kThreadAxes), std::end(kThreadAxes), threadAxis) == std::end(kThreadAxes)) {
    return refuse("bind", loop->name.view(), fmt::format("there is no thread axis {}", threadAxis));
  }
  if (const std::string why = whySerial(path, threadAxis); !why.empty()) {
    return refuse("bind", loop->name.view(), why);
  }
  schedule.replace(path.back(), lower::boundTo(*as<For>(path.back()), threadAxis));
  return Unit{};
}

Result<Unit> bare::parallel(Schedule& schedule, const LoopRef& loop) {
  return sideBySide(schedule, "parallel", loop, ForKind::Parallel);
}

Result<Unit> bare::vectorize(Schedule& schedule, const LoopRef& loop) {
  return sideBySide(schedule, "vectorize", loop, ForKind::Vectorized);
}

Result<Unit> bare::unroll(Schedule& schedule, const LoopRef& loop) {
  RX_TRY(path, loopPath(schedule, "unroll", loop));
  schedule.replace(path.back(), changed(*as<For>(path.back()), [](For& copy) {
                     copy.forKind = ForKind::Unrolled;
                     copy.threadBinding = nullptr;
                   }));
  return Unit{};
}

}  // namespace rx::schedule
