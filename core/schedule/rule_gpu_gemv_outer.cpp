// gpu.GEMV where the places lie innermost in the matrix: neighbouring threads read neighbouring places.
#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"
#include "core/schedule/rule_gpu_gemv.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr std::string_view kX = "threadIdx.x", kY = "threadIdx.y";
/// Terms that one scale and one packed word of a matrix are good for.
constexpr int64_t kScalePack = 4, kWordPack = 8;
constexpr int64_t kManyPlaces = 96000;
constexpr int64_t kUnrolled = 8;

/// Threads along places and sums, by target.
struct OuterShape {
  int64_t places, sums, lanes;
  bool sharesVector;
  int64_t vectorTile, vectorLanes;
};

std::optional<OuterShape> shapeFor(const GpuGemv& gemv) {
  const std::vector<LoopRef> loops = gemv.schedule.loops(gemv.kernel.main.block);
  const auto places = extentOf(gemv.schedule, loops[1]), sums = extentOf(gemv.schedule, loops[2]);
  const auto group = extentOf(gemv.schedule, loops[3]);
  OuterShape shape{64, 4, 8, false, 1, 4};
  if (gemv.target.kind() == "metal") {
    shape.places = 128;
    shape.lanes = 4;
  } else if (!isAdreno(gemv.target)) {
    return std::nullopt;
  }
  if (!sums || *sums < shape.vectorTile * shape.sums * kScalePack * kWordPack) return std::nullopt;
  if (places && *places > kManyPlaces) return std::nullopt;
  if (!places) {
    shape.places = 256;
    shape.sums = 1;
    shape.sharesVector = true;
  }
  const int64_t each = shape.sums, own = group.value_or(1);
  const int64_t tile =
      own > 1 ? own : std::max<int64_t>(largestFactor(sums, {each, each * 2, each * 4, each * 8}) / each, 1);
  shape.vectorLanes = std::min(largestFactor(tile, {1, 2, 4, 8}), shape.vectorLanes);
  return shape;
}

class InnerPlaces {
 public:
  InnerPlaces(const GpuGemv& gemv, const OuterShape& shape)
      : gemv_(gemv), schedule_(gemv.schedule), block_(gemv.kernel.main.block), shape_(shape) {}

  Result<Unit> run() {
    RX_CHECK(factor());
    RX_CHECK(bindFirst());
    RX_CHECK(load());
    RX_CHECK(reverseComputeAt(schedule_, second_, blocks_, true));
    const std::vector<LoopRef> own = schedule_.loops(second_);  // blocks, sums, lanes, places
    RX_CHECK(reorder(schedule_, std::array{own[3], own[1], own[2]}));
    RX_CHECK(bindTo(schedule_, own[3], kX));
    RX_CHECK(bindTo(schedule_, own[1], kY));
    RX_CHECK(reverseComputeAt(schedule_, block_, blocks_, true));
    const std::vector<LoopRef> last = schedule_.loops(block_);  // blocks, sums, places
    RX_CHECK(reorder(schedule_, std::array{last[2], last[1]}));
    RX_CHECK(bindTo(schedule_, last[2], kX));
    RX_CHECK(bindTo(schedule_, last[1], kY));
    RX_CHECK(decomposeReduction(schedule_, first_, schedule_.loops(first_)[2]));
    RX_CHECK(decomposeReduction(schedule_, second_, schedule_.loops(second_).back()));
    RX_CHECK(setScope(schedule_, first_, 0, "local"));
    RX_CHECK(setScope(schedule_, second_, 0, "local"));
    RX_CHECK(unrollUpTo(schedule_, schedule_.loops(second_)[3], kUnrolled));
    return scheduleGemvEpilogue(gemv_, blocks_, {shape_.places, kX, shape_.places, kX, false});
  }

 private:
  Result<Unit> factor() {
    const std::vector<LoopRef> loops = schedule_.loops(block_);
    RX_TRY(places, fuse(schedule_, std::array{loops[0], loops[1]}));
    RX_TRY(sums, fuse(schedule_, std::array{loops[2], loops[3]}));
    RX_TRY(wide, split(schedule_, places, {0, shape_.places}));
    RX_TRY(parts, split(schedule_, sums, {0, shape_.vectorTile, shape_.sums, kScalePack, kWordPack}));
    RX_CHECK(reorder(schedule_, std::array{wide[0], wide[1], parts[0], parts[1], parts[3], parts[2], parts[4]}));
    RX_TRY(shares, fuse(schedule_, std::array{parts[2], parts[4]}));
    RX_TRY(sum, shareSum(schedule_, block_, shares, 2, shape_.sums, 0));
    first_ = sum.first;
    second_ = sum.second;
    return Unit{};
  }

  Result<Unit> bindFirst() {
    loops_ = schedule_.loops(first_);  // blocks, places, steps, tile, scales, shares
    RX_TRY(parts, split(schedule_, loops_[5], {shape_.sums, kWordPack}));
    RX_CHECK(reorder(schedule_, std::array{loops_[0], loops_[1], parts[0], loops_[2], loops_[3], loops_[4], parts[1]}));
    RX_CHECK(bindTo(schedule_, loops_[0], "blockIdx.x"));
    RX_CHECK(bindTo(schedule_, loops_[1], kX));
    RX_CHECK(bindTo(schedule_, parts[0], kY));
    blocks_ = loops_[0];
    return vectorizeInner(schedule_, parts[1], shape_.lanes);
  }

  /// Scales, words of the matrix and the vector, each where it is used for the longest time.
  Result<Unit> load() {
    if (schedule_.get(first_)->reads.size() >= 3) {
      RX_TRY(scales, cacheRead(schedule_, first_, 2, "local"));
      RX_CHECK(computeAt(schedule_, scales, loops_[3], true));
    }
    RX_TRY(words, cacheRead(schedule_, first_, 1, "local"));
    RX_CHECK(computeAt(schedule_, words, loops_[4], true));
    if (!shape_.sharesVector) return Unit{};
    RX_TRY(vector, cacheRead(schedule_, first_, 0, "shared"));
    RX_CHECK(computeAt(schedule_, vector, loops_[2], true));
    RX_TRY(parts, split(schedule_, schedule_.loops(vector).back(),
                        {0, shape_.vectorTile, shape_.places, shape_.sums, shape_.vectorLanes}));
    RX_CHECK(bindTo(schedule_, parts[3], kY));
    RX_CHECK(bindTo(schedule_, parts[2], kX));
    return vectorizeInner(schedule_, parts[4], shape_.vectorLanes);
  }

  const GpuGemv& gemv_;
  Schedule& schedule_;
  const BlockRef block_;
  const OuterShape shape_;
  BlockRef first_{}, second_{};
  std::vector<LoopRef> loops_;
  LoopRef blocks_;
};

/// Without shares of sums: each thread has some places of its own.
Result<Unit> plainPlaces(const GpuGemv& gemv) {
  constexpr int64_t kThreads = 128, kTerms = 4, kLongRow = 4096, kLoadLanes = 8;
  Schedule& schedule = gemv.schedule;
  const BlockRef block = gemv.kernel.main.block;
  const std::vector<LoopRef> loops = schedule.loops(block);
  const auto places = extentOf(schedule, loops[1]);
  const int64_t lanes = !places ? 1 : *places > kLongRow ? 4 : 2;
  RX_TRY(parts, split(schedule, loops[1], {0, kThreads, lanes}));
  RX_TRY(sums, split(schedule, loops[2], {0, kTerms}));
  RX_CHECK(bindTo(schedule, loops[0], "blockIdx.y"));
  RX_CHECK(bindTo(schedule, parts[0], "blockIdx.x"));
  RX_CHECK(bindTo(schedule, parts[1], kX));
  RX_CHECK(reorder(schedule, std::array{parts[0], parts[1], sums[0], sums[1], loops[3], parts[2]}));
  RX_CHECK(unrollUpTo(schedule, parts[1], kUnrolled));
  const auto& reads = schedule.get(block)->reads;
  size_t index = 0;
  while (index < reads.size() && reads[index]->buffer != gemv.kernel.vectors.front()) ++index;
  RX_TRY(vector, cacheRead(schedule, block, index, "shared"));
  RX_CHECK(computeAt(schedule, vector, parts[0], true));
  RX_TRY(shares, split(schedule, schedule.loops(vector).back(), {0, kThreads, kLoadLanes}));
  RX_CHECK(bindTo(schedule, shares[1], kX));
  RX_CHECK(vectorize(schedule, shares[2]));
  RX_CHECK(vectorize(schedule, parts[2]));
  if (gemv.kernel.epilogue) {
    const BlockRef epilogue = gemv.kernel.epilogue->block;
    RX_CHECK(reverseComputeAt(schedule, epilogue, parts[0], true));
    RX_TRY(own, split(schedule, schedule.loops(epilogue).back(), {kThreads, lanes}));
    RX_CHECK(bindTo(schedule, own[0], kX));
    RX_CHECK(vectorize(schedule, own[1]));
    RX_CHECK(setScope(schedule, block, 0, "local"));
  }
  RX_CHECK(decomposeReduction(schedule, block, sums[0]));
  return Unit{};
}

}  // namespace

Result<std::string_view> scheduleInnerPlaces(const GpuGemv& gemv) {
  if (const auto shape = shapeFor(gemv)) {
    RX_CHECK(InnerPlaces(gemv, *shape).run());
    return std::string_view();
  }
  if (!isAdreno(gemv.target)) return std::string_view("the places lie innermost in the matrix");
  RX_CHECK(plainPlaces(gemv));
  return std::string_view();
}

Result<Unit> scheduleGemvEpilogue(const GpuGemv& gemv, const LoopRef& blocks, const GemvEpilogue& shape) {
  if (!gemv.kernel.epilogue) return Unit{};
  Schedule& schedule = gemv.schedule;
  const BlockRef block = gemv.kernel.main.block, epilogue = gemv.kernel.epilogue->block;
  if (isBroadcastEpilogue(schedule, block, epilogue)) {
    RX_CHECK(reverseComputeAt(schedule, epilogue, blocks, false));
    RX_CHECK(setScope(schedule, block, 0, "shared"));
    const std::vector<LoopRef> loops = schedule.loops(epilogue);
    if (loops.size() < 3) return refuse("fuse", "gpu.GEMV", "the epilogue has too few loops");
    RX_TRY(rest, fuse(schedule, std::span(loops).subspan(2)));
    RX_TRY(parts, split(schedule, rest, {0, shape.broadcastThreads}));
    return bindTo(schedule, parts[1], shape.broadcastAxis);
  }
  RX_CHECK(reverseComputeAt(schedule, epilogue, blocks, true));
  const std::vector<LoopRef> loops = schedule.loops(epilogue);
  RX_TRY(places, fuse(schedule, std::span(loops).subspan(1)));
  LoopRef own;
  if (shape.oneEach) {
    RX_TRY(parts, split(schedule, places, {0, shape.threads, 1}));
    if (extentOf(schedule, parts[0]) != 1) return refuse("split", "gpu.GEMV", "a block of threads has too many places");
    RX_TRY(fused, fuse(schedule, std::array{parts[0], parts[1]}));
    own = fused;
  } else {
    RX_TRY(parts, split(schedule, places, {shape.threads, 0}));
    own = parts[0];
  }
  RX_CHECK(bindTo(schedule, own, shape.axis));
  return setScope(schedule, block, 0, "local");
}

}  // namespace rx::schedule
