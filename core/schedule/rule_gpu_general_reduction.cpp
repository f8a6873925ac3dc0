// gpu.GeneralReduction: reductions one after the other and what is made of them, as in softmax and norms. The places
// that they share are blocks of threads; each block of threads walks through the rest.
#include <algorithm>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/loop_nest.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"
#include "core/schedule/rules.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Threads, and steps that are unrolled, by the kind of the target.
struct Shape {
  std::string_view kind;
  int64_t threads, unrolled;
};
constexpr Shape kShapes[] = {{"cuda", 256, 256}, {"opencl", 256, 64}, {"", 64, 64}};

const Shape& shapeFor(const target::Target& target) {
  return *std::find_if(std::begin(kShapes), std::end(kShapes),
                       [&](const Shape& shape) { return shape.kind == target.kind() || shape.kind.empty(); });
}

/// Axes for the last block that match those of the first in order; axes of one step where it has none.
Ref<IndexMap> alignedAxes(const BlockInfo& first, const BlockInfo& last) {
  std::vector<VarRef> from;
  for (const AxisInfo& axis : last.axes) from.push_back(lower::renamed(*axis.var, ""));
  const PrimExpr zero = arith::constantInt(from.front()->dtype, 0);
  arith::Analyzer analyzer;
  std::vector<PrimExpr> to;
  size_t matched = 0;
  for (const AxisInfo& axis : first.axes) {
    const bool same = matched < from.size() && analyzer.canProveEqual(axis.extent, last.axes[matched].extent);
    to.push_back(same ? PrimExpr(from[matched]) : zero);
    matched += same;
  }
  if (matched < from.size()) {
    to.assign(first.axes.size() - from.size(), zero);
    to.insert(to.end(), from.begin(), from.end());
  }
  return make<IndexMap>(Array<VarRef>(std::move(from)), Array<PrimExpr>(std::move(to)));
}

/// Every block in one thread, where the last one has no axes.
Result<Outcome> inOneThread(Schedule& schedule, const std::vector<BlockInfo>& blocks) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    RX_TRY(unit, addUnitLoop(schedule, blocks[i].block));
    RX_CHECK(bindTo(schedule, unit, i == 0 ? "blockIdx.x" : "threadIdx.x"));
  }
  return applied(schedule);
}

/// Puts the loops of the last block first that walk over what the other blocks have reduced.
Result<Unit> reducedFirst(Schedule& schedule, const std::vector<BlockInfo>& blocks) {
  const BlockRef last = blocks.back().block;
  const Ref<BlockRealize> realize = schedule.realize(last);
  std::unordered_set<const Var*> used;
  for (size_t i = 0; i + 1 < blocks.size(); ++i) {
    for (const auto& write : schedule.get(blocks[i].block)->writes) {
      const BufferRegion* read = regionOf(realize->block->reads, *write->buffer);
      if (read) used.merge(varsOf(read->region));
    }
  }
  std::vector<LoopRef> shared, others;
  const std::vector<LoopRef> loops = schedule.loops(last);
  for (size_t i = 0; i < loops.size(); ++i) {
    const bool walks = i < realize->block->iterVars.size() && used.contains(realize->block->iterVars[i]->var.get());
    (walks || extentOf(schedule, loops[i]) == 1 ? shared : others).push_back(loops[i]);
  }
  shared.insert(shared.end(), others.begin(), others.end());
  return reorder(schedule, shared);
}

/// Threads beside one another along the loop, which they walk through together.
Result<Unit> dealt(Schedule& schedule, const LoopRef& loop, const Shape& shape) {
  RX_TRY(parts, split(schedule, loop, {0, shape.threads}));
  RX_CHECK(reorder(schedule, std::array{parts[1], parts[0]}));
  RX_CHECK(bindTo(schedule, parts[1], "threadIdx.x"));
  return unrollUpTo(schedule, parts[0], shape.unrolled);
}

std::string whyNot(const std::vector<BlockInfo>& blocks, size_t leading, size_t trailing) {
  const std::string kinds = blocks.front().kinds();
  if (trailing == 0) return "the last axes of the first block are not reduced";
  if (leading == 0) return "the first axes of the first block are reduced";
  for (size_t i = 1; i + 1 < blocks.size(); ++i) {
    if (blocks[i].kinds() != kinds) return "blocks have other axes than the first";
  }
  if (!blocks.back().isInjective()) return "the last block reduces";
  if (blocks.back().axes.size() > kinds.size()) return "the last block has more axes than the first";
  return {};
}

}  // namespace

Result<Outcome> gpuGeneralReduction(const RuleInput& input) {
  const Shape& shape = shapeFor(input.target);
  RX_TRY(schedule, Schedule::of(input.kernel));
  const auto normalized = normalizedBlocks(schedule);
  if (!normalized) return notApplied("the axes of a block are not the loops around it");
  const std::vector<BlockInfo> blocks = tryInlineContiguousSpatial(schedule, *normalized);
  if (blocks.empty()) return notApplied("it has no blocks");
  const std::string kinds = blocks.front().kinds();
  const size_t leading = std::min(kinds.find_first_not_of('S'), kinds.size());
  const size_t trailing = kinds.size() - (kinds.find_last_not_of('R') + 1);
  const BlockInfo& last = blocks.back();
  if (last.axes.size() < kinds.size()) {
    if (last.axes.empty()) return inOneThread(schedule, blocks);
    RX_CHECK(transformBlockLayout(schedule, last.block, *alignedAxes(blocks.front(), last)));
  }
  if (std::string why = whyNot(blocks, leading, trailing); !why.empty()) return notApplied(std::move(why));

  RX_CHECK(reducedFirst(schedule, blocks));
  const std::vector<LoopRef> loops = schedule.loops(last.block);
  if (loops.size() <= leading) return notApplied("the last block walks over no more than what the others share");
  RX_TRY(places, fuse(schedule, std::span(loops).first(leading)));
  RX_CHECK(dealt(schedule, loops.back(), shape));
  RX_CHECK(bindTo(schedule, places, "blockIdx.x"));
  for (size_t i = blocks.size() - 1; i-- > 0;) {
    const BlockRef block = blocks[i].block;
    const size_t count = schedule.get(block)->writes.size();
    for (size_t b = 0; b < count; ++b) RX_CHECK(setScope(schedule, block, b, "shared"));
    RX_CHECK(computeAt(schedule, block, places, true));
    const std::vector<LoopRef> own = schedule.loops(block);
    if (own.size() < trailing) return notApplied("a block has not as many loops as the first");
    RX_TRY(reduced, fuse(schedule, std::span(own).last(trailing)));
    RX_CHECK(dealt(schedule, reduced, shape));
  }
  return applied(schedule);
}

}  // namespace rx::schedule
