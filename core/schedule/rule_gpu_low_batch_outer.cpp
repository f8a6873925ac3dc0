// gpu.LowBatchGEMV where the places lie innermost in the matrix: weights are unpacked where they are used.
#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"
#include "core/schedule/rule_gpu_low_batch.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr std::string_view kX = "threadIdx.x", kY = "threadIdx.y";
/// Terms that one scale and one packed word of a matrix are good for.
constexpr int64_t kScalePack = 4, kWordPack = 8;

/// Threads along places and sums, and whether the vectors lie in shared memory.
struct Shape {
  std::string_view kind;
  int64_t places, sums, lanes;
  bool shared;
};
constexpr Shape kShapes[] = {{"metal", 64, 4, 4, true}, {"", 32, 4, 1, false}};

class InnerPlaces {
 public:
  explicit InnerPlaces(const LowBatch& batch)
      : batch_(batch),
        schedule_(batch.schedule),
        block_(batch.kernel.main.block),
        shape_(*std::find_if(std::begin(kShapes), std::end(kShapes), [&](const Shape& shape) {
          return shape.kind == batch.target.kind() || shape.kind.empty();
        })) {}

  Result<Unit> run() {
    RX_CHECK(factor());
    RX_CHECK(bindFirst());
    RX_CHECK(unpack(*batch_.kernel.weights));
    RX_CHECK(shape_.shared ? share(*batch_.kernel.padding) : computeInline(schedule_, *batch_.kernel.padding));
    RX_CHECK(reverseComputeAt(schedule_, second_, loops_[1], true));
    const std::vector<LoopRef> own = schedule_.loops(second_);  // vectors, blocks, sums, lanes, vectors, places
    RX_CHECK(reorder(schedule_, std::array{own[5], own[2], own[4], own[3]}));
    RX_CHECK(bindTo(schedule_, own[5], kX));
    RX_CHECK(bindTo(schedule_, own[2], kY));
    RX_CHECK(reverseComputeAt(schedule_, block_, loops_[1], true));
    const std::vector<LoopRef> last = schedule_.loops(block_);  // vectors, blocks, sums, vectors, places
    RX_CHECK(reorder(schedule_, std::array{last[3], last[4], last[2]}));
    RX_CHECK(bindTo(schedule_, last[4], kX));
    RX_CHECK(bindTo(schedule_, last[2], kY));
    RX_CHECK(decomposeReduction(schedule_, first_, schedule_.loops(first_)[4]));
    RX_CHECK(decomposeReduction(schedule_, second_, schedule_.loops(second_)[4]));
    RX_CHECK(setScope(schedule_, first_, 0, "local"));
    RX_CHECK(setScope(schedule_, second_, 0, "local"));
    const auto epilogue = epilogueOf(batch_);
    return epilogue ? finish(*epilogue) : Result<Unit>(Unit{});
  }

 private:
  Result<Unit> factor() {
    const std::vector<LoopRef> loops = schedule_.loops(block_);
    RX_TRY(vectors, split(schedule_, loops[0], {0, batch_.bucket}));
    RX_TRY(places, split(schedule_, loops[1], {0, shape_.places}));
    RX_TRY(sums, split(schedule_, loops[2], {0, shape_.sums, kScalePack, kWordPack}));
    RX_CHECK(reorder(schedule_,
                     std::array{vectors[0], places[0], places[1], sums[0], vectors[1], sums[2], sums[1], sums[3]}));
    RX_TRY(shares, fuse(schedule_, std::array{sums[1], sums[3]}));
    RX_TRY(sum, shareSum(schedule_, block_, shares, 4, shape_.sums, kWordPack));
    first_ = sum.first;
    second_ = sum.second;
    return Unit{};
  }

  Result<Unit> bindFirst() {
    loops_ = schedule_.loops(first_);  // vectors, blocks, places, steps, vectors, scales, shares
    RX_TRY(parts, split(schedule_, loops_[6], {shape_.sums, kWordPack}));
    RX_CHECK(reorder(schedule_,
                     std::array{loops_[0], loops_[1], loops_[2], parts[0], loops_[3], loops_[5], loops_[4], parts[1]}));
    RX_CHECK(bindTo(schedule_, loops_[0], "blockIdx.y"));
    RX_CHECK(bindTo(schedule_, loops_[1], "blockIdx.x"));
    RX_CHECK(bindTo(schedule_, loops_[2], kX));
    RX_CHECK(bindTo(schedule_, parts[0], kY));
    return vectorizeInner(schedule_, parts[1], shape_.lanes);
  }

  Result<Unit> vectorizedFrom(BlockRef block, size_t first) {
    const std::vector<LoopRef> loops = schedule_.loops(block);
    if (loops.size() <= first) return refuse("fuse", schedule_.name(block), "it has too few loops");
    RX_TRY(fused, fuse(schedule_, std::span(loops).subspan(first)));
    return vectorizeInner(schedule_, fused, shape_.lanes);
  }

  Result<Unit> unpack(BlockRef weights) {
    RX_CHECK(computeAt(schedule_, weights, loops_[5], true));
    RX_CHECK(setScope(schedule_, weights, 0, "local"));
    RX_CHECK(vectorizedFrom(weights, 6));
    for (const size_t operand : {size_t{0}, size_t{1}}) {
      RX_TRY(copy, cacheRead(schedule_, weights, operand, "local"));
      RX_CHECK(computeAt(schedule_, copy, loops_[3], true));
      RX_CHECK(vectorizedFrom(copy, 5));
    }
    return Unit{};
  }

  Result<Unit> share(BlockRef padding) {
    RX_CHECK(setScope(schedule_, padding, 0, "shared"));
    RX_CHECK(computeAt(schedule_, padding, loops_[3], true));
    RX_CHECK(storageAlign(schedule_, padding, 0, -2, 8, 1));
    const std::vector<LoopRef> loops = schedule_.loops(padding);
    if (loops.size() < 6) return refuse("fuse", schedule_.name(padding), "it has too few loops");
    RX_TRY(fused, fuse(schedule_, std::span(loops).subspan(5)));
    RX_TRY(parts, split(schedule_, fused, {shape_.sums, shape_.places, 0}));
    RX_CHECK(bindTo(schedule_, parts[0], kY));
    RX_CHECK(bindTo(schedule_, parts[1], kX));
    return vectorizeInner(schedule_, parts[2], shape_.lanes);
  }

  Result<Unit> finish(BlockRef epilogue) {
    if (isBroadcastEpilogue(schedule_, block_, epilogue)) {
      return refuse("reverse_compute_at", schedule_.name(epilogue), "it reads an element more than once");
    }
    RX_CHECK(reverseComputeAt(schedule_, epilogue, loops_[1], true));
    const std::vector<LoopRef> loops = schedule_.loops(epilogue);
    if (loops.size() != 4) return refuse("bind", schedule_.name(epilogue), "it has other loops");
    RX_CHECK(bindTo(schedule_, loops[3], kX));
    return setScope(schedule_, block_, 0, "local");
  }

  const LowBatch& batch_;
  Schedule& schedule_;
  const BlockRef block_;
  const Shape& shape_;
  BlockRef first_{}, second_{};
  std::vector<LoopRef> loops_;
};

}  // namespace

Result<Unit> lowBatchInnerPlaces(const LowBatch& batch) { return InnerPlaces(batch).run(); }

}  // namespace rx::schedule
