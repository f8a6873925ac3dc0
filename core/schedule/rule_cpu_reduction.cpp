// cpu.Reduction: softmax, norms and the like. The places that all blocks share run in parallel, what is made of each is
// vectorized, and reductions are taken in chunks of a vector.
#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"
#include "core/schedule/rules.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Bits of the widest vectors that processors of this architecture have.
int64_t widestVector(const target::Target& target) {
  if (const auto said = target.number("vector-width"); said && *said > 0) return *said;
  return target.processor().architecture == target::Architecture::X86_64 ? 512 : 128;
}

/// The innermost loop of the block; null where it has no more than one.
LoopRef innermost(const Schedule& schedule, BlockRef block) {
  const std::vector<LoopRef> loops = schedule.loops(block);
  return loops.size() > 1 ? loops.back() : nullptr;
}

Result<Unit> vectorized(Schedule& schedule, BlockRef block, int64_t lanes) {
  const LoopRef loop = innermost(schedule, block);
  if (!loop || extentOf(schedule, loop) == 1) return Unit{};
  return vectorizeInner(schedule, loop, lanes);
}

Result<Unit> chunked(Schedule& schedule, BlockRef block, int64_t lanes) {
  const LoopRef loop = innermost(schedule, block);
  const auto extent = loop ? extentOf(schedule, loop) : std::nullopt;
  if (!loop || (extent && *extent <= lanes)) return Unit{};
  RX_TRY(parts, split(schedule, loop, {0, lanes}));
  return unrollUpTo(schedule, parts[1], lanes);
}

std::string_view whyNot(const std::vector<BlockInfo>& blocks) {
  if (blocks.size() < 2) return "it has only one block";
  if (std::all_of(blocks.begin(), blocks.end(), [](const BlockInfo& info) { return info.isInjective(); })) {
    return "no block reduces";
  }
  if (!blocks.back().isInjective()) return "the last block reduces";
  const bool led = std::all_of(blocks.begin(), blocks.end(), [](const BlockInfo& info) {
    return !info.axes.empty() && info.axes.front().kind == 'S';
  });
  return led ? std::string_view() : "a block does not begin with a data-parallel axis";
}

}  // namespace

Result<Outcome> cpuReduction(const RuleInput& input) {
  RX_TRY(schedule, Schedule::of(input.kernel));
  const auto blocks = normalizedBlocks(schedule);
  if (!blocks) return notApplied("the axes of a block are not the loops around it");
  if (const std::string_view why = whyNot(*blocks); !why.empty()) return notApplied(std::string(why));
  size_t shared = std::string::npos;
  for (const BlockInfo& info : *blocks) {
    const std::string kinds = info.kinds();
    shared = std::min({shared, kinds.find_first_not_of('S'), kinds.size()});
  }
  const BlockRef last = blocks->back().block;
  const auto& writes = schedule.get(last)->writes;
  const int64_t bits = writes.empty() ? 32 : writes[0]->buffer->dtype.bits;
  const int64_t lanes = std::max<int64_t>(widestVector(input.target) / bits, 2);

  const std::vector<LoopRef> loops = schedule.loops(last);
  LoopRef places = loops.front();
  if (shared > 1) {
    RX_TRY(fused, fuse(schedule, std::span(loops).first(shared)));
    places = fused;
  }
  RX_CHECK(parallel(schedule, places));
  RX_CHECK(vectorized(schedule, last, lanes));
  for (size_t i = blocks->size() - 1; i-- > 0;) RX_CHECK(computeAt(schedule, (*blocks)[i].block, places, true));
  for (size_t i = 0; i + 1 < blocks->size(); ++i) {
    const BlockInfo& info = (*blocks)[i];
    RX_CHECK(info.isInjective() ? vectorized(schedule, info.block, lanes) : chunked(schedule, info.block, lanes));
  }
  return applied(schedule);
}

}  // namespace rx::schedule
