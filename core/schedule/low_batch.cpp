#include "core/schedule/low_batch.h"

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"

namespace rx::schedule {

using namespace tir;

namespace {

std::unordered_set<const Var*> knownAxes(const Block& block) {
  std::unordered_set<const Var*> known;
  for (const auto& axis : block.iterVars) {
    if (asInt(axis->dom->extent)) known.insert(axis->var.get());
  }
  return known;
}

bool isPoint(const BufferRegion& region) {
  return std::all_of(region.region.begin(), region.region.end(), [](const auto& range) {
    return arith::isOne(range->extent) && (isa<Var>(range->min) || isa<IntImm>(range->min));
  });
}

/// Whether the block sums products, all but one of its axes have known sizes, and some but not all of its operands lack
/// some of those.
bool isLowBatch(const BlockInfo& info, const Block& block) {
  if (!info.isReduction || block.reads.size() < 2 || block.writes.size() != 1 || !summand(block)) return false;
  if (!std::all_of(block.reads.begin(), block.reads.end(), [](const auto& r) { return isPoint(*r); })) return false;
  if (!isPoint(*block.writes[0]) || axesIn(block, *block.writes[0])->empty()) return false;
  const std::unordered_set<const Var*> known = knownAxes(block);
  if (block.iterVars.size() != known.size() + 1) return false;
  for (const auto& axis : block.iterVars) {
    if (!known.contains(axis->var.get()) && axis->iterType != IterType::DataPar) return false;
  }
  size_t vectors = 0;
  for (const auto& read : block.reads) {
    size_t used = 0;
    const auto axes = axesIn(block, *read);
    for (const Var* var : *axes) used += known.contains(var);
    vectors += used > 0 && used < known.size();
  }
  return vectors > 0 && vectors < block.reads.size();
}

bool names(std::string_view name, std::string_view part) { return name.find(part) != std::string_view::npos; }

}  // namespace

Result<LowBatchFinding> findLowBatch(Schedule& schedule, int64_t bucket) {
  auto none = [](std::string_view why) { return LowBatchFinding{std::nullopt, why}; };
  const auto first = normalizedBlocks(schedule);
  if (!first) return none("the axes of a block are not the loops around it");
  const auto reduction = std::find_if(first->begin(), first->end(), [](const BlockInfo& b) { return b.isReduction; });
  const auto count = std::count_if(first->begin(), first->end(), [](const BlockInfo& b) { return b.isReduction; });
  if (count != 1) return none("it has not one block that reduces");
  if (!isLowBatch(*reduction, *schedule.get(reduction->block))) return none("it is no product with a few vectors");
  std::vector<int64_t> padding;
  for (const AxisInfo& axis : reduction->axes) padding.push_back(asInt(axis.extent).value_or(bucket));
  RX_CHECK(padEinsum(schedule, reduction->block, padding));
  const auto padded = normalizedBlocks(schedule);
  if (!padded) return none("the axes of a block are not the loops around it");
  LowBatchKernel kernel;
  std::vector<BlockInfo> others;
  const BlockScope scope(*schedule.get(schedule.root()));
  for (const BlockInfo& info : *padded) {
    const std::string_view name = schedule.name(info.block);
    if (names(name, "dequantize")) {
      kernel.weights = info.block;
    } else if (names(name, "pad")) {
      if (scope.producers(*schedule.get(info.block)).empty()) kernel.padding = info.block;
    } else {
      others.push_back(info);
    }
  }
  const std::vector<BlockInfo> left = tryInlineContiguousSpatial(schedule, others);
  if (left.empty() || left.size() > 2) return none("it is not one block with an epilogue");
  if (left.size() == 2 && !left[1].isInjective()) return none("the block behind the first reduces");
  kernel.main = left.front();
  if (kernel.main.axes.size() != 2 && kernel.main.axes.size() != 3) return none("its block has not two or three axes");
  if (!isLowBatch(kernel.main, *schedule.get(kernel.main.block))) return none("it is no product with a few vectors");
  return LowBatchFinding{std::move(kernel), {}};
}

Result<std::optional<bool>> normalizeLowBatch(Schedule& schedule, const BlockInfo& main) {
  using Found = std::optional<bool>;
  const Ref<Block> block = schedule.get(main.block);
  const std::unordered_set<const Var*> known = knownAxes(*block);
  const auto access = dominantRead(*block, &known);
  if (!access || access->args.empty()) return Found();
  auto isAxis = [&](const VarRef& var) {
    return std::any_of(main.axes.begin(), main.axes.end(), [&](const AxisInfo& axis) { return axis.var == var; });
  };
  const std::vector<VarRef> base = arith::freeVars(access->base);
  if (std::any_of(base.begin(), base.end(), isAxis)) return Found();
  std::vector<LoopRef> order, places, sums;
  for (const AxisInfo& axis : main.axes) {
    if (!known.contains(axis.var.get())) order.push_back(axis.loop);
  }
  bool innerSum = false;
  for (const arith::IterSplit& piece : access->args) {
    const auto axis = std::find_if(main.axes.begin(), main.axes.end(),
                                   [&](const AxisInfo& a) { return a.var == piece.source->plain; });
    if (axis == main.axes.end()) return Found();
    innerSum = axis->kind == 'R';
    if (known.contains(axis->var.get())) (innerSum ? sums : places).push_back(axis->loop);
  }
  if (order.size() != 1 || places.empty() || sums.empty()) return Found();
  order.insert(order.end(), places.begin(), places.end());
  order.insert(order.end(), sums.begin(), sums.end());
  RX_CHECK(reorder(schedule, order));
  RX_CHECK(fuse(schedule, places));
  RX_CHECK(fuse(schedule, sums));
  return Found(innerSum);
}

}  // namespace rx::schedule
