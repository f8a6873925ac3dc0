// gpu.Matmul: a product of matrices in tiles. A block of threads copies slices of both operands to shared memory; each
// thread sums a small tile of its own.
#include "core/schedule/rule_gpu_matmul.h"

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/schedule/matmul.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"
#include "core/schedule/rules.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Tiles of a kind of target: threads along x and y, the elements that each has, and how far it sums at a time.
struct MatmulShape {
  bool (*takes)(const target::Target& target);
  int64_t threadsX, threadsY;
  int64_t tileX, tileY, tileK;
  int64_t lanes, unrolled;
  bool shared, aligned;  ///< slices in shared memory, padded against bank conflicts
  bool innerX;           ///< x walks along the columns of the result
};

bool isCudaLike(const target::Target& target) { return target.kind() == "cuda" || target.kind() == "rocm"; }
bool isAny(const target::Target&) { return true; }

constexpr MatmulShape kShapes[] = {
    {isCudaLike, 8, 16, 4, 4, 16, 2, 256, true, true, false},
    {isAdreno, 32, 4, 8, 2, 16, 8, 16, false, false, true},
    {isAny, 8, 8, 4, 4, 8, 1, 256, true, false, false},
};

class Matmul {
 public:
  Matmul(Schedule& schedule, BlockRef block, const MatmulShape& shape)
      : schedule_(schedule), block_(block), shape_(shape) {}

  Result<Unit> run() {
    RX_CHECK(tile());
    RX_TRY(result, cacheWrite(schedule_, block_, 0, "local"));
    RX_CHECK(reverseComputeAt(schedule_, result, threads_, true));
    if (shape_.tileX % shape_.lanes == 0) {
      RX_TRY(parts, split(schedule_, schedule_.loops(result).back(), {0, shape_.lanes}));
      RX_CHECK(vectorize(schedule_, parts[1]));
    }
    if (shape_.shared) {
      RX_TRY(left, fetch(0));
      RX_TRY(right, fetch(1));
      inlineProducers(schedule_, left);
      inlineProducers(schedule_, right);
    } else {
      inlineProducers(schedule_, block_);
    }
    RX_CHECK(inlineConsumerChain(schedule_, result));
    RX_CHECK(decomposeReduction(schedule_, block_, steps_));
    return Unit{};
  }

 private:
  Result<Unit> tile() {
    const int64_t x = shape_.threadsX * shape_.tileX, y = shape_.threadsY * shape_.tileY;
    const int64_t rows = shape_.innerX ? y : x, columns = shape_.innerX ? x : y;
    RX_CHECK(padEinsum(schedule_, block_, std::array<int64_t, 4>{1, rows, columns, shape_.tileK}));
    const std::vector<LoopRef> loops = schedule_.loops(block_);  // batch, rows, columns, sums
    RX_TRY(ys, split(schedule_, shape_.innerX ? loops[1] : loops[2], {0, 1, shape_.threadsY, shape_.tileY}));
    RX_TRY(xs, split(schedule_, shape_.innerX ? loops[2] : loops[1], {0, 1, shape_.threadsX, shape_.tileX}));
    RX_TRY(sums, split(schedule_, loops[3], {0, shape_.tileK}));
    std::vector<LoopRef> order{ys[0], xs[0], ys[1], xs[1], ys[2], xs[2], sums[0], sums[1]};
    order.push_back(shape_.innerX ? ys[3] : xs[3]);
    order.push_back(shape_.innerX ? xs[3] : ys[3]);
    RX_CHECK(reorder(schedule_, order));
    RX_TRY(batches, fuse(schedule_, std::array{loops[0], ys[0]}));
    RX_CHECK(bindTo(schedule_, xs[0], "blockIdx.x"));
    RX_CHECK(bindTo(schedule_, batches, "blockIdx.y"));
    RX_CHECK(bindTo(schedule_, ys[1], "vthread.y"));
    RX_CHECK(bindTo(schedule_, xs[1], "vthread.x"));
    RX_CHECK(bindTo(schedule_, ys[2], "threadIdx.y"));
    RX_CHECK(bindTo(schedule_, xs[2], "threadIdx.x"));
    if ((shape_.innerX ? shape_.tileX : shape_.tileY) % shape_.lanes == 0) {
      RX_TRY(parts, split(schedule_, order.back(), {0, shape_.lanes}));
      RX_CHECK(vectorize(schedule_, parts[1]));
    }
    RX_CHECK(unrollUpTo(schedule_, xs[2], shape_.unrolled));
    threads_ = xs[2];
    steps_ = sums[0];
    return Unit{};
  }

  /// The slice of an operand that a block of threads needs for the next steps, copied by all of them.
  Result<BlockRef> fetch(size_t operand) {
    RX_TRY(copy, cacheRead(schedule_, block_, operand, "shared"));
    const size_t count = schedule_.loops(copy).size();
    RX_CHECK(computeAt(schedule_, copy, steps_, true));
    const std::vector<LoopRef> loops = schedule_.loops(copy);
    RX_TRY(fused, fuse(schedule_, std::span(loops).last(count)));
    RX_TRY(parts, split(schedule_, fused, {shape_.threadsY, shape_.threadsX, 0, shape_.lanes}));
    RX_CHECK(vectorize(schedule_, parts[3]));
    RX_CHECK(bindTo(schedule_, parts[0], "threadIdx.y"));
    RX_CHECK(bindTo(schedule_, parts[1], "threadIdx.x"));
    if (shape_.aligned) RX_CHECK(storageAlign(schedule_, copy, 0, 1, 8, shape_.lanes));
    return copy;
  }

  Schedule& schedule_;
  const BlockRef block_;
  const MatmulShape& shape_;
  LoopRef threads_, steps_;
};

}  // namespace

Result<Outcome> gpuMatmul(const RuleInput& input) {
  RX_TRY(schedule, Schedule::of(input.kernel));
  const auto block = onlyReduction(schedule);
  if (!block) return notApplied("it has not one block that reduces, with data-parallel ones");
  if (!isMatmul(*schedule.get(*block))) return notApplied("its block is no product of two matrices");
  if (isAdreno(input.target) && isOuterMatmul(schedule, *block)) {
    RX_CHECK(scheduleOuterMatmul(schedule, *block));
    return applied(schedule);
  }
  RX_CHECK(normalizeMatmul(schedule, *block));
  const MatmulShape& shape = *std::find_if(std::begin(kShapes), std::end(kShapes),
                                           [&](const MatmulShape& s) { return s.takes(input.target); });
  RX_CHECK(Matmul(schedule, *block, shape).run());
  return applied(schedule);
}

}  // namespace rx::schedule
