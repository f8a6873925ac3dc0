// gpu.Attention: products whose rows are worked on as rows before they are multiplied again: scores, their softmax and
// what it weighs. A group of threads has a few rows; what is made of these on the way lies in shared memory, as a
// whole.
#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"
#include "core/schedule/rules.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr int64_t kThreads = 256, kMostRows = 8;
/// Of devices that do not say how much a group may have.
constexpr int64_t kSharedBytes = 48 * 1024;

/// A stage of the kernel, with the block that has its sums in registers where it adds up products.
struct RowStage {
  BlockRef block{};
  std::optional<BlockRef> sums;
};

struct Rows {
  std::vector<RowStage> stages;  ///< the last one stores the result
  size_t leading = 0;            ///< axes of places that all stages have: the last of them are the rows
};

size_t placesOf(const BlockInfo& info) {
  const std::string kinds = info.kinds();
  return std::min(kinds.find_first_not_of('S'), kinds.size());
}
bool reduces(const BlockInfo& info) { return !info.isInjective(); }

/// Buffers that follow from what is reduced.
class Reduced {
 public:
  void add(const Block& block, bool reduces) {
    const bool follows = reduces || reads(block);
    for (const auto& write : block.writes)
      if (follows) buffers_.insert(write->buffer.get());
  }
  bool reads(const Block& block) const {
    return std::ranges::any_of(block.reads, [&](const auto& read) { return buffers_.contains(read->buffer.get()); });
  }

 private:
  std::unordered_set<const Buffer*> buffers_;
};

/// Inlines all but the weights of the last product, which would be computed for each of its columns: what only leads to
/// products, and what stages before have made of rows.
void inlineOnTheWay(Schedule& schedule, std::vector<BlockInfo>& blocks) {
  const auto last = std::ranges::find_if(blocks.rbegin(), blocks.rend(), reduces);
  if (last == blocks.rend()) return;
  const BlockRef product = last->block;
  Reduced reduced;
  std::vector<BlockInfo> before, after;
  bool behind = false;
  for (const BlockInfo& info : blocks) {
    const Ref<Block> block = schedule.get(info.block);
    const bool follows = reduced.reads(*block);
    reduced.add(*block, reduces(info));
    behind = behind || info.block.id == product.id;
    if (behind) {
      after.push_back(info);
      continue;
    }
    const BufferRegion* weight = regionOf(schedule.get(product)->reads, *block->writes[0]->buffer);
    const bool stays = reduces(info) || (follows && weight);
    if (stays || !computeInline(schedule, info.block).ok()) before.push_back(info);
  }
  blocks = std::move(before);
  blocks.push_back(after.front());
  for (BlockInfo& info : tryInline(schedule, {after.begin() + 1, after.end()})) blocks.push_back(std::move(info));
}

/// The dimensions of a buffer that have more than one step, as the axes of blocks do.
std::vector<size_t> dimensionsOf(const Buffer& buffer) {
  std::vector<size_t> made;
  for (size_t i = 0; i < buffer.shape.size(); ++i)
    if (!arith::isOne(buffer.shape[i])) made.push_back(i);
  return made;
}

/// Whether the element that the block reads lies in its own row.
bool readsOwnRow(const Block& block, const BufferRegion& read, size_t leading) {
  const std::vector<size_t> dimensions = dimensionsOf(*read.buffer);
  for (size_t i = 0; i < leading; ++i) {
    if (i >= dimensions.size()) return false;
    const Range& range = *read.region[dimensions[i]];
    if (range.min != block.iterVars[i]->var || !arith::isOne(range.extent)) return false;
  }
  return true;
}

/// Lets the last stage have the rows in front, in the order of the others.
Result<Unit> rowsFirst(Schedule& schedule, BlockRef last, const Buffer& product, size_t leading) {
  const Ref<Block> block = schedule.get(last);
  const BufferRegion* read = regionOf(block->reads, product);
  if (!read) return refuse("reorder", schedule.name(last), "it does not read the product");
  const std::vector<size_t> dimensions = dimensionsOf(product);
  std::vector<size_t> order;
  for (size_t i = 0; i < leading && i < dimensions.size(); ++i) {
    const PrimExpr& place = read->region[dimensions[i]]->min;
    const auto axis = std::ranges::find_if(block->iterVars, [&](const auto& a) { return place == a->var; });
    if (axis == block->iterVars.end())
      return refuse("reorder", schedule.name(last), "it reads rows of the product in an order of its own");
    order.push_back(static_cast<size_t>(axis - block->iterVars.begin()));
  }
  const std::vector<LoopRef> loops = schedule.loops(last);
  std::vector<LoopRef> made;
  for (const size_t i : order) made.push_back(loops[i]);
  for (size_t i = 0; i < loops.size(); ++i)
    if (std::ranges::find(order, i) == order.end()) made.push_back(loops[i]);
  return reorder(schedule, made);
}

/// How many axes all the reductions have as places; nothing where one reduces some of its first axes.
std::optional<size_t> sharedPlaces(const std::vector<BlockInfo>& blocks) {
  size_t least = SIZE_MAX;
  for (const BlockInfo& info : blocks) {
    if (!reduces(info)) continue;
    if (!info.isReduction || info.kinds().find_first_not_of('R', placesOf(info)) != std::string::npos)
      return std::nullopt;
    least = std::min(least, placesOf(info));
  }
  return least;
}

bool isProduct(const BlockInfo& info, size_t leading) { return reduces(info) && placesOf(info) > leading; }

/// The last product, where it is one: behind it there is at most what stores it.
size_t lastOf(const std::vector<BlockInfo>& blocks) { return blocks.size() - (reduces(blocks.back()) ? 1 : 2); }

/// Why the kernel has other stages; empty where it has these.
std::string otherStages(const std::vector<BlockInfo>& blocks, size_t leading) {
  const auto product = [&](const BlockInfo& info) { return isProduct(info, leading); };
  if (leading == 0 || std::ranges::count_if(blocks, product) < 2 || std::ranges::count_if(blocks, reduces) < 3)
    return "it is not rows of a product that are multiplied again";
  if (!product(blocks[lastOf(blocks)])) return "behind its last product there is more than one stage";
  return {};
}

constexpr std::string_view kOtherAxes = "the axes of a block are not the loops around it";

/// The stages up to the last product, which has its sums in registers where nothing stores it; or why not.
Result<std::string> stagesOf(Schedule& schedule, const std::vector<BlockInfo>& blocks, Rows& rows) {
  const size_t last = lastOf(blocks);
  for (size_t i = 0; i <= last; ++i) {
    RowStage stage{blocks[i].block, {}};
    const bool isStored = i == last && last + 1 < blocks.size();
    if (isProduct(blocks[i], rows.leading) && !isStored) {
      RX_TRY(stored, cacheWrite(schedule, stage.block, 0, "local"));
      stage = {stored, blocks[i].block};
      if (!normalizedBlocks(schedule)) return std::string(kOtherAxes);
    }
    rows.stages.push_back(stage);
  }
  return std::string();
}

/// The stages; or why the kernel has other ones.
Result<std::string> found(Schedule& schedule, Rows& rows) {
  auto normalized = normalizedBlocks(schedule);
  if (!normalized) return std::string(kOtherAxes);
  std::vector<BlockInfo> blocks = std::move(*normalized);
  inlineOnTheWay(schedule, blocks);
  const auto leading = sharedPlaces(blocks);
  if (!leading) return std::string("a block reduces some of its first axes");
  rows.leading = *leading;
  if (std::string other = otherStages(blocks, rows.leading); !other.empty()) return other;
  RX_TRY(why, stagesOf(schedule, blocks, rows));
  if (!why.empty() || rows.stages.size() == blocks.size()) return why;
  const BlockRef product = rows.stages.back().block, stores = blocks.back().block;
  RX_CHECK(rowsFirst(schedule, stores, *schedule.get(product)->writes[0]->buffer, rows.leading));
  rows.stages.back() = {stores, product};
  return std::string();
}

/// Bytes of shared memory for a row; nothing where a size is not known, or a stage needs what lies in other rows.
std::optional<int64_t> bytesOfRow(const Schedule& schedule, const Rows& rows) {
  int64_t bytes = 0;
  std::unordered_set<const Buffer*> shared;
  for (const RowStage& stage : rows.stages) {
    const bool last = &stage == &rows.stages.back();
    for (const BlockRef part : {stage.sums.value_or(stage.block), stage.block}) {
      const Ref<Block> block = schedule.get(part);
      for (const auto& read : block->reads)
        if (shared.contains(read->buffer.get()) && !readsOwnRow(*block, *read, rows.leading)) return std::nullopt;
    }
    if (last) break;
    for (const auto& write : schedule.get(stage.block)->writes) {
      int64_t elements = 1;
      const std::vector<size_t> dimensions = dimensionsOf(*write->buffer);
      for (size_t i = rows.leading; i < dimensions.size(); ++i) {
        const auto extent = asInt(write->buffer->shape[dimensions[i]]);
        if (!extent) return std::nullopt;
        elements *= *extent;
      }
      bytes += elements * write->buffer->dtype.bytes();
      shared.insert(write->buffer.get());
    }
  }
  return bytes;
}

/// So many rows of a group as divide them all and fit; 0 where one does not.
int64_t rowsOfGroup(const PrimExpr& extent, int64_t bytes, int64_t limit) {
  int64_t rows = std::min<int64_t>(kMostRows, bytes > 0 ? limit / bytes : kMostRows);
  while (rows > 1 && ((rows & (rows - 1)) != 0 || asInt(extent).value_or(rows) % rows != 0)) --rows;
  return rows;
}

/// The threads of a row beside each other along what is left of a stage: its places, or else its steps. Gives the
/// innermost loop over places.
Result<LoopRef> dealt(Schedule& schedule, std::span<const LoopRef> rows, std::span<const LoopRef> rest,
                      int64_t threads) {
  RX_TRY(row, fuse(schedule, rows));
  RX_TRY(fused, fuse(schedule, rest));
  RX_TRY(parts, split(schedule, fused, {0, threads}));
  RX_CHECK(reorder(schedule, std::array{row, parts[1], parts[0]}));
  RX_CHECK(bindTo(schedule, row, "threadIdx.y"));
  RX_CHECK(bindTo(schedule, parts[1], "threadIdx.x"));
  return parts[0];
}

/// The sums of a stage in registers of the threads that store them.
Result<Unit> inRegisters(Schedule& schedule, const RowStage& stage, const LoopRef& place) {
  RX_CHECK(computeAt(schedule, *stage.sums, place, true));
  RX_CHECK(setScope(schedule, *stage.sums, 0, "local"));
  const auto isStep = [](const auto& axis) { return axis->iterType == IterType::CommReduce; };
  const auto steps = static_cast<size_t>(std::ranges::count_if(schedule.get(*stage.sums)->iterVars, isStep));
  const std::vector<LoopRef> loops = schedule.loops(*stage.sums);
  RX_CHECK(decomposeReduction(schedule, *stage.sums, loops[loops.size() - std::min(steps, loops.size())]));
  return Unit{};
}

/// A stage before the last one, for the rows of a group, in shared memory. False where it has nothing but rows.
Result<bool> rowsOfStage(Schedule& schedule, const RowStage& stage, const LoopRef& groups, size_t leading,
                         int64_t threads) {
  const BlockRef block = stage.block;
  for (size_t b = 0; b < schedule.get(block)->writes.size(); ++b) RX_CHECK(setScope(schedule, block, b, "shared"));
  RX_CHECK(computeAt(schedule, block, groups, true));
  const std::vector<LoopRef> below = schedule.loops(block);
  if (below.size() <= leading + 1) return false;
  const auto mine = std::span(below).subspan(1);
  RX_TRY(inner, dealt(schedule, mine.first(leading), mine.subspan(leading), threads));
  if (stage.sums) RX_CHECK(inRegisters(schedule, stage, inner));
  return true;
}

}  // namespace

Result<Outcome> gpuAttention(const RuleInput& input) {
  RX_TRY(schedule, Schedule::of(input.kernel));
  Rows rows;
  RX_TRY(why, found(schedule, rows));
  if (!why.empty()) return notApplied(std::move(why));
  const auto bytes = bytesOfRow(schedule, rows);
  if (!bytes) return notApplied("its rows are of no known length, or need each other");
  const RowStage& last = rows.stages.back();
  const std::vector<LoopRef> loops = schedule.loops(last.block);
  if (loops.size() <= rows.leading) return notApplied("what its rows are multiplied with has no columns");
  const int64_t limit = input.target.number("max_shared_memory_per_block").value_or(kSharedBytes);
  const int64_t count = rowsOfGroup(schedule.get(loops[rows.leading - 1])->extent, *bytes, limit);
  if (count == 0) return notApplied("a row takes more memory than a group of threads shares");
  const int64_t threads = std::min(kThreads, maxThreadsPerBlock(input.target)) / count;

  RX_TRY(own, split(schedule, loops[rows.leading - 1], {0, count}));
  std::vector<LoopRef> outer(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(rows.leading) - 1);
  outer.push_back(own[0]);
  RX_TRY(groups, fuse(schedule, outer));
  RX_CHECK(bindTo(schedule, groups, "blockIdx.x"));
  RX_TRY(place, dealt(schedule, std::array{own[1]}, std::span(loops).subspan(rows.leading), threads));
  RX_CHECK(inRegisters(schedule, last, place));
  for (size_t i = rows.stages.size() - 1; i-- > 0;) {
    RX_TRY(placed, rowsOfStage(schedule, rows.stages[i], groups, rows.leading, threads));
    if (!placed) return notApplied("a stage has nothing but rows");
  }
  return applied(schedule);
}

}  // namespace rx::schedule
