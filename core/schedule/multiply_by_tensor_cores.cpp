// gpu.TensorCores: a product of matrices of float16 or bfloat16 by the tensor cores of CUDA devices. A group of threads
// fetches slices of both operands to shared memory, the next ones while it multiplies: each warp takes a part of the
// group's tile in products of 16 by 8 by 16, summed in float32. Elements outside of the matrices count as zeros and are
// not stored.
#include "core/arith/fold.h"
#include "core/lower/intrinsics.h"
#include "core/lower/new_buffer.h"
#include "core/lower/statements.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/matrix_product.h"
#include "core/schedule/primitives.h"

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

const DataType kFloat = DataType::Float(32), kLong = DataType::Int(64);

Stmt wait() { return lower::effect("tvm_storage_sync", {make<StringImm>(Str("shared"))}); }
PrimExpr word(std::string_view text) { return make<StringImm>(Str(text)); }

/// An operand over (batch, own, sum), `own` being a row or a column of the result.
class Operand {
 public:
  Operand(std::string name, const Cells& cells, PrimExpr own, PrimExpr sums, int64_t tile)
      : cells_(cells), own_(std::move(own)), sums_(std::move(sums)), tile_(tile) {
    const auto* load = as<BufferLoad>(cells_.store().value);
    ownInner_ = load && !load->indices.empty() && cells_.isLast(load->indices.back(), 1);
    ahead_ = cells_.copied(ownInner_ ? 1 : 2, kAtOnce) != nullptr;
    element_ = cells_.store().buffer->dtype;
    const int64_t lines = ownInner_ ? kSums : tile_;
    pitch_ = (ownInner_ ? tile_ : kSums) + kPadding;
    shared_ = lower::newBuffer(Str(name), element_, {int32(kStages * lines * pitch_)}, "shared");
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
      return make<IfThenElse>(inside, put(value), put(arith::constant(element_, 0)));
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
    const PrimExpr copy =
        lower::intrinsic(element_, "ptx_cp_async",
                         {shared_->data, place, from.buffer->data, arith::select(inside, flatPlace(from), intImm(0)),
                          int32(kAtOnce * 2), inside});
    return make<Evaluate>(copy);
  }

  const Cells cells_;
  const PrimExpr own_, sums_;
  const int64_t tile_;
  DataType element_;
  bool ownInner_ = false;  ///< its own axis is the one that is in order in memory
  bool ahead_ = false;
  int64_t pitch_ = 0;
  BufferRef shared_;
};

class Product {
 public:
  explicit Product(MatrixProduct product)
      : product_(std::move(product)),
        left_("left", product_.left, product_.extents[1], product_.extents[3], kRows),
        right_("right", product_.right, product_.extents[2], product_.extents[3], kColumns),
        a_(lower::newBuffer(Str("a"), product_.element, {int32(kWarpRows / kM * 8)}, "local")),
        b_(lower::newBuffer(Str("b"), product_.element, {int32(kWarpColumns / kN * 4)}, "local")),
        c_(lower::newBuffer(Str("c"), kFloat, {int32(kWarpRows / kM * (kWarpColumns / kN) * 4)}, "local")) {}

  Stmt kernel() const {
    return product_.kernel(kRows, kColumns, kThreads, {left_.shared(), right_.shared(), a_, b_, c_},
                           [this](const auto& batch, const auto& row, const auto& column, const auto& thread) {
                             return body(batch, row, column, thread);
                           });
  }

 private:
  Stmt body(const PrimExpr& batch, const PrimExpr& row, const PrimExpr& column, const PrimExpr& thread) const {
    const PrimExpr lane = arith::floorMod(thread, int32(kWarp)), warp = arith::floorDiv(thread, int32(kWarp));
    const int64_t across = kColumns / kWarpColumns;
    const PrimExpr ownRow = arith::mul(arith::floorDiv(warp, int32(across)), int32(kWarpRows));
    const PrimExpr ownColumn = arith::mul(arith::floorMod(warp, int32(across)), int32(kWarpColumns));
    const PrimExpr steps = tilesOf(product_.extents[3], kSums);
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
    const PrimExpr element = elementName(product_.element);
    for (int64_t i = 0; i < kWarpRows / kM; ++i) {
      for (int64_t j = 0; j < kWarpColumns / kN; ++j) {
        to.push_back(lower::effect(
            "ptx_mma_legacy", {word("m16n8k16"), word("row"), word("col"), element, element, word("fp32"), a_->data,
                               int32(8 * i), b_->data, int32(4 * j), c_->data, int32(sumAt(i, j)), boolImm(false)}));
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
          const PrimExpr sum = make<BufferLoad>(c_, Array<PrimExpr>{int32(sumAt(i, j) + part)}, kFloat);
          to.push_back(product_.stored(batch, arith::add(row, wide(down)), arith::add(column, wide(right)), sum));
        }
      }
    }
  }

  const MatrixProduct product_;
  const Operand left_, right_;
  const BufferRef a_, b_, c_;
};

}  // namespace

Result<Unit> bare::multiplyByTensorCores(Schedule& schedule, BlockRef block) {
  RX_TRY(found, MatrixProduct::of(schedule, block, kName));
  const Product product(std::move(found));
  replaceAll(schedule, product.kernel());
  return Unit{};
}

}  // namespace rx::schedule
