// gpu.LowBatchGEMV: a matrix and a few vectors. As gpu.GEMV, with some vectors in each block of threads.
#include "core/schedule/rule_gpu_low_batch.h"

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"
#include "core/schedule/rules.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr std::string_view kX = "threadIdx.x", kY = "threadIdx.y";
constexpr int64_t kTile = 2;         ///< places of a thread
constexpr int64_t kSmallBucket = 4;  ///< the largest one for which places may lie innermost

/// Threads along places and sums, and which axis the places have.
struct Threads {
  int64_t places, sums;
  std::string_view placeAxis;
};
/// How a kind of target likes its shares; the first row that fits counts.
struct Shape {
  std::string_view kind;
  bool adreno;
  int64_t lanes, unrolled;
  Threads wide, narrow;  ///< where there are more places than terms of each sum, and where there are not
};
constexpr Shape kShapes[] = {
    {"cuda", false, 4, 256, {4, 64, kY}, {16, 32, kY}},   {"metal", false, 4, 8, {8, 32, kY}, {8, 32, kX}},
    {"rocm", false, 4, 256, {1, 128, kY}, {8, 64, kY}},   {"opencl", true, 8, 8, {2, 32, kX}, {2, 32, kX}},
    {"vulkan", false, 4, 256, {4, 32, kY}, {16, 32, kY}}, {"", false, 1, 64, {1, 64, kY}, {1, 64, kY}},
};

const Shape& shapeFor(const target::Target& target) {
  return *std::find_if(std::begin(kShapes), std::end(kShapes), [&](const Shape& shape) {
    return shape.kind.empty() || (shape.kind == target.kind() && (!shape.adreno || isAdreno(target)));
  });
}

class InnerSums {
 public:
  explicit InnerSums(const LowBatch& batch)
      : batch_(batch), schedule_(batch.schedule), block_(batch.kernel.main.block), shape_(shapeFor(batch.target)) {}

  Result<Unit> run() {
    choose();
    RX_CHECK(factor());
    RX_CHECK(bindFirst());
    if (batch_.kernel.weights) RX_CHECK(unpack(*batch_.kernel.weights));
    if (batch_.kernel.padding) RX_CHECK(computeInline(schedule_, *batch_.kernel.padding));
    RX_CHECK(bindSecond());
    RX_CHECK(bindLast());
    RX_CHECK(decomposeReduction(schedule_, first_, schedule_.loops(first_)[4]));
    RX_CHECK(decomposeReduction(schedule_, second_, schedule_.loops(second_).back()));
    RX_CHECK(setScope(schedule_, first_, 0, "local"));
    RX_CHECK(setScope(schedule_, second_, 0, "local"));
    RX_CHECK(unrollUpTo(schedule_, schedule_.loops(first_)[4], shape_.unrolled));
    RX_CHECK(unrollUpTo(schedule_, schedule_.loops(second_)[4], shape_.unrolled));
    const auto epilogue = epilogueOf(batch_);
    return epilogue ? finish(*epilogue) : Result<Unit>(Unit{});
  }

 private:
  std::string_view sumAxis() const { return threads_.placeAxis == kX ? kY : kX; }

  void choose() {
    const std::vector<LoopRef> loops = schedule_.loops(block_);
    const auto places = extentOf(schedule_, loops[1]), sums = extentOf(schedule_, loops[2]);
    threads_ = places && sums && *places > *sums ? shape_.wide : shape_.narrow;
    const int64_t most = batch_.target.number("max_num_threads").value_or(maxThreadsPerBlock(batch_.target));
    while (threads_.places * threads_.sums > std::max<int64_t>(most, 1)) {
      (threads_.places > 1 ? threads_.places : threads_.sums) /= 2;
    }
    const int64_t each = threads_.sums;
    tile_ = std::max<int64_t>(largestFactor(sums, {each, each * 2, each * 4, each * 8}) / each, 1);
    lanes_ = std::min(largestFactor(tile_, {1, 2, 4, 8}), shape_.lanes);
  }

  Result<Unit> factor() {
    const std::vector<LoopRef> loops = schedule_.loops(block_);
    RX_CHECK(split(schedule_, loops[1], {0, threads_.places, kTile}));
    RX_TRY(sum, shareSumInLanes(schedule_, block_, loops[2], 4, threads_.sums, tile_ / lanes_, lanes_));
    first_ = sum.first;
    second_ = sum.second;
    return Unit{};
  }

  Result<Unit> bindFirst() {
    const std::vector<LoopRef> loops = schedule_.loops(first_);  // vectors, blocks, threads, tile, steps, lanes, shares
    RX_TRY(parts, split(schedule_, loops[6], {threads_.sums, 0}));
    RX_CHECK(reorder(schedule_, std::array{loops[1], loops[2], parts[0], loops[4], loops[3], loops[5], parts[1]}));
    RX_CHECK(bindTo(schedule_, loops[1], "blockIdx.x"));
    RX_CHECK(bindTo(schedule_, loops[2], threads_.placeAxis));
    RX_CHECK(bindTo(schedule_, parts[0], sumAxis()));
    RX_CHECK(vectorize(schedule_, parts[1]));
    RX_TRY(vectors, split(schedule_, loops[0], {0, batch_.bucket}));
    RX_CHECK(bindTo(schedule_, vectors[0], "blockIdx.y"));
    RX_CHECK(reorder(schedule_, std::array{loops[1], loops[2], parts[0], loops[4], vectors[1]}));
    blocks_ = loops[1];
    steps_ = loops[4];
    return Unit{};
  }

  Result<Unit> unpack(BlockRef weights) {
    RX_CHECK(computeAt(schedule_, weights, steps_, true));
    RX_CHECK(setScope(schedule_, weights, 0, "local"));
    const std::vector<LoopRef> loops = schedule_.loops(weights);
    const LoopRef places = loops[loops.size() - 2], terms = loops.back();
    RX_TRY(parts, split(schedule_, places, {0, 1}));
    RX_CHECK(reorder(schedule_, std::array{parts[0], terms, parts[1]}));
    return vectorize(schedule_, parts[1]);
  }

  /// The threads along places of what a block of threads computes; the places that each has.
  Result<std::pair<LoopRef, LoopRef>> placesOf(std::span<const LoopRef> loops) {
    RX_TRY(places, fuse(schedule_, loops));
    RX_TRY(parts, split(schedule_, places, {0, threads_.places, kTile}));
    if (extentOf(schedule_, parts[0]) != 1) return refuse("split", "gpu.LowBatchGEMV", "a block has too many places");
    RX_TRY(threads, fuse(schedule_, std::array{parts[0], parts[1]}));
    return std::pair(threads, parts[2]);
  }

  Result<Unit> bindSecond() {
    RX_CHECK(reverseComputeAt(schedule_, second_, blocks_, true));
    const std::vector<LoopRef> loops = schedule_.loops(second_);  // vectors, blocks, sums, lanes, vectors, places
    RX_TRY(places, placesOf(std::span(loops).subspan(5)));
    RX_TRY(tile, split(schedule_, places.second, {0, kTile}));
    RX_CHECK(reorder(schedule_, std::array{places.first, loops[2], tile[0], loops[4], tile[1], loops[3]}));
    RX_CHECK(bindTo(schedule_, places.first, threads_.placeAxis));
    RX_CHECK(bindTo(schedule_, loops[2], sumAxis()));
    return vectorize(schedule_, tile[1]);
  }

  Result<Unit> bindLast() {
    RX_CHECK(reverseComputeAt(schedule_, block_, blocks_, true));
    const std::vector<LoopRef> loops = schedule_.loops(block_);  // vectors, blocks, sums, vectors, places
    RX_TRY(places, placesOf(std::span(loops).subspan(4)));
    RX_CHECK(reorder(schedule_, std::array{places.second, loops[3], places.first, loops[2]}));
    RX_CHECK(bindTo(schedule_, places.first, threads_.placeAxis));
    return bindTo(schedule_, loops[2], sumAxis());
  }

  Result<Unit> finish(BlockRef epilogue) {
    const bool broadcast = isBroadcastEpilogue(schedule_, block_, epilogue);
    RX_CHECK(reverseComputeAt(schedule_, epilogue, blocks_, !broadcast));
    const std::vector<LoopRef> loops = schedule_.loops(epilogue);
    if (loops.size() < 4) return refuse("fuse", schedule_.name(epilogue), "it has too few loops");
    if (broadcast) {
      RX_CHECK(setScope(schedule_, block_, 0, "shared"));
      RX_TRY(rest, fuse(schedule_, std::span(loops).subspan(3)));
      RX_TRY(parts, split(schedule_, rest, {0, threads_.places}));
      return bindTo(schedule_, parts[1], threads_.placeAxis);
    }
    RX_TRY(places, placesOf(std::span(loops).subspan(3)));
    RX_CHECK(bindTo(schedule_, places.first, threads_.placeAxis));
    return setScope(schedule_, block_, 0, "local");
  }

  const LowBatch& batch_;
  Schedule& schedule_;
  const BlockRef block_;
  const Shape& shape_;
  Threads threads_{};
  int64_t tile_ = 1, lanes_ = 1;
  BlockRef first_{}, second_{};
  LoopRef blocks_, steps_;
};

}  // namespace

Result<Unit> lowBatchInnerSums(const LowBatch& batch) { return InnerSums(batch).run(); }

std::optional<BlockRef> epilogueOf(const LowBatch& batch) {
  const BlockScope scope(*batch.schedule.get(batch.schedule.root()));
  const std::vector<Ref<BlockRealize>> behind = scope.consumers(*batch.schedule.get(batch.kernel.main.block));
  if (behind.empty()) return std::nullopt;
  return batch.schedule.handle(*behind.front()->block);
}

Result<Outcome> gpuLowBatchGemv(const RuleInput& input) {
  RX_TRY(schedule, Schedule::of(input.kernel));
  RX_TRY(found, findLowBatch(schedule, input.option));
  if (!found.kernel) return notApplied(std::string(found.why));
  RX_TRY(inner, normalizeLowBatch(schedule, found.kernel->main));
  if (!inner) return notApplied("the matrix is not read along whole axes");
  const LowBatch batch{schedule, input.target, *found.kernel, input.option};
  if (*inner) {
    RX_CHECK(lowBatchInnerSums(batch));
  } else if (input.option > kSmallBucket) {
    return notApplied("the places lie innermost in the matrix, and the bucket is large");
  } else if (!found.kernel->weights || !found.kernel->padding) {
    return notApplied("the places lie innermost in the matrix, whose weights are not packed");
  } else {
    RX_CHECK(lowBatchInnerPlaces(batch));
  }
  return applied(schedule);
}

}  // namespace rx::schedule
