// gpu.TensorCores: a product of float16 matrices by the tensor cores of CUDA devices. A group of threads fetches slices
// of both operands to shared memory, the next ones while it multiplies: each warp takes a part of the group's tile in
// products of 16 by 8 by 16, summed in float32. Elements outside of the matrices count as zeros and are not stored.
#include <fmt/format.h>

#include <algorithm>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/new_buffer.h"
#include "core/lower/rewriter.h"
#include "core/lower/scope.h"
#include "core/lower/statements.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"

namespace rx::schedule {

using namespace tir;
using lower::int32;

namespace {

/// A group's tile, and those of its warps.
constexpr int64_t kRows = 128, kColumns = 128, kSums = 32;
constexpr int64_t kWarpRows = 64, kWarpColumns = 32, kWarp = 32;
constexpr int64_t kThreads = kRows / kWarpRows * (kColumns / kWarpColumns) * kWarp;
/// One product.
constexpr int64_t kM = 16, kN = 8, kK = 16;
/// Slices that are in shared memory at a time.
constexpr int64_t kStages = 2;
/// Elements between the ends of lines in shared memory, so that eight of them lie in different banks.
constexpr int64_t kPadding = 8;
/// Elements that are copied at once, where they follow each other.
constexpr int64_t kAtOnce = 8;
constexpr std::string_view kName = "multiply_by_tensor_cores";

const DataType kHalf = DataType::Float(16), kFloat = DataType::Float(32), kLong = DataType::Int(64);

PrimExpr wide(PrimExpr x) { return arith::cast(kLong, std::move(x)); }
PrimExpr tiles(const PrimExpr& extent, int64_t each) {
  return arith::floorDiv(arith::add(wide(extent), intImm(each - 1)), intImm(each));
}
Stmt counted(int64_t extent, const std::function<Stmt(const PrimExpr&)>& body) {
  const auto var = make<Var>(Str("part"), DataType::Int(32));
  return make<For>(var, int32(0), int32(extent), ForKind::Serial, body(var));
}
Stmt wait() { return lower::effect("tvm_storage_sync", {make<StringImm>(Str("shared"))}); }
PrimExpr word(std::string_view text) { return make<StringImm>(Str(text)); }

/// A block that stores one element for each place (batch, one, other), which its axes tell.
struct Cells {
  Ref<Block> block;
  std::array<std::vector<std::pair<VarRef, PrimExpr>>, 3> axes;  ///< of each dimension, with their extents

  /// Nothing where `place` is something else than axes, each in one dimension, in order.
  static std::optional<Cells> of(Ref<Block> block, const Array<PrimExpr>& place) {
    if (block->init || !isa<BufferStore>(block->body) || !block->allocBuffers.empty() || !block->matchBuffers.empty() ||
        place.size() != 3)
      return std::nullopt;
    Cells made{std::move(block), {}};
    size_t used = 0;
    arith::Analyzer analyzer;
    for (size_t i = 0; i < 3; ++i) {
      PrimExpr fused = intImm(0);
      for (const auto& axis : made.block->iterVars) {
        if (!lower::uses(place[i], axis->var.get())) continue;
        made.axes[i].emplace_back(axis->var, axis->dom->extent);
        fused = arith::add(arith::mul(fused, axis->dom->extent), axis->var);
      }
      used += made.axes[i].size();
      if (!analyzer.canProve(arith::eq(wide(fused), wide(place[i])))) return std::nullopt;
    }
    const auto many = [](const Ref<IterVar>& axis) { return !arith::isOne(axis->dom->extent); };
    const auto count = static_cast<size_t>(std::ranges::count_if(made.block->iterVars, many));
    return used < count ? std::nullopt : std::optional(made);
  }

  const BufferStore& store() const { return *as<BufferStore>(block->body); }
  /// The store at a place.
  Stmt at(const std::array<PrimExpr, 3>& place) const {
    arith::VarMap map;
    for (const auto& axis : block->iterVars) map[axis->var.get()] = arith::constantInt(axis->var->dtype, 0);
    for (size_t i = 0; i < 3; ++i) {
      PrimExpr left = place[i];
      for (size_t k = axes[i].size(); k-- > 0;) {
        const auto& [var, extent] = axes[i][k];
        const PrimExpr step = k == 0 ? left : arith::floorMod(left, wide(extent));
        if (k > 0) left = arith::floorDiv(left, wide(extent));
        map[var.get()] = arith::cast(var->dtype, step);
      }
    }
    return lower::substitute(block->body, map);
  }
  /// Whether an expression is the last axis of a dimension.
  bool isLast(const PrimExpr& expr, size_t dimension) const {
    return !axes[dimension].empty() && expr == axes[dimension].back().first;
  }
};

/// An operand over (batch, own, sum), `own` being a row or a column of the result.
class Operand {
 public:
  Operand(std::string name, const Cells& cells, PrimExpr own, PrimExpr sums, int64_t tile)
      : cells_(cells), own_(std::move(own)), sums_(std::move(sums)), tile_(tile) {
    const auto* load = as<BufferLoad>(cells_.store().value);
    const PrimExpr last = load && !load->indices.empty() ? load->indices.back() : nullptr;
    ownInner_ = last && cells_.isLast(last, 1);
    const size_t inner = ownInner_ ? 1 : 2;
    const auto extent = cells_.axes[inner].empty() ? std::nullopt : asInt(cells_.axes[inner].back().second);
    const bool plain = last && load->buffer->strides.empty() && !load->predicate && load->buffer->dtype == kHalf &&
                       (!load->buffer->elemOffset || asInt(load->buffer->elemOffset) == 0);
    // Elements that are copied at once are all there, or none of them.
    ahead_ = plain && cells_.isLast(last, inner) && cells_.axes[inner].size() == 1 && extent && *extent % kAtOnce == 0;
    const int64_t lines = ownInner_ ? kSums : tile_;
    pitch_ = (ownInner_ ? tile_ : kSums) + kPadding;
    shared_ = lower::newBuffer(Str(name), kHalf, {int32(kStages * lines * pitch_)}, "shared");
  }

  const BufferRef& shared() const { return shared_; }
  /// Whether copies of several elements go past the registers.
  bool ahead() const { return ahead_; }
  int64_t elements() const { return (ownInner_ ? kSums : tile_) * pitch_; }

  /// All threads fetch the slice from `first` (of its own axis) and `sum` on to a stage.
  Stmt fetch(const PrimExpr& batch, const PrimExpr& first, const PrimExpr& sum, const PrimExpr& stage,
             const PrimExpr& thread) const {
    const int64_t each = ahead_ ? kAtOnce : 1, inner = (ownInner_ ? tile_ : kSums) / each;
    return counted(tile_ * kSums / each / kThreads, [&](const PrimExpr& part) -> Stmt {
      const PrimExpr number = arith::add(arith::mul(part, int32(kThreads)), thread);
      const PrimExpr line = arith::floorDiv(number, int32(inner));
      const PrimExpr step = arith::mul(arith::floorMod(number, int32(inner)), int32(each));
      const PrimExpr own = arith::add(first, wide(ownInner_ ? step : line));
      const PrimExpr at = arith::add(sum, wide(ownInner_ ? line : step));
      const PrimExpr inside = arith::logicalAnd(arith::lt(own, wide(own_)), arith::lt(at, wide(sums_)));
      const PrimExpr place =
          arith::add(arith::mul(stage, int32(elements())), arith::add(arith::mul(line, int32(pitch_)), step));
      const Stmt one = cells_.at({batch, own, at});
      const PrimExpr value = as<BufferStore>(one)->value;
      if (ahead_) return copied(*as<BufferLoad>(value), place, inside);
      const auto put = [&](const PrimExpr& x) { return make<BufferStore>(shared_, x, Array<PrimExpr>{place}); };
      return make<IfThenElse>(inside, put(value), put(arith::constant(kHalf, 0)));
    });
  }

  /// Four matrices of 8 by 8 to `to`: two along the own axis and two along the sum, `ownFirst` saying which of them
  /// come next to each other.
  Stmt load(const BufferRef& to, int64_t offset, const PrimExpr& own, int64_t sum, const PrimExpr& stage,
            const PrimExpr& lane, bool ownFirst) const {
    const PrimExpr within = arith::floorMod(lane, int32(8));
    const PrimExpr second = arith::mul(arith::floorMod(arith::floorDiv(lane, int32(8)), int32(2)), int32(8));
    const PrimExpr third = arith::mul(arith::floorDiv(lane, int32(16)), int32(8));
    const PrimExpr ownStep = ownFirst ? second : third, sumStep = ownFirst ? third : second;
    PrimExpr row = arith::add(arith::add(own, ownStep), within), column = arith::add(int32(sum), sumStep);
    if (ownInner_) {
      row = arith::add(arith::add(int32(sum), sumStep), within);
      column = arith::add(own, ownStep);
    }
    const PrimExpr place =
        arith::add(arith::mul(stage, int32(elements())), arith::add(arith::mul(row, int32(pitch_)), column));
    return lower::effect("ptx_ldmatrix_legacy",
                         {boolImm(ownInner_), int32(4), word(".b16"), to->data, int32(offset), shared_->data, place});
  }

 private:
  Stmt copied(const BufferLoad& from, const PrimExpr& place, const PrimExpr& inside) const {
    PrimExpr flat = intImm(0);
    for (size_t i = 0; i < from.indices.size(); ++i)
      flat = arith::add(arith::mul(flat, wide(from.buffer->shape[i])), wide(from.indices[i]));
    const PrimExpr copy = lower::intrinsic(
        kHalf, "ptx_cp_async",
        {shared_->data, place, from.buffer->data, arith::select(inside, flat, intImm(0)), int32(kAtOnce * 2), inside});
    return make<Evaluate>(copy);
  }

  const Cells cells_;
  const PrimExpr own_, sums_;
  const int64_t tile_;
  bool ownInner_ = false;  ///< its own axis is the one that is in order in memory
  bool ahead_ = false;
  int64_t pitch_ = 0;
  BufferRef shared_;
};

class Product {
 public:
  Product(const Cells& left, const Cells& right, const Cells& result, BufferRef sums, const Block& main)
      : extents_{main.iterVars[0]->dom->extent, main.iterVars[1]->dom->extent, main.iterVars[2]->dom->extent,
                 main.iterVars[3]->dom->extent},
        left_("left", left, extents_[1], extents_[3], kRows),
        right_("right", right, extents_[2], extents_[3], kColumns),
        result_(result),
        sums_(std::move(sums)),
        a_(lower::newBuffer(Str("a"), kHalf, {int32(kWarpRows / kM * 8)}, "local")),
        b_(lower::newBuffer(Str("b"), kHalf, {int32(kWarpColumns / kN * 4)}, "local")),
        c_(lower::newBuffer(Str("c"), kFloat, {int32(kWarpRows / kM * (kWarpColumns / kN) * 4)}, "local")) {}

  Stmt kernel() const {
    const auto group = make<Var>(Str("group"), DataType::Int(32)), batch = make<Var>(Str("batch"), DataType::Int(32));
    const auto thread = make<Var>(Str("thread"), DataType::Int(32));
    const PrimExpr across = tiles(extents_[2], kColumns);
    const PrimExpr groups = arith::mul(tiles(extents_[1], kRows), across);
    Block memory;
    memory.name = Str("memory");
    memory.allocBuffers = {left_.shared(), right_.shared(), a_, b_, c_};
    memory.body = body(wide(batch), arith::mul(arith::floorDiv(wide(group), across), intImm(kRows)),
                       arith::mul(arith::floorMod(wide(group), across), intImm(kColumns)), thread);
    Stmt made = make<BlockRealize>(Array<PrimExpr>(), boolImm(true), make<Block>(memory));
    made = under("threadIdx.x", thread, int32(kThreads), made);
    made = under("blockIdx.y", batch, arith::cast(DataType::Int(32), wide(extents_[0])), made);
    return under("blockIdx.x", group, arith::cast(DataType::Int(32), groups), made);
  }

 private:
  static Stmt under(const char* tag, const VarRef& var, const PrimExpr& extent, const Stmt& body) {
    auto axis = make<IterVar>(make<Range>(int32(0), extent), var, IterType::ThreadIndex, Str(tag));
    return make<AttrStmt>(NodeRef(axis), Str("thread_extent"), extent, body);
  }

  Stmt body(const PrimExpr& batch, const PrimExpr& row, const PrimExpr& column, const PrimExpr& thread) const {
    const PrimExpr lane = arith::floorMod(thread, int32(kWarp)), warp = arith::floorDiv(thread, int32(kWarp));
    const int64_t across = kColumns / kWarpColumns;
    const PrimExpr ownRow = arith::mul(arith::floorDiv(warp, int32(across)), int32(kWarpRows));
    const PrimExpr ownColumn = arith::mul(arith::floorMod(warp, int32(across)), int32(kWarpColumns));
    const PrimExpr steps = tiles(extents_[3], kSums);
    const auto fetch = [&](const PrimExpr& step) {
      const PrimExpr stage = arith::cast(DataType::Int(32), arith::floorMod(step, intImm(kStages)));
      const PrimExpr sum = arith::mul(step, intImm(kSums));
      return seq(std::vector<Stmt>{left_.fetch(batch, row, sum, stage, thread),
                                   right_.fetch(batch, column, sum, stage, thread)});
    };
    const bool ahead = left_.ahead() || right_.ahead();
    const auto step = make<Var>(Str("step"), kLong);
    const PrimExpr next = arith::add(step, intImm(1));
    const PrimExpr stage = arith::cast(DataType::Int(32), arith::floorMod(step, intImm(kStages)));
    std::vector<Stmt> loop{make<IfThenElse>(arith::lt(next, steps), fetch(next), Stmt())};
    if (ahead) {
      loop.push_back(lower::effect("ptx_commit_group", {}));
      // All but the copies for the next step are done.
      loop.push_back(lower::effect("ptx_wait_group", {int32(1)}));
    }
    loop.push_back(wait());
    for (int64_t sum = 0; sum < kSums; sum += kK) multiply(loop, ownRow, ownColumn, sum, stage, lane);
    loop.push_back(wait());
    std::vector<Stmt> made = zeros();
    made.push_back(fetch(intImm(0)));
    if (ahead) made.push_back(lower::effect("ptx_commit_group", {}));
    made.push_back(make<For>(step, intImm(0), steps, ForKind::Serial, seq(loop)));
    store(made, batch, arith::add(row, wide(ownRow)), arith::add(column, wide(ownColumn)), lane);
    return seq(made);
  }

  std::vector<Stmt> zeros() const {
    std::vector<Stmt> made;
    for (int64_t i = 0; i < *asInt(c_->shape[0]); ++i)
      made.push_back(make<BufferStore>(c_, arith::constant(kFloat, 0), Array<PrimExpr>{int32(i)}));
    return made;
  }

  void multiply(std::vector<Stmt>& to, const PrimExpr& row, const PrimExpr& column, int64_t sum, const PrimExpr& stage,
                const PrimExpr& lane) const {
    for (int64_t i = 0; i < kWarpRows / kM; ++i)
      to.push_back(left_.load(a_, 8 * i, arith::add(row, int32(kM * i)), sum, stage, lane, true));
    // Two products to the right of each other are loaded at once.
    for (int64_t j = 0; j < kWarpColumns / kN; j += 2)
      to.push_back(right_.load(b_, 4 * j, arith::add(column, int32(kN * j)), sum, stage, lane, false));
    for (int64_t i = 0; i < kWarpRows / kM; ++i) {
      for (int64_t j = 0; j < kWarpColumns / kN; ++j) {
        to.push_back(lower::effect("ptx_mma_legacy", {word("m16n8k16"), word("row"), word("col"), word("fp16"),
                                                      word("fp16"), word("fp32"), a_->data, int32(8 * i), b_->data,
                                                      int32(4 * j), c_->data, int32(sumAt(i, j)), boolImm(false)}));
      }
    }
  }

  /// Where the four sums of a product lie that a thread has.
  static int64_t sumAt(int64_t i, int64_t j) { return 4 * (i * (kWarpColumns / kN) + j); }

  void store(std::vector<Stmt>& to, const PrimExpr& batch, const PrimExpr& row, const PrimExpr& column,
             const PrimExpr& lane) const {
    for (int64_t i = 0; i < kWarpRows / kM; ++i) {
      for (int64_t j = 0; j < kWarpColumns / kN; ++j) {
        for (int64_t part = 0; part < 4; ++part) {
          const PrimExpr down = arith::add(arith::floorDiv(lane, int32(4)), int32(kM * i + part / 2 * 8));
          const PrimExpr right =
              arith::add(arith::mul(arith::floorMod(lane, int32(4)), int32(2)), int32(kN * j + part % 2));
          to.push_back(stored(batch, arith::add(row, wide(down)), arith::add(column, wide(right)), sumAt(i, j) + part));
        }
      }
    }
  }

  Stmt stored(const PrimExpr& batch, const PrimExpr& row, const PrimExpr& column, int64_t sum) const {
    const Stmt placed = result_.at({batch, row, column});
    const PrimExpr value = make<BufferLoad>(c_, Array<PrimExpr>{int32(sum)}, kFloat);
    const NodeRef made = rewriteNodes(placed, Into::Parts, nullptr, [&](const NodeRef& node) -> NodeRef {
      const auto* load = as<BufferLoad>(node.get());
      return load && load->buffer == sums_ ? NodeRef(arith::cast(load->dtype, value)) : node;
    });
    const PrimExpr inside = arith::logicalAnd(arith::lt(row, wide(extents_[1])), arith::lt(column, wide(extents_[2])));
    return make<IfThenElse>(inside, cast<StmtNode>(made), Stmt());
  }

  const std::array<PrimExpr, 4> extents_;  ///< batches, rows, columns, sums
  const Operand left_, right_;
  const Cells result_;
  const BufferRef sums_;  ///< that the block of the result reads
  const BufferRef a_, b_, c_;
};

/// Whether the block adds up products of an element of either buffer that it reads, from zero on.
bool isSumOfProducts(const Block& block) {
  const PrimExpr product = summand(block);
  const auto* factors = product ? as<Mul>(product) : nullptr;
  const auto* start = block.init ? as<BufferStore>(block.init) : nullptr;
  if (!factors || !start || !arith::isZero(start->value) || block.reads.size() != 2) return false;
  const auto reads = [](const PrimExpr& factor, const Buffer& buffer) {
    const auto* cast = as<tir::Cast>(factor);
    const auto* load = as<BufferLoad>(cast ? cast->value : factor);
    return load && load->buffer.get() == &buffer;
  };
  const Buffer &a = *block.reads[0]->buffer, &b = *block.reads[1]->buffer;
  return (reads(factors->a, a) && reads(factors->b, b)) || (reads(factors->a, b) && reads(factors->b, a));
}

/// The place of the buffer that the block reads; nothing where it reads several.
Array<PrimExpr> placeRead(const Block& block, const Buffer& buffer) {
  Array<PrimExpr> found;
  bool one = true;
  walk(*block.body, Into::Parts, [&](const Node& node) {
    const auto* load = as<BufferLoad>(&node);
    if (!load || load->buffer.get() != &buffer) return true;
    one = one && (found.empty() || arith::sameExprs(found, load->indices));
    found = load->indices;
    return true;
  });
  return one ? found : Array<PrimExpr>();
}

Array<PrimExpr> placeWritten(const Block& block) {
  const auto* store = as<BufferStore>(block.body);
  return store ? store->indices : Array<PrimExpr>();
}

}  // namespace

Result<Unit> bare::multiplyByTensorCores(Schedule& schedule, BlockRef block) {
  const auto no = [&](std::string_view why) { return refuse(kName, schedule.name(block), why); };
  const Ref<Block> main = schedule.get(block);
  if (!isSumOfProducts(*main) || main->iterVars.size() != 4)
    return no("it adds up something else than products of two elements, over batches, rows, columns and sums");
  const BufferRef sums = main->writes[0]->buffer;
  if (sums->dtype != kFloat && sums->dtype != kHalf) return no("its sums are neither float32 nor float16");
  const BlockScope scope(*schedule.get(schedule.root()));
  const auto a = scope.onlyWriter(*main->reads[0]->buffer), b = scope.onlyWriter(*main->reads[1]->buffer);
  const auto after = scope.consumers(*main);
  if (!a || !b || after.size() != 1 || scope.blocks().size() != 4)
    return no("a stage before or after the product can not be a part of it");
  const auto left = Cells::of(a->block, placeWritten(*a->block)), right = Cells::of(b->block, placeWritten(*b->block));
  const auto result = Cells::of(after.front()->block, placeRead(*after.front()->block, *sums));
  if (!left || !right || !result) return no("what leads to the product, or follows from it, is no single store");
  if (left->store().buffer->dtype != kHalf || right->store().buffer->dtype != kHalf)
    return no("its operands are no float16");
  const Product product(*left, *right, *result, sums, *main);
  const Ref<Block> root = changed(*schedule.get(schedule.root()), [&](Block& whole) {
    whole.allocBuffers = {};
    whole.body = product.kernel();
  });
  schedule.commit(make<BlockRealize>(Array<PrimExpr>(), boolImm(true), root));
  return Unit{};
}

}  // namespace rx::schedule
