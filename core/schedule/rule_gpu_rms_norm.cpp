// gpu.RMSNorm: each row is read once into registers, its mean square is summed in a block of threads, and what is made
// of it is written by the same threads.
#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rules.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Threads of a block by the kind of the target.
struct Shape {
  std::string_view kind;
  int64_t threads;
};
constexpr Shape kShapes[] = {{"cuda", 512}, {"opencl", 256}, {"", 64}};
constexpr int64_t kLanes = 8;

/// Whether the block stores elements as they are, or in another type, at their own indices.
bool isCopy(const Block& block) {
  const auto* store = as<BufferStore>(block.body);
  if (!store || block.reads.size() != 1 || block.writes.size() != 1) return false;
  const auto* convert = as<Cast>(store->value);
  const auto* load = as<BufferLoad>(convert ? convert->value : store->value);
  return load && std::equal(load->indices.begin(), load->indices.end(), store->indices.begin(), store->indices.end());
}

bool isRsqrt(const Block& block) {
  const auto* store = as<BufferStore>(block.body);
  return store && block.reads.size() == 1 && block.writes.size() == 1 && lower::asCallOf(store->value, "rsqrt");
}

/// The blocks of the kernel by what they are for.
struct Stages {
  BlockRef read, square, sum, root, norm, write;
};

Result<Unit> dealt(Schedule& schedule, const Stages& stages, int64_t threads) {
  const std::vector<LoopRef> rows = schedule.loops(stages.read);
  if (rows.size() != 2) return refuse("split", schedule.name(stages.read), "it has no rows");
  RX_TRY(parts, split(schedule, rows[1], {threads, 0, kLanes}));
  RX_CHECK(bindTo(schedule, rows[0], "blockIdx.x"));
  RX_CHECK(bindTo(schedule, parts[0], "threadIdx.x"));
  RX_CHECK(vectorize(schedule, schedule.loops(stages.read).back()));
  RX_CHECK(reverseComputeAt(schedule, stages.square, parts[0], false));
  RX_CHECK(reverseComputeAt(schedule, stages.sum, parts[0], false));
  RX_CHECK(reverseComputeAt(schedule, stages.root, rows[0], false));
  RX_CHECK(reverseComputeAt(schedule, stages.norm, rows[0], false));
  RX_TRY(shares, split(schedule, schedule.loops(stages.norm).back(), {threads, 0, kLanes}));
  RX_CHECK(bindTo(schedule, shares[0], "threadIdx.x"));
  RX_CHECK(reverseComputeAt(schedule, stages.write, shares[0], false));
  return vectorize(schedule, schedule.loops(stages.write).back());
}

}  // namespace

Result<Outcome> gpuRmsNorm(const RuleInput& input) {
  RX_TRY(schedule, Schedule::of(input.kernel));
  std::vector<BlockRef> blocks = schedule.childBlocks(schedule.root());
  if (std::none_of(blocks.begin(), blocks.end(), [&](BlockRef block) { return isRsqrt(*schedule.get(block)); })) {
    return notApplied("no block takes a reciprocal square root");
  }
  RX_CHECK(cacheRead(schedule, blocks.front(), 0, "local"));
  RX_CHECK(cacheWrite(schedule, blocks.back(), 0, "local"));
  for (const BlockRef block : blocks) {
    if (isCopy(*schedule.get(block))) RX_CHECK(computeInline(schedule, block));
  }
  blocks = schedule.childBlocks(schedule.root());
  if (blocks.size() != 6 || !isRsqrt(*schedule.get(blocks[3]))) return notApplied("its blocks are not those of a norm");
  const Stages stages{blocks[0], blocks[1], blocks[2], blocks[3], blocks[4], blocks[5]};
  for (const BlockRef block : blocks) {
    const std::vector<LoopRef> loops = schedule.loops(block);
    if (loops.size() < 2) return notApplied("a block has no rows");
    RX_CHECK(fuse(schedule, std::span(loops).first(loops.size() - 1)));
  }
  const Shape& shape = *std::find_if(std::begin(kShapes), std::end(kShapes),
                                     [&](const Shape& s) { return s.kind == input.target.kind() || s.kind.empty(); });
  RX_CHECK(dealt(schedule, stages, shape.threads));
  RX_CHECK(setScope(schedule, stages.square, 0, "local"));
  RX_CHECK(setScope(schedule, stages.sum, 0, "local"));
  RX_CHECK(setScope(schedule, stages.root, 0, "shared"));
  RX_CHECK(setScope(schedule, stages.norm, 0, "local"));
  return applied(schedule);
}

}  // namespace rx::schedule
