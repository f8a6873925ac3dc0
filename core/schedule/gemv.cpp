#include "core/schedule/gemv.h"

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// The buffers of a product that do not depend on all axes; empty where it is no product with a vector.
std::vector<BufferRef> vectorsOf(const Block& block) {
  if (block.reads.size() < 2 || block.writes.size() != 1 || !summand(block)) return {};
  const auto written = axesIn(block, *block.writes[0]);
  if (!written || written->empty()) return {};
  std::vector<BufferRef> vectors;
  for (const auto& read : block.reads) {
    const auto axes = axesIn(block, *read);
    if (!axes) return {};
    if (!axes->empty() && axes->size() < block.iterVars.size()) vectors.push_back(read->buffer);
  }
  return vectors.size() < block.reads.size() ? vectors : std::vector<BufferRef>();
}

/// Whether every buffer that the block uses depends on the axis.
bool isBatch(const Block& block, const Var* axis) {
  auto depends = [&](const auto& region) {
    const auto axes = axesIn(block, *region);
    return axes && axes->contains(axis);
  };
  return std::all_of(block.writes.begin(), block.writes.end(), depends) &&
         std::all_of(block.reads.begin(), block.reads.end(), depends);
}

bool hasAxis(const PrimExpr& expr, const Block& block) {
  for (const VarRef& var : arith::freeVars(expr)) {
    for (const auto& axis : block.iterVars) {
      if (axis->var == var) return true;
    }
  }
  return false;
}

}  // namespace

GemvFinding findGemv(Schedule& schedule) {
  const auto normalized = normalizedBlocks(schedule);
  if (!normalized) return {std::nullopt, "the axes of a block are not the loops around it"};
  const std::vector<BlockInfo> blocks = tryInlineContiguousSpatial(schedule, *normalized);
  if (blocks.empty() || blocks.size() > 2) return {std::nullopt, "it is not one block with an epilogue"};
  if (blocks.size() == 2 && !blocks[1].isInjective()) return {std::nullopt, "the block behind the first reduces"};
  const BlockInfo& main = blocks.front();
  if (main.axes.size() != 2 && main.axes.size() != 3) return {std::nullopt, "its block has not two or three axes"};
  if (!main.isReduction) return {std::nullopt, "its block is no reduction"};
  std::vector<BufferRef> vectors = vectorsOf(*schedule.get(main.block));
  if (vectors.empty()) return {std::nullopt, "it is no product of a matrix and a vector"};
  GemvKernel kernel{main, std::nullopt, std::move(vectors)};
  if (blocks.size() == 2) kernel.epilogue = blocks[1];
  return {std::move(kernel), {}};
}

Result<std::optional<bool>> normalizeGemv(Schedule& schedule, const BlockInfo& main) {
  using Found = std::optional<bool>;
  const Ref<Block> block = schedule.get(main.block);
  const auto access = dominantRead(*block);
  if (!access || access->args.empty() || hasAxis(access->base, *block)) return Found();
  std::vector<LoopRef> batches, places, sums, groups;
  bool innerSum = false;
  for (const arith::IterSplit& piece : access->args) {
    const auto* var = as<Var>(piece.source->plain);
    const auto axis =
        std::find_if(main.axes.begin(), main.axes.end(), [&](const AxisInfo& a) { return a.var.get() == var; });
    if (axis == main.axes.end()) return Found();
    LoopRef loop = axis->loop;
    innerSum = axis->kind == 'R';
    if (!arith::isOne(piece.lower)) {
      if (!groups.empty() || !innerSum) return Found();
      RX_TRY(parts, split(schedule, loop, std::vector<PrimExpr>{nullptr, piece.lower}));
      loop = parts[0];
      groups.push_back(parts[1]);
    }
    (innerSum ? sums : isBatch(*block, var) ? batches : places).push_back(loop);
  }
  if (places.empty() || sums.empty()) return Found();
  for (std::vector<LoopRef>* loops : {&groups, &batches}) {
    if (!loops->empty()) continue;
    RX_TRY(unit, addUnitLoop(schedule, main.block));
    loops->push_back(unit);
  }
  std::vector<LoopRef> order = batches;
  for (const std::vector<LoopRef>* loops : {&places, &sums, &groups}) {
    order.insert(order.end(), loops->begin(), loops->end());
  }
  RX_CHECK(reorder(schedule, order));
  for (const std::vector<LoopRef>* loops : {&batches, &places, &sums}) RX_CHECK(fuse(schedule, *loops));
  return Found(innerSum);
}

}  // namespace rx::schedule
