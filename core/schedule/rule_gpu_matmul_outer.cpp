// gpu.Matmul on Adreno where the sums do not lie innermost in the second operand, and there are a few rows of unknown
// number: the first operand is turned so that vectors of rows are read at once, and weights are unpacked where they are
// used.
#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/loop_nest.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"
#include "core/schedule/rule_gpu_matmul.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr int64_t kThreadsX = 32, kThreadsY = 4, kLanes = 8, kRows = 16;
constexpr int64_t kWords = 4, kPacked = 8;  ///< words of a scale, and terms of a word

/// i, j, k to i, j / rows, k, j % rows.
Ref<IndexMap> rowsInnermost(const Buffer& buffer) {
  std::vector<VarRef> from;
  for (const PrimExpr& size : buffer.shape) from.push_back(make<Var>(Str("i"), size->dtype));
  const PrimExpr rows = arith::constantInt(from[1]->dtype, kRows);
  const Array<PrimExpr> to{from[0], arith::floorDiv(from[1], rows), from[2], arith::floorMod(from[1], rows)};
  return make<IndexMap>(Array<VarRef>(std::move(from)), to);
}

class OuterMatmul {
 public:
  OuterMatmul(Schedule& schedule, BlockRef block) : schedule_(schedule), block_(block) {}

  Result<Unit> run() {
    RX_CHECK(prepare());
    RX_CHECK(turn());
    RX_CHECK(tile());
    RX_TRY(input, cacheRead(schedule_, block_, 0, "local"));
    RX_CHECK(computeAt(schedule_, input, terms_[2], true));
    RX_CHECK(vectorize(schedule_, schedule_.loops(input).back()));
    RX_CHECK(unroll(schedule_, rows_[2]));
    RX_CHECK(unroll(schedule_, terms_[2]));
    if (weights_) RX_CHECK(unpack(*weights_));
    RX_CHECK(reverseComputeAt(schedule_, result_, rows_[1], false));
    const std::vector<LoopRef> loops = schedule_.loops(result_);
    if (loops.size() < 2) return refuse("unroll", schedule_.name(result_), "it has too few loops");
    RX_CHECK(vectorize(schedule_, loops.back()));
    RX_CHECK(unroll(schedule_, loops[loops.size() - 2]));
    RX_CHECK(decomposeReduction(schedule_, block_, terms_[0]));
    return Unit{};
  }

 private:
  /// Inlines what can be, pads rows, and finds the blocks before and behind.
  Result<Unit> prepare() {
    const std::vector<BlockRef> blocks = schedule_.childBlocks(schedule_.root());
    for (size_t i = 0; i + 1 < blocks.size(); ++i) {
      if (blocks[i] == block_) continue;
      if (schedule_.name(blocks[i]).find("dequantize") != std::string_view::npos) {
        weights_ = blocks[i];
      } else {
        RX_CHECK(computeInline(schedule_, blocks[i]));
      }
    }
    RX_TRY(copy, reindex(schedule_, block_, {Access::Read, 0}));
    RX_CHECK(padEinsum(schedule_, block_, std::array<int64_t, 4>{1, kRows, 1, 1}));
    RX_CHECK(computeInline(schedule_, copy));
    const BlockScope scope(*schedule_.get(schedule_.root()));
    const Ref<Block> main = schedule_.get(block_);
    const Ref<BlockRealize> before = scope.onlyWriter(*main->reads[0]->buffer);
    const std::vector<Ref<BlockRealize>> behind = scope.consumers(*main);
    if (!before || behind.empty()) return refuse("pad_einsum", schedule_.name(block_), "its rows need no padding");
    turned_ = schedule_.handle(*before->block);
    result_ = schedule_.handle(*behind.front()->block);
    if (blocks.back() == block_) return Unit{};
    RX_CHECK(computeInline(schedule_, result_));
    result_ = blocks.back();
    return Unit{};
  }

  /// The block that pads the first operand writes vectors of rows.
  Result<Unit> turn() {
    const BufferRef buffer = schedule_.get(turned_)->writes[0]->buffer;
    if (buffer->shape.size() != 3) return refuse("transform_layout", schedule_.name(turned_), "it has not three axes");
    RX_CHECK(transformLayout(schedule_, turned_, {Access::Write, 0}, *rowsInnermost(*buffer)));
    const std::vector<LoopRef> loops = schedule_.loops(turned_);
    RX_TRY(columns, split(schedule_, loops[2], {0, kThreadsX}));
    RX_TRY(rows, split(schedule_, loops[1], {0, kThreadsY, kRows}));
    RX_CHECK(bindTo(schedule_, loops[0], "blockIdx.z"));
    RX_CHECK(bindTo(schedule_, rows[0], "blockIdx.y"));
    RX_CHECK(bindTo(schedule_, columns[0], "blockIdx.x"));
    RX_CHECK(bindTo(schedule_, rows[1], "threadIdx.y"));
    RX_CHECK(bindTo(schedule_, columns[1], "threadIdx.x"));
    RX_CHECK(reorder(schedule_, std::array{loops[0], rows[0], columns[0], rows[1], columns[1], rows[2]}));
    return vectorize(schedule_, rows[2]);
  }

  Result<Unit> tile() {
    const std::vector<LoopRef> loops = schedule_.loops(block_);  // batch, rows, columns, sums
    const int64_t wide = extentOf(schedule_, loops[2]).value_or(0) / kThreadsX;
    const int64_t lanes = std::min(largestFactor(wide, {1, 2, 4, 8}), kLanes);
    RX_TRY(all, fuse(schedule_, std::array{loops[0], loops[1]}));
    RX_TRY(columns, split(schedule_, loops[2], {0, kThreadsX, lanes}));
    RX_TRY(rows, split(schedule_, all, {0, kThreadsY, kRows}));
    RX_TRY(terms, split(schedule_, loops[3], {0, kWords, kPacked}));
    RX_CHECK(reorder(schedule_, std::array{columns[0], rows[0], columns[1], rows[1], terms[0], terms[1], terms[2],
                                           rows[2], columns[2]}));
    RX_CHECK(setScope(schedule_, block_, 0, "local"));
    if (weights_) {
      RX_CHECK(computeAt(schedule_, *weights_, terms[2], false));
      RX_CHECK(setScope(schedule_, *weights_, 0, "local"));
    }
    RX_CHECK(bindTo(schedule_, rows[0], "blockIdx.y"));
    RX_CHECK(bindTo(schedule_, columns[0], "blockIdx.x"));
    RX_CHECK(bindTo(schedule_, rows[1], "threadIdx.y"));
    RX_CHECK(bindTo(schedule_, columns[1], "threadIdx.x"));
    RX_CHECK(vectorize(schedule_, columns[2]));
    rows_ = rows;
    terms_ = terms;
    return Unit{};
  }

  /// Words and scales of weights, each loaded where it is good for the most terms.
  Result<Unit> unpack(BlockRef weights) {
    RX_TRY(words, cacheRead(schedule_, weights, 0, "local"));
    RX_CHECK(computeAt(schedule_, words, terms_[1], true));
    RX_CHECK(vectorize(schedule_, schedule_.loops(words).back()));
    RX_TRY(scales, cacheRead(schedule_, weights, 1, "local"));
    RX_CHECK(computeAt(schedule_, scales, terms_[0], true));
    RX_CHECK(vectorize(schedule_, schedule_.loops(scales).back()));
    return vectorize(schedule_, schedule_.loops(weights).back());
  }

  Schedule& schedule_;
  const BlockRef block_;
  std::optional<BlockRef> weights_;  ///< takes packed weights apart
  BlockRef turned_{}, result_{};
  std::vector<LoopRef> rows_, terms_;
};

}  // namespace

bool isOuterMatmul(const Schedule& schedule, BlockRef block) {
  const Ref<Block> main = schedule.get(block);
  const PrimExpr& last = main->reads.back()->region.back()->min;
  const bool inner = std::any_of(main->iterVars.begin(), main->iterVars.end(), [&](const auto& axis) {
    return axis->var == last && axis->iterType == IterType::CommReduce;
  });
  const std::vector<LoopRef> loops = schedule.loops(block);
  return !inner && loops.size() == 4 && extentOf(schedule, loops[0]) && !extentOf(schedule, loops[1]) &&
         extentOf(schedule, loops[2]);
}

Result<Unit> scheduleOuterMatmul(Schedule& schedule, BlockRef block) { return OuterMatmul(schedule, block).run(); }

}  // namespace rx::schedule
