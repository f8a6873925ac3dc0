// gpu.RowReduction: one reduction of any kind (sums, maxima, the place of the largest) whose steps lie beside each
// other in memory. A group of threads has one place: each takes its share of the steps, then the threads reduce
// together.
#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"
#include "core/schedule/rules.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Fewer steps are quicker in one thread than shared.
constexpr int64_t kLeast = 32;
constexpr int64_t kMostThreads = 256, kUnrolled = 16;

/// Why its steps are not shared; empty where they are.
std::string whyNot(const Schedule& schedule, const BlockInfo& info) {
  if (!info.isReduction || info.kinds().find('R') == std::string::npos) return "its block is no reduction";
  if (info.kinds().find('O') != std::string::npos) return "its block has an axis that is neither a place nor a step";
  const auto access = dominantRead(*schedule.get(info.block));
  if (!access || access->args.empty() || !arith::isOne(access->args.back().scale)) return "what it reads is no matrix";
  const auto inner = std::ranges::find_if(
      info.axes, [&](const AxisInfo& axis) { return axis.var == access->args.back().source->plain; });
  if (inner == info.axes.end() || inner->kind != 'R') return "its steps do not lie beside each other";
  int64_t steps = 1;
  for (const AxisInfo& axis : info.axes) {
    if (axis.kind != 'R') continue;
    const auto extent = asInt(axis.extent);
    if (!extent) return {};
    steps *= *extent;
  }
  return steps < kLeast ? "its steps are too few to be shared" : "";
}

std::vector<LoopRef> loopsOf(const BlockInfo& info, char kind) {
  std::vector<LoopRef> loops;
  for (const AxisInfo& axis : info.axes)
    if (axis.kind == kind) loops.push_back(axis.loop);
  return loops;
}

/// What is made of the result, by the threads of its place.
Result<Unit> followed(Schedule& schedule, BlockRef block, BlockRef epilogue, const LoopRef& places, int64_t threads) {
  RX_CHECK(reverseComputeAt(schedule, epilogue, places, true));
  const bool broadcast = isBroadcastEpilogue(schedule, block, epilogue);
  for (size_t i = 0; i < schedule.get(block)->writes.size(); ++i)
    RX_CHECK(setScope(schedule, block, i, broadcast ? "shared" : "local"));
  if (!broadcast) return Unit{};
  const std::vector<LoopRef> loops = schedule.loops(epilogue);
  RX_TRY(rest, fuse(schedule, std::span(loops).subspan(1)));
  RX_TRY(shares, split(schedule, rest, {0, threads}));
  return bindTo(schedule, shares[1], "threadIdx.x");
}

}  // namespace

Result<Outcome> gpuRowReduction(const RuleInput& input) {
  RX_TRY(schedule, Schedule::of(input.kernel));
  const auto all = normalizedBlocks(schedule);
  if (!all) return notApplied("the axes of a block are not the loops around it");
  const std::vector<BlockInfo> blocks = tryInlineContiguousSpatial(schedule, *all);
  if (blocks.empty() || blocks.size() > 2) return notApplied("it is not one block with an epilogue");
  if (blocks.size() == 2 && !blocks[1].isInjective()) return notApplied("the block behind the first reduces");
  const BlockInfo& info = blocks.front();
  if (std::string why = whyNot(schedule, info); !why.empty()) return notApplied(std::move(why));

  std::vector<LoopRef> order = loopsOf(info, 'S');
  const size_t spatial = order.size();
  const std::vector<LoopRef> steps = loopsOf(info, 'R');
  order.insert(order.end(), steps.begin(), steps.end());
  RX_CHECK(reorder(schedule, order));
  RX_TRY(places, fuse(schedule, std::span(order).first(spatial)));
  RX_TRY(shared, fuse(schedule, steps));
  const PrimExpr extent = schedule.get(shared)->extent;
  const int64_t threads = std::min(kMostThreads, suggestedThreads(input.target, std::array{extent}).front());
  RX_TRY(parts, split(schedule, shared, {0, threads}));
  RX_CHECK(reorder(schedule, std::array{parts[1], parts[0]}));
  RX_CHECK(bindTo(schedule, places, "blockIdx.x"));
  RX_CHECK(bindTo(schedule, parts[1], "threadIdx.x"));
  RX_CHECK(unrollUpTo(schedule, parts[0], kUnrolled));
  if (blocks.size() == 2) RX_CHECK(followed(schedule, info.block, blocks[1].block, places, threads));
  return applied(schedule);
}

}  // namespace rx::schedule
