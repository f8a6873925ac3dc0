// gpu.Permutation: elements in another order, with what is made of each on the way, where neighbours in the result are
// none in what is read. A group of threads brings a tile of both axes to shared memory in the order of the one, and
// takes it from there in the order of the other.
#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"
#include "core/schedule/rules.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// A tile has as many elements along both axes; so many rows of it are moved at a time.
constexpr int64_t kTile = 32, kRows = 8;
/// Shorter axes are read well enough by threads beside each other.
constexpr int64_t kLeast = 8;

/// A read whose neighbours lie along another axis than those of the result.
struct Turned {
  size_t read = 0;       ///< among the reads of the block
  size_t column = 0;     ///< the dimension of what is read in which the result has neighbours
  size_t inner = 0;      ///< the axis of the block along which neighbours are read
  size_t neighbour = 0;  ///< and along which they are written
};

std::optional<size_t> axisOf(const Block& block, const PrimExpr& index) {
  for (size_t i = 0; i < block.iterVars.size(); ++i)
    if (index == block.iterVars[i]->var) return i;
  return std::nullopt;
}

/// The only element of each buffer that the block reads; null where there are several.
std::vector<const BufferLoad*> onlyLoads(const Block& block) {
  std::vector<const BufferLoad*> found(block.reads.size(), nullptr);
  std::vector<size_t> count(block.reads.size(), 0);
  walk(*block.body, Into::Parts, [&](const Node& node) {
    const auto* load = as<BufferLoad>(&node);
    for (size_t i = 0; load && i < block.reads.size(); ++i) {
      if (block.reads[i]->buffer != load->buffer) continue;
      found[i] = count[i]++ == 0 ? load : nullptr;
    }
    return true;
  });
  return found;
}

std::optional<Turned> turnedRead(const Block& block) {
  const auto* store = as<BufferStore>(block.body);
  const auto to = store && !store->indices.empty() ? axisOf(block, store->indices.back()) : std::nullopt;
  if (!to) return std::nullopt;
  const std::vector<const BufferLoad*> loads = onlyLoads(block);
  for (size_t i = 0; i < loads.size(); ++i) {
    if (!loads[i] || loads[i]->indices.size() < 2) continue;
    const auto& indices = loads[i]->indices;
    const auto from = axisOf(block, indices.back());
    const auto column = std::ranges::find(indices, PrimExpr(block.iterVars[*to]->var));
    const bool plain =
        std::ranges::all_of(indices, [&](const PrimExpr& index) { return axisOf(block, index).has_value(); });
    if (!plain || !from || *from == *to || column == indices.end()) continue;
    return Turned{i, static_cast<size_t>(column - indices.begin()), *from, *to};
  }
  return std::nullopt;
}

Result<Unit> tiled(Schedule& schedule, BlockRef block, const Turned& turned) {
  std::vector<LoopRef> order = schedule.loops(block);
  const LoopRef inner = order[turned.inner], neighbour = order[turned.neighbour];
  std::erase_if(order, [&](const LoopRef& loop) { return loop == inner || loop == neighbour; });
  RX_TRY(rows, split(schedule, inner, {0, kTile / kRows, kRows}));
  RX_TRY(columns, split(schedule, neighbour, {0, kTile}));
  order.insert(order.end(), {rows[0], columns[0]});
  const size_t outer = order.size();
  order.insert(order.end(), {rows[1], rows[2], columns[1]});
  RX_CHECK(reorder(schedule, order));
  RX_TRY(tiles, fuse(schedule, std::span(order).first(outer)));
  RX_CHECK(bindTo(schedule, tiles, "blockIdx.x"));
  RX_CHECK(bindTo(schedule, rows[2], "threadIdx.y"));
  RX_CHECK(bindTo(schedule, columns[1], "threadIdx.x"));

  RX_TRY(copy, cacheRead(schedule, block, turned.read, "shared"));
  RX_CHECK(computeAt(schedule, copy, tiles, true));
  const std::vector<LoopRef> own = schedule.loops(copy);
  RX_TRY(fused, fuse(schedule, std::span(own).subspan(1)));
  RX_TRY(parts, split(schedule, fused, {0, kRows, kTile}));
  RX_CHECK(bindTo(schedule, parts[1], "threadIdx.y"));
  RX_CHECK(bindTo(schedule, parts[2], "threadIdx.x"));
  return storageAlign(schedule, copy, 0, static_cast<int64_t>(turned.column), kTile, 1);
}

}  // namespace

Result<Outcome> gpuPermutation(const RuleInput& input) {
  RX_TRY(schedule, Schedule::of(input.kernel));
  if (maxThreadsPerBlock(input.target) < kTile * kRows) return notApplied("the device has too few threads in a group");
  auto all = normalizedBlocks(schedule);
  if (!all) return notApplied("the axes of a block are not the loops around it");
  const std::vector<BlockInfo> blocks = tryInline(schedule, std::move(*all));
  if (blocks.size() != 1 || !blocks.front().isInjective()) return notApplied("it is more than one element at a time");
  const BlockRef block = blocks.front().block;
  const auto turned = turnedRead(*schedule.get(block));
  if (!turned) return notApplied("what it reads lies in the order of what it writes");
  for (const size_t axis : {turned->inner, turned->neighbour}) {
    const auto extent = asInt(blocks.front().axes[axis].extent);
    if (extent && *extent < kLeast) return notApplied("an axis that it turns is short");
  }
  RX_CHECK(tiled(schedule, block, *turned));
  return applied(schedule);
}

}  // namespace rx::schedule
