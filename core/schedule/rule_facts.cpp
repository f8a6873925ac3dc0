#include "core/schedule/rule_facts.h"

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/buffer_layout.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Threads of a block that are worth having, by the kind of the target.
struct ThreadsRow {
  std::string_view kind;
  int64_t threads;
};
constexpr ThreadsRow kThreads[] = {{"cuda", 1024}, {"rocm", 256}, {"metal", 256}, {"opencl", 256}};
constexpr int64_t kOtherThreads = 64;
constexpr int64_t kThreadsOfUnknown = 32;

/// The largest power of two that is no larger than either.
int64_t powerWithin(int64_t a, int64_t b) {
  int64_t power = 1;
  while (power * 2 <= std::min(a, b)) power *= 2;
  return power;
}

bool mentions(const target::Target& target, std::string_view word) {
  return target.json().find(word) != std::string::npos;
}

}  // namespace

int64_t maxThreadsPerBlock(const target::Target& target) {
  for (const std::string_view name : {"max_threads_per_block", "max_num_threads"}) {
    if (const auto said = target.number(name)) return *said;
  }
  return target.kind() == "cuda" ? 1024 : 256;
}

std::vector<int64_t> suggestedThreads(const target::Target& target, std::span<const PrimExpr> extents) {
  const auto row = std::find_if(std::begin(kThreads), std::end(kThreads),
                                [&](const ThreadsRow& r) { return r.kind == target.kind(); });
  int64_t left = row == std::end(kThreads) ? kOtherThreads : row->threads;
  std::vector<int64_t> made(extents.size());
  auto take = [&](size_t i, int64_t most) {
    made[i] = powerWithin(most, left);
    left /= made[i];
  };
  std::optional<size_t> unknown;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (const auto number = asInt(extents[i])) take(i, *number);
  }
  for (size_t i = 0; i < extents.size(); ++i) {
    if (asInt(extents[i])) continue;
    take(i, kThreadsOfUnknown);
    if (!unknown) unknown = i;
  }
  if (unknown) made[*unknown] *= left;
  return made;
}

bool isAdreno(const target::Target& target) {
  if (target.kind() != "opencl") return false;
  return (target.host() && mentions(*target.host(), "android")) || mentions(*target.withoutHost(), "adreno");
}

int64_t largestFactor(std::optional<int64_t> number, std::initializer_list<int64_t> factors) {
  int64_t largest = 1;
  for (const int64_t factor : factors) {
    if (number && *number % factor == 0) largest = std::max(largest, factor);
  }
  return largest;
}

std::optional<int64_t> extentOf(const Schedule& schedule, const LoopRef& loop) {
  return asInt(schedule.get(loop)->extent);
}

Result<Unit> unrollUpTo(Schedule& schedule, const LoopRef& loop, int64_t steps) {
  RX_CHECK(annotate(schedule, loop, "pragma_auto_unroll_max_step", ir::intAttr(steps)));
  return annotate(schedule, loop, "pragma_unroll_explicit", ir::intAttr(1));
}

Result<Unit> vectorizeInner(Schedule& schedule, const LoopRef& loop, int64_t lanes) {
  const auto extent = extentOf(schedule, loop);
  if (extent && *extent <= lanes) return vectorize(schedule, loop);
  RX_TRY(parts, split(schedule, loop, {0, lanes}));
  return vectorize(schedule, parts[1]);
}

Result<SharedSum> shareSum(Schedule& schedule, BlockRef block, const LoopRef& shares, size_t place, int64_t threads,
                           int64_t lanes) {
  RX_TRY(first, rfactor(schedule, shares, 0));
  RX_TRY(again, split(schedule, schedule.loops(block)[place], {threads, lanes}));
  RX_TRY(second, rfactor(schedule, again[0], 0));
  return SharedSum{first, second};
}

Result<SharedSum> shareSumInLanes(Schedule& schedule, BlockRef block, const LoopRef& sums, size_t place,
                                  int64_t threads, int64_t tile, int64_t lanes) {
  RX_TRY(parts, split(schedule, sums, {0, threads, tile, lanes}));
  RX_CHECK(reorder(schedule, std::array{parts[0], parts[2], parts[1], parts[3]}));
  RX_TRY(shares, fuse(schedule, std::array{parts[1], parts[3]}));
  return shareSum(schedule, block, shares, place, threads, 0);
}

PrimExpr summand(const Block& block) {
  const auto* store = as<BufferStore>(block.body);
  const auto* sum = store ? as<Add>(store->value) : nullptr;
  const auto* load = sum ? as<BufferLoad>(sum->a) : nullptr;
  if (!load || load->buffer != store->buffer || !arith::sameExprs(load->indices, store->indices)) return nullptr;
  return sum->b;
}

std::optional<std::unordered_set<const Var*>> axesIn(const Block& block, const BufferRegion& region) {
  std::unordered_set<const Var*> used;
  for (const auto& range : region.region) {
    if (!arith::isOne(range->extent)) return std::nullopt;
    for (const VarRef& var : arith::freeVars(range->min)) {
      const bool own =
          std::any_of(block.iterVars.begin(), block.iterVars.end(), [&](const auto& axis) { return axis->var == var; });
      if (own) used.insert(var.get());
    }
  }
  return used;
}

std::optional<arith::IterSum> dominantRead(const Block& block, const std::unordered_set<const Var*>* among) {
  const BufferRegion* dominant = nullptr;
  size_t most = 0;
  for (const auto& read : block.reads) {
    const auto axes = axesIn(block, *read);
    if (!axes) return std::nullopt;
    const auto count = static_cast<size_t>(
        std::count_if(axes->begin(), axes->end(), [&](const Var* axis) { return !among || among->contains(axis); }));
    if (dominant && count <= most) continue;
    dominant = read.get();
    most = count;
  }
  if (!dominant) return std::nullopt;
  std::vector<PrimExpr> indices;
  for (const auto& range : dominant->region) indices.push_back(range->min);
  std::vector<arith::IterRange> ranges;
  for (const auto& axis : block.iterVars) ranges.push_back({axis->var, axis->dom->min, axis->dom->extent});
  arith::Analyzer analyzer;
  return arith::sumByStride(lower::elementOffset(*dominant->buffer, indices), ranges, analyzer);
}

bool isBroadcastEpilogue(const Schedule& schedule, BlockRef block, BlockRef epilogue) {
  const Ref<Block> producer = schedule.get(block), consumer = schedule.get(epilogue);
  return std::any_of(consumer->reads.begin(), consumer->reads.end(), [&](const auto& read) {
    if (!regionOf(producer->writes, *read->buffer)) return false;
    const auto axes = axesIn(*consumer, *read);
    return axes && axes->size() < consumer->iterVars.size();
  });
}

}  // namespace rx::schedule
