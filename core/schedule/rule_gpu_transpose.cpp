// gpu.Transpose: two axes change places. A block of threads reads a tile along one axis and writes it along the other.
#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"
#include "core/schedule/rules.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Threads of a block along the two axes, and steps that are unrolled, by the kind of the target.
struct Shape {
  std::string_view kind;
  int64_t x, y, unrolled;
};
constexpr Shape kShapes[] = {{"cuda", 16, 8, 256}, {"opencl", 16, 8, 64}, {"", 8, 4, 64}};
constexpr int64_t kLanes = 4;
constexpr int64_t kBanks = 32;

/// Whether the block stores what it loads at the same indices in another order.
bool isTranspose(const Block& block) {
  const auto* store = as<BufferStore>(block.body);
  const auto* load = store ? as<BufferLoad>(store->value) : nullptr;
  if (!load || arith::sameExprs(store->indices, load->indices)) return false;
  auto within = [](const Array<PrimExpr>& all, const Array<PrimExpr>& others) {
    return std::all_of(all.begin(), all.end(), [&](const PrimExpr& index) {
      return std::any_of(others.begin(), others.end(), [&](const PrimExpr& o) { return arith::sameExpr(o, index); });
    });
  };
  return within(store->indices, load->indices) && within(load->indices, store->indices);
}

/// How many places of the matrix one value holds that the block before it takes apart; 1 where there is none.
int64_t packedPlaces(const Schedule& schedule, const std::optional<BlockRef>& prologue) {
  if (!prologue) return 1;
  const auto access = dominantRead(*schedule.get(*prologue));
  return access && !access->args.empty() ? asInt(access->args.front().lower).value_or(1) : 1;
}

Result<Unit> tiled(Schedule& schedule, BlockRef block, const std::optional<BlockRef>& prologue, const Shape& shape) {
  const int64_t packed = packedPlaces(schedule, prologue), lanes = std::min(kLanes, packed);
  const std::vector<LoopRef> loops = schedule.loops(block);
  RX_TRY(rows, split(schedule, loops[0], {0, packed}));
  RX_TRY(high, split(schedule, rows[0], {0, shape.y}));
  RX_TRY(wide, split(schedule, loops[1], {0, shape.x}));
  RX_CHECK(reorder(schedule, std::array{high[0], wide[0], high[1], wide[1], rows[1]}));
  RX_CHECK(bindTo(schedule, high[0], "blockIdx.y"));
  RX_CHECK(bindTo(schedule, wide[0], "blockIdx.x"));
  RX_CHECK(bindTo(schedule, high[1], "threadIdx.y"));
  RX_CHECK(bindTo(schedule, wide[1], "threadIdx.x"));
  RX_TRY(vectors, split(schedule, rows[1], {0, lanes}));
  if (lanes > 1) RX_CHECK(vectorize(schedule, vectors[1]));

  RX_TRY(copy, cacheRead(schedule, block, 0, "shared"));
  RX_CHECK(computeAt(schedule, copy, wide[0], false));
  const std::vector<LoopRef> own = schedule.loops(copy);
  RX_TRY(fused, fuse(schedule, std::span(own).subspan(2)));
  RX_TRY(parts, split(schedule, fused, {0, shape.y, shape.x, packed}));
  RX_CHECK(bindTo(schedule, parts[1], "threadIdx.y"));
  RX_CHECK(bindTo(schedule, parts[2], "threadIdx.x"));
  RX_CHECK(unroll(schedule, parts[3]));
  RX_CHECK(storageAlign(schedule, copy, 0, 0, kBanks, 1));
  return unrollUpTo(schedule, high[0], shape.unrolled);
}

}  // namespace

Result<Outcome> gpuTranspose(const RuleInput& input) {
  RX_TRY(schedule, Schedule::of(input.kernel));
  const auto blocks = normalizedBlocks(schedule);
  if (!blocks) return notApplied("the axes of a block are not the loops around it");
  size_t at = blocks->size();
  while (at > 0 && !isTranspose(*schedule.get((*blocks)[at - 1].block))) {
    if (!(*blocks)[--at].isInjective()) return notApplied("a block behind reduces");
  }
  if (at == 0) return notApplied("no block transposes");
  const BlockRef block = (*blocks)[at - 1].block;
  std::optional<BlockRef> prologue;
  if (at > 1) {
    prologue = (*blocks)[at - 2].block;
    const std::vector<BlockInfo> before(blocks->begin(), blocks->begin() + static_cast<std::ptrdiff_t>(at) - 2);
    if (!tryInlineContiguousSpatial(schedule, before).empty()) return notApplied("blocks before it can not be inlined");
  }
  if (schedule.loops(block).size() != 2) return notApplied("the block has not two axes");
  const Shape& shape = *std::find_if(std::begin(kShapes), std::end(kShapes),
                                     [&](const Shape& s) { return s.kind == input.target.kind() || s.kind.empty(); });
  RX_CHECK(tiled(schedule, block, prologue, shape));
  if (prologue) RX_CHECK(computeInline(schedule, *prologue));
  return applied(schedule);
}

}  // namespace rx::schedule
