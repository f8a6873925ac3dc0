// gpu.Reduction: one sum over some axes, in two steps: each thread sums a share of its own, then the threads of a block
// sum together.
#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"
#include "core/schedule/rules.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr int64_t kUnrolled = 256;
constexpr int64_t kThreadsEach = 16;  ///< along places and along sums, where places lie innermost

/// How the loops of the block were brought to places, sums and a group.
struct Form {
  bool innerSum = false;
  int64_t grouped = 0;        ///< places that lie together within one sum; 0 = none
  std::vector<size_t> order;  ///< of loops over places, by the order of the block's axes
  size_t groupedLoop = 0;     ///< which of them the group was split from
};

/// Nothing where the block does not read along whole axes.
Result<std::optional<Form>> normalized(Schedule& schedule, const BlockInfo& info) {
  using Found = std::optional<Form>;
  const auto access = dominantRead(*schedule.get(info.block));
  if (!access || !arith::isZero(access->base)) return Found();
  std::vector<const AxisInfo*> open;
  for (const AxisInfo& axis : info.axes) open.push_back(&axis);
  std::vector<LoopRef> places, sums, groups;
  LoopRef splitLoop;
  Form form;
  for (const arith::IterSplit& piece : access->args) {
    const auto axis =
        std::find_if(open.begin(), open.end(), [&](const AxisInfo* a) { return a->var == piece.source->plain; });
    if (axis == open.end()) return Found();
    LoopRef loop = (*axis)->loop;
    form.innerSum = (*axis)->kind == 'R';
    open.erase(axis);
    if (!arith::isOne(piece.lower)) {
      if (!groups.empty()) return Found();
      splitLoop = loop;
      form.groupedLoop = places.size();
      RX_TRY(parts, split(schedule, loop, std::vector<PrimExpr>{nullptr, piece.lower}));
      loop = parts[0];
      groups.push_back(parts[1]);
      if (!form.innerSum) form.grouped = asInt(piece.lower).value_or(0);
    }
    (form.innerSum ? sums : places).push_back(loop);
  }
  for (const AxisInfo* axis : open) {
    if (axis->kind != 'S' || !arith::isOne(axis->extent)) return Found();
    places.push_back(axis->loop);
  }
  size_t spatial = 0;
  for (const AxisInfo& axis : info.axes) {
    spatial += axis.kind == 'S';
    const auto at = std::find(places.begin(), places.end(), axis.loop);
    if (at != places.end()) form.order.push_back(static_cast<size_t>(at - places.begin()));
    if (at == places.end() && axis.loop == splitLoop) form.order.push_back(form.groupedLoop);
  }
  if (sums.empty() || places.empty() || places.size() != spatial) return Found();
  if (groups.empty()) {
    RX_TRY(unit, addUnitLoop(schedule, info.block));
    groups.push_back(unit);
  }
  std::vector<LoopRef> order = places;
  order.insert(order.end(), sums.begin(), sums.end());
  order.insert(order.end(), groups.begin(), groups.end());
  RX_CHECK(reorder(schedule, order));
  RX_CHECK(fuse(schedule, places));
  RX_CHECK(fuse(schedule, sums));
  return Found(std::move(form));
}

/// The loops over places that the second step has, as one; and the group, which may be null.
struct Places {
  LoopRef fused, group;
};
Result<Places> placesOf(Schedule& schedule, std::span<const LoopRef> loops, const Form& form) {
  if (form.grouped == 0) {
    RX_TRY(fused, fuse(schedule, loops));
    return Places{fused, nullptr};
  }
  if (loops.size() != form.order.size()) return refuse("reorder", "gpu.Reduction", "loops have vanished");
  std::vector<LoopRef> order;
  for (const size_t at : form.order) order.push_back(loops[at]);
  RX_CHECK(reorder(schedule, order));
  RX_TRY(parts, split(schedule, order[form.groupedLoop], {0, form.grouped}));
  order[form.groupedLoop] = parts[0];
  std::vector<LoopRef> all = order;
  all.push_back(parts[1]);
  RX_CHECK(reorder(schedule, all));
  RX_TRY(fused, fuse(schedule, order));
  return Places{fused, parts[1]};
}

Result<LoopRef> fusedInner(Schedule& schedule, BlockRef block) {
  const std::vector<LoopRef> loops = schedule.loops(block);
  return fuse(schedule, std::span(loops).subspan(1));
}

Result<Unit> innerReduction(Schedule& schedule, const target::Target& target, BlockRef block, const Form& form,
                            const std::optional<BlockInfo>& epilogue) {
  const LoopRef sums = schedule.loops(block)[1];
  const int64_t threads = suggestedThreads(target, std::array{schedule.get(sums)->extent}).front();
  RX_TRY(parts, split(schedule, sums, {0, threads}));
  RX_TRY(first, rfactor(schedule, parts[1], 0));
  const std::vector<LoopRef> loops = schedule.loops(first);  // places, steps, threads, group
  RX_CHECK(reorder(schedule, std::array{loops[0], loops[2], loops[1]}));
  RX_CHECK(bindTo(schedule, loops[0], "blockIdx.x"));
  RX_CHECK(bindTo(schedule, loops[2], "threadIdx.x"));
  RX_CHECK(unrollUpTo(schedule, loops[2], kUnrolled));
  RX_CHECK(setScope(schedule, first, 0, "local"));
  RX_CHECK(decomposeReduction(schedule, first, loops[1]));

  RX_CHECK(reverseComputeAt(schedule, block, loops[0], true));
  const std::vector<LoopRef> own = schedule.loops(block);
  RX_TRY(places, placesOf(schedule, std::span(own).subspan(2), form));
  std::vector<LoopRef> order{places.fused, own[1]};
  if (places.group) order.push_back(places.group);
  RX_CHECK(reorder(schedule, order));
  RX_CHECK(bindTo(schedule, own[1], "threadIdx.x"));
  if (!epilogue) return Unit{};

  RX_CHECK(reverseComputeAt(schedule, epilogue->block, loops[0], true));
  if (!isBroadcastEpilogue(schedule, block, epilogue->block)) return setScope(schedule, block, 0, "local");
  RX_CHECK(setScope(schedule, block, 0, "shared"));
  RX_TRY(rest, fusedInner(schedule, epilogue->block));
  RX_TRY(shares, split(schedule, rest, {0, threads}));
  return bindTo(schedule, shares[1], "threadIdx.x");
}

/// The most threads along places that leave none idle.
int64_t placeThreads(const BlockInfo& info) {
  std::optional<int64_t> last;
  for (const AxisInfo& axis : info.axes) {
    if (axis.kind == 'S') last = asInt(axis.extent);
  }
  int64_t threads = kThreadsEach;
  while (threads > 1 && !(last && *last % threads == 0)) --threads;
  return threads;
}

Result<Unit> innerPlaces(Schedule& schedule, const BlockInfo& info, const Form& form,
                         const std::optional<BlockInfo>& epilogue) {
  const BlockRef block = info.block;
  const int64_t threads = placeThreads(info);
  const std::vector<LoopRef> whole = schedule.loops(block);  // places, sums, group
  RX_CHECK(split(schedule, whole[0], {0, threads}));
  RX_TRY(parts, split(schedule, whole[1], {0, kThreadsEach}));
  RX_TRY(first, rfactor(schedule, parts[1], 0));
  const std::vector<LoopRef> loops = schedule.loops(first);  // blocks, places, steps, sums, group
  RX_CHECK(reorder(schedule, std::array{loops[0], loops[1], loops[3], loops[2]}));
  RX_CHECK(bindTo(schedule, loops[1], "threadIdx.x"));
  RX_CHECK(bindTo(schedule, loops[3], "threadIdx.y"));
  RX_CHECK(bindTo(schedule, loops[0], "blockIdx.x"));
  RX_CHECK(setScope(schedule, first, 0, "local"));
  RX_CHECK(decomposeReduction(schedule, first, loops[2]));

  RX_CHECK(reverseComputeAt(schedule, block, loops[0], true));
  const std::vector<LoopRef> own = schedule.loops(block);
  RX_TRY(places, placesOf(schedule, std::span(own).subspan(2), form));
  std::vector<LoopRef> order{places.fused};
  if (places.group) order.push_back(places.group);
  order.push_back(own[1]);
  RX_CHECK(reorder(schedule, order));
  RX_CHECK(bindTo(schedule, places.fused, "threadIdx.x"));
  RX_CHECK(bindTo(schedule, own[1], "threadIdx.y"));
  if (!epilogue) return Unit{};

  RX_CHECK(reverseComputeAt(schedule, epilogue->block, loops[0], true));
  if (isBroadcastEpilogue(schedule, block, epilogue->block)) {
    RX_CHECK(setScope(schedule, block, 0, "shared"));
    RX_TRY(rest, fusedInner(schedule, epilogue->block));
    RX_TRY(shares, split(schedule, rest, {0, threads, kThreadsEach}));
    RX_CHECK(bindTo(schedule, shares[1], "threadIdx.x"));
    return bindTo(schedule, shares[2], "threadIdx.y");
  }
  RX_CHECK(setScope(schedule, block, 0, "local"));
  RX_TRY(rest, fusedInner(schedule, epilogue->block));
  RX_TRY(shares, split(schedule, rest, {threads, 0}));
  return bindTo(schedule, shares[0], "threadIdx.x");
}

}  // namespace

Result<Outcome> gpuReduction(const RuleInput& input) {
  RX_TRY(schedule, Schedule::of(input.kernel));
  const auto all = normalizedBlocks(schedule);
  if (!all) return notApplied("the axes of a block are not the loops around it");
  const std::vector<BlockInfo> blocks = tryInlineContiguousSpatial(schedule, *all);
  if (blocks.empty() || blocks.size() > 2) return notApplied("it is not one block with an epilogue");
  std::optional<BlockInfo> epilogue;
  if (blocks.size() == 2) epilogue = blocks[1];
  if (epilogue && !epilogue->isInjective()) return notApplied("the block behind the first reduces");
  const BlockInfo& info = blocks.front();
  const Ref<Block> block = schedule.get(info.block);
  if (!info.isReduction || info.kinds().find('R') == std::string::npos) return notApplied("its block is no reduction");
  if (block->writes.size() != 1 || !summand(*block)) return notApplied("its block is not one sum");
  RX_TRY(form, normalized(schedule, info));
  if (!form) return notApplied("its block does not read along whole axes");
  if (form->innerSum) {
    RX_CHECK(innerReduction(schedule, input.target, info.block, *form, epilogue));
  } else {
    RX_CHECK(innerPlaces(schedule, info, *form, epilogue));
  }
  return applied(schedule);
}

}  // namespace rx::schedule
