// gpu.WarpGroups: a product of matrices of float16 or bfloat16 by the tensor cores of CUDA devices of sm_90a, which
// groups of four warps use together: they read both operands from shared memory, as descriptors tell. Slices of the
// operands lie there in a ring; while the cores work on one, later ones are on their way: by copies that the device
// makes itself, box for box, where a map of the operand is known before, else by those of all threads. Elements outside
// of the matrices count as zeros and are not stored.
#include <fmt/format.h>

#include "core/arith/fold.h"
#include "core/lower/intrinsics.h"
#include "core/lower/new_buffer.h"
#include "core/lower/statements.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/matrix_product.h"
#include "core/schedule/primitives.h"
#include "core/schedule/warp_groups.h"

namespace rx::schedule {

using namespace tir;
using lower::int32;

namespace {

constexpr std::string_view kName = "multiply_by_warp_groups";
/// A group's tile has two of these rows, one a warp group; one product has so many sums.
constexpr int64_t kOwnRows = 64, kWarpGroup = 128, kThreads = 2 * kWarpGroup, kRows = 2 * kOwnRows, kK = 16;
/// A line of shared memory, in elements and bytes, and what is copied at once. Where a piece lies in its line changes
/// from line to line, in a pattern of eight, so that those at one place of eight lines lie in different banks.
constexpr int64_t kLine = 64, kLineBytes = 128, kPiece = 8, kPattern = 8;
/// Sums of a slice, and slices that are in shared memory at a time.
constexpr int64_t kSums = kLine, kStages = 4;

const DataType kFloat = DataType::Float(32), kLong = DataType::Int(64);

/// What the four warps of a group do together.
Stmt ofGroup(std::string_view name, Array<PrimExpr> args) {
  return make<Evaluate>(lower::intrinsic(DataType::Void(), name, std::move(args)));
}

/// An operand over (batch, own, sum), `own` being a row or a column of the result. Its lines in shared memory go along
/// the axis that is in order in memory.
class Slices {
 public:
  Slices(std::string_view name, const Cells& cells, const PrimExpr& batches, PrimExpr own, PrimExpr sums, int64_t tile)
      : cells_(cells), own_(std::move(own)), sums_(std::move(sums)), tile_(tile) {
    ownInner_ = cells_.copied(1, kPiece) != nullptr;
    auto* buffer =
        new Buffer(*lower::newBuffer(Str(name), cells_.store().buffer->dtype, {int32(kStages * elements())}, "shared"));
    buffer->dataAlignment = kPattern * kLineBytes;
    shared_ = BufferRef(buffer);
    map(batches);
  }

  const BufferRef& shared() const { return shared_; }
  /// Whether its pieces can be copied as they are.
  bool copies() const { return ownInner_ || cells_.copied(2, kPiece); }

  /// Whether the device copies its boxes by a map.
  bool mapped() const { return !map_.empty(); }
  /// One thread has the slice from `first` (of its own axis) and `sum` on copied to a stage, whose barrier counts the
  /// bytes.
  void copyBoxes(std::vector<Stmt>& to, const PrimExpr& batch, const PrimExpr& first, const PrimExpr& sum,
                 const PrimExpr& stage) const {
    const int64_t boxElements = kLine * map_[1].box;
    for (int64_t box = 0; box < elements() / boxElements; ++box) {
      const PrimExpr own = ownInner_ ? arith::add(first, intImm(box * kLine)) : first;
      const std::array<PrimExpr, 3> place{batch, own, sum};
      std::vector<PrimExpr> args{shared_->data,
                                 arith::add(arith::mul(stage, int32(elements())), int32(box * boxElements)),
                                 as<BufferLoad>(cells_.store().value)->buffer->data, stage, int32(kLineBytes)};
      for (const Axis& axis : map_) args.push_back(intImm(axis.extent));
      for (size_t i = 1; i < map_.size(); ++i) args.push_back(intImm(map_[i].stride));
      for (const Axis& axis : map_) args.push_back(intImm(axis.box));
      for (const Axis& axis : map_) args.push_back(arith::cast(DataType::Int(32), place[axis.dimension]));
      to.push_back(make<Evaluate>(lower::intrinsic(shared_->dtype, "rx_copy_tile", Array<PrimExpr>(std::move(args)))));
    }
  }
  int64_t bytes() const { return elements() * shared_->dtype.bytes(); }

  /// All threads fetch the slice from `first` (of its own axis) and `sum` on to a stage.
  Stmt fetch(const PrimExpr& batch, const PrimExpr& first, const PrimExpr& sum, const PrimExpr& stage,
             const PrimExpr& thread) const {
    const int64_t pieces = (ownInner_ ? tile_ : kSums) / kPiece;
    return counted(elements() / kPiece / kThreads, [&](const PrimExpr& part) -> Stmt {
      const PrimExpr number = arith::add(arith::mul(part, int32(kThreads)), thread);
      const PrimExpr outer = arith::floorDiv(number, int32(pieces)), inner = arith::floorMod(number, int32(pieces));
      const PrimExpr step = arith::mul(inner, int32(kPiece));
      const PrimExpr own = arith::add(first, wide(ownInner_ ? step : outer));
      const PrimExpr at = arith::add(sum, wide(ownInner_ ? outer : step));
      const PrimExpr inside = arith::logicalAnd(arith::lt(own, wide(own_)), arith::lt(at, wide(sums_)));
      const Stmt one = cells_.at({batch, own, at});
      const auto& from = *as<BufferLoad>(as<BufferStore>(one)->value);
      return make<Evaluate>(lower::intrinsic(
          shared_->dtype, "ptx_cp_async",
          {shared_->data, place(outer, inner, stage), from.buffer->data,
           arith::select(inside, flatPlace(from), intImm(0)), int32(kPiece * shared_->dtype.bytes()), inside}));
    });
  }

  /// What a product says of it, from a place of its own axis and a sum of the slice on: pointer, offset, bytes from a
  /// block of lines to the next one, and from a pattern of lines to the next one.
  void describe(std::vector<PrimExpr>& to, const PrimExpr& own, int64_t sum, const PrimExpr& stage) const {
    PrimExpr offset = arith::mul(stage, int32(elements()));
    offset = ownInner_ ? arith::add(offset, arith::add(arith::mul(own, int32(kSums)), int32(sum * kLine)))
                       : arith::add(offset, arith::add(arith::mul(own, int32(kLine)), int32(sum)));
    to.insert(to.end(), {shared_->data, offset, int32(ownInner_ ? kSums * kLineBytes : kPiece * 2),
                         int32(kPattern * kLineBytes)});
  }
  PrimExpr turned() const { return boolImm(ownInner_); }

 private:
  /// Of a map: a dimension of (batch, own, sum), its elements, how far these are apart, and those of a box.
  struct Axis {
    size_t dimension;
    int64_t extent, stride, box;
  };
  /// Of operands whose extents are known, and whose lines begin at multiples of 16 bytes.
  void map(const PrimExpr& batches) {
    const auto strides = copies() ? cells_.strides() : std::nullopt;
    if (!strides) return;
    const size_t inner = ownInner_ ? 1 : 2, outer = 3 - inner;
    std::vector<Axis> axes;
    for (const size_t dimension : {inner, outer, size_t{0}}) {
      const auto extent = asInt(std::array{batches, own_, sums_}[dimension]);
      if (!extent || *extent <= 0) return;
      const int64_t stride = (*strides)[dimension];
      if (dimension == 0 && (*extent == 1 || stride == 0)) continue;
      if (dimension == inner ? stride != 1 : stride <= 0 || stride % kPiece != 0) return;
      axes.push_back({dimension, *extent, stride, dimension == 0 ? 1 : dimension == 1 && !ownInner_ ? tile_ : kLine});
    }
    map_ = std::move(axes);
  }
  int64_t elements() const { return tile_ * kSums; }
  /// Of a piece: lines of blocks of 64 along its own axis one behind the other, or one for each place of that.
  PrimExpr place(const PrimExpr& outer, const PrimExpr& inner, const PrimExpr& stage) const {
    PrimExpr line = outer, piece = inner;
    if (ownInner_) {
      line = arith::add(arith::mul(arith::floorDiv(inner, int32(kLine / kPiece)), int32(kSums)), outer);
      piece = arith::floorMod(inner, int32(kLine / kPiece));
    }
    piece = lower::intrinsic(DataType::Int(32), "bitwise_xor", {piece, arith::floorMod(line, int32(kPattern))});
    const PrimExpr within = arith::add(arith::mul(line, int32(kLine)), arith::mul(piece, int32(kPiece)));
    return arith::add(arith::mul(stage, int32(elements())), within);
  }

  const Cells cells_;
  const PrimExpr own_, sums_;
  const int64_t tile_;
  std::vector<Axis> map_;  ///< the one that is in order in memory first; empty where there is none
  bool ownInner_ = false;  ///< its own axis is the one that is in order in memory
  BufferRef shared_;
};

class Product {
 public:
  Product(MatrixProduct product, int64_t columns)
      : product_(std::move(product)),
        columns_(columns),
        left_("left", product_.left, product_.extents[0], product_.extents[1], product_.extents[3], kRows),
        right_("right", product_.right, product_.extents[0], product_.extents[2], product_.extents[3], columns),
        mapped_(left_.mapped() && right_.mapped()),
        c_(lower::newBuffer(Str("c"), kFloat, {int32(columns / 2)}, "local")) {}

  bool copies() const { return left_.copies() && right_.copies(); }

  Stmt kernel() const {
    return product_.kernel(kRows, columns_, kThreads, {left_.shared(), right_.shared(), c_},
                           [this](const auto& batch, const auto& row, const auto& column, const auto& thread) {
                             return body(batch, row, column, thread);
                           });
  }

 private:
  static PrimExpr stageOf(const PrimExpr& step) {
    return arith::cast(DataType::Int(32), arith::floorMod(step, intImm(kStages)));
  }
  static Stmt shareSync() { return lower::effect("tvm_storage_sync", {make<StringImm>(Str("shared"))}); }
  PrimExpr steps() const { return tilesOf(product_.extents[3], kSums); }

  /// A barrier for each stage, at which the one thread arrives that asks for its slice.
  void createBarriers(std::vector<Stmt>& to, const PrimExpr& thread) const {
    to.push_back(ofGroup("create_barriers", {int32(kStages)}));
    std::vector<Stmt> made;
    for (int64_t i = 0; i < kStages; ++i)
      made.push_back(ofGroup("ptx_init_barrier_thread_count", {int32(i), int32(1)}));
    made.push_back(lower::effect("rx_fence_async", {}));
    to.push_back(make<IfThenElse>(arith::eq(thread, int32(0)), seq(made), Stmt()));
    to.push_back(shareSync());
  }
  /// A slice by copies of the device; there is none beyond the last one, since nobody would wait for it.
  void copySlice(std::vector<Stmt>& to, const PrimExpr& batch, const PrimExpr& row, const PrimExpr& column,
                 const PrimExpr& step, const PrimExpr& thread) const {
    const PrimExpr sum = arith::mul(step, intImm(kSums)), stage = stageOf(step);
    std::vector<Stmt> made{ofGroup("ptx_arrive_barrier_expect_tx", {stage, int32(left_.bytes() + right_.bytes())})};
    left_.copyBoxes(made, batch, row, sum, stage);
    right_.copyBoxes(made, batch, column, sum, stage);
    const PrimExpr asks = arith::logicalAnd(arith::eq(thread, int32(0)), arith::lt(step, steps()));
    to.push_back(make<IfThenElse>(asks, seq(made), Stmt()));
  }
  /// The pieces of a slice as one group of copies; beyond the last slice it is all zeros.
  void fetch(std::vector<Stmt>& to, const PrimExpr& batch, const PrimExpr& row, const PrimExpr& column,
             const PrimExpr& step, const PrimExpr& thread) const {
    if (mapped_) return copySlice(to, batch, row, column, step, thread);
    const PrimExpr sum = arith::mul(step, intImm(kSums));
    to.push_back(left_.fetch(batch, row, sum, stageOf(step), thread));
    to.push_back(right_.fetch(batch, column, sum, stageOf(step), thread));
    to.push_back(lower::effect("ptx_commit_group", {}));
  }

  Stmt body(const PrimExpr& batch, const PrimExpr& row, const PrimExpr& column, const PrimExpr& thread) const {
    // The slices of this step and of the one before it are in use, all others are fetched.
    constexpr int64_t kAhead = kStages - 2;
    const PrimExpr ownRow = arith::mul(arith::floorDiv(thread, int32(kWarpGroup)), int32(kOwnRows));
    std::vector<Stmt> made;
    for (int64_t i = 0; i < columns_ / 2; ++i)
      made.push_back(make<BufferStore>(c_, arith::constant(kFloat, 0), Array<PrimExpr>{int32(i)}));
    if (mapped_) createBarriers(made, thread);
    for (int64_t i = 0; i < kAhead; ++i) fetch(made, batch, row, column, intImm(i), thread);
    const auto step = make<Var>(Str("step"), kLong);
    // The slice of this step is there, for all threads and for the cores; those before the last one are done with.
    std::vector<Stmt> loop;
    if (mapped_) {
      const PrimExpr phase = arith::floorMod(arith::floorDiv(step, intImm(kStages)), intImm(2));
      loop = {ofGroup("ptx_wait_barrier", {stageOf(step), arith::cast(DataType::Int(32), phase)})};
    } else {
      loop = {lower::effect("ptx_wait_group", {int32(kAhead - 1)}), lower::effect("rx_fence_async", {})};
    }
    loop.insert(loop.end(), {shareSync(), ofGroup("ptx_wgmma_fence", {})});
    for (int64_t sum = 0; sum < kSums; sum += kK) loop.push_back(multiply(ownRow, sum, stageOf(step)));
    loop.push_back(ofGroup("ptx_wgmma_commit_group", {}));
    fetch(loop, batch, row, column, arith::add(step, intImm(kAhead)), thread);
    loop.push_back(ofGroup("ptx_wgmma_wait_group", {int32(1)}));
    made.push_back(make<For>(step, intImm(0), steps(), ForKind::Serial, seq(loop)));
    made.push_back(ofGroup("ptx_wgmma_wait_group", {int32(0)}));
    store(made, batch, arith::add(row, wide(ownRow)), column, arith::floorMod(thread, int32(kWarpGroup)));
    return seq(made);
  }

  Stmt multiply(const PrimExpr& ownRow, int64_t sum, const PrimExpr& stage) const {
    std::vector<PrimExpr> args{make<StringImm>(Str(fmt::format("m{}n{}k{}", kOwnRows, columns_, kK))),
                               elementName(product_.element), left_.turned(), right_.turned()};
    left_.describe(args, ownRow, sum, stage);
    right_.describe(args, int32(0), sum, stage);
    args.insert(args.end(), {int32(kLineBytes), c_->data, int32(0)});
    return lower::effect("rx_wgmma", Array<PrimExpr>(std::move(args)));
  }

  /// A warp has 16 rows; a group of four of its threads has two of them, in pairs of columns.
  void store(std::vector<Stmt>& to, const PrimExpr& batch, const PrimExpr& row, const PrimExpr& column,
             const PrimExpr& member) const {
    const PrimExpr warp = arith::floorDiv(member, int32(32)), lane = arith::floorMod(member, int32(32));
    const PrimExpr down = arith::add(arith::mul(warp, int32(16)), arith::floorDiv(lane, int32(4)));
    const PrimExpr right = arith::mul(arith::floorMod(lane, int32(4)), int32(2));
    for (int64_t i = 0; i < columns_ / 2; ++i) {
      const PrimExpr sum = make<BufferLoad>(c_, Array<PrimExpr>{int32(i)}, kFloat);
      to.push_back(product_.stored(batch, arith::add(row, wide(arith::add(down, int32(i % 4 / 2 * 8)))),
                                   arith::add(column, wide(arith::add(right, int32(i / 4 * 8 + i % 2)))), sum));
    }
  }

  const MatrixProduct product_;
  const int64_t columns_;
  const Slices left_, right_;
  const bool mapped_;  ///< the device copies slices by maps
  const BufferRef c_;
};

}  // namespace

int64_t warpGroupBytes(int64_t columns) { return kStages * (kRows + columns) * kLineBytes; }

Result<Unit> bare::multiplyByWarpGroups(Schedule& schedule, BlockRef block, int64_t columns) {
  if (columns != 128 && columns != 256) return refuse(kName, schedule.name(block), "a tile has 128 or 256 columns");
  RX_TRY(found, MatrixProduct::of(schedule, block, kName));
  const Product product(std::move(found), columns);
  if (!product.copies())
    return refuse(kName, schedule.name(block), "an operand is not copied as it lies in memory, 16 bytes at a time");
  replaceAll(schedule, product.kernel());
  return Unit{};
}

}  // namespace rx::schedule
