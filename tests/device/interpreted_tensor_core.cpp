#include "tests/device/interpreted_tensor_core.h"

#include <algorithm>
#include <cstdio>

#include "core/arith/fold.h"
#include "core/codegen/intrinsic_name.h"
#include "core/codegen/tile_copies.h"
#include "core/lower/intrinsics.h"
#include "core/lower/statements.h"

namespace rx::cuda_double {

using namespace tir;
using lower::int32;

namespace {

constexpr int64_t kMostThreads = 1024, kWarp = 32;

PrimExpr whole(const PrimExpr& x) { return arith::cast(DataType::Int(32), x); }

/// The memory behind a pointer, as elements of a type.
struct Elements {
  BufferRef buffer;

  Elements(const PrimExpr& pointer, DataType type) {
    Buffer made;
    made.data = refAs<Var>(pointer);
    made.dtype = type;
    made.shape = {int32(int64_t{1} << 28)};
    made.name = Str("elements");
    buffer = make<Buffer>(made);
  }
  explicit Elements(BufferRef known) : buffer(std::move(known)) {}
  Stmt declared() const { return make<DeclBuffer>(buffer); }
  PrimExpr at(const PrimExpr& place) const { return make<BufferLoad>(buffer, Array<PrimExpr>{place}, buffer->dtype); }
  Stmt put(const PrimExpr& place, const PrimExpr& value) const {
    return make<BufferStore>(buffer, value, Array<PrimExpr>{place});
  }
};

class Warp {
 public:
  explicit Warp(const WarpTools& tools) : tools_(tools) {
    lane_ = arith::floorMod(tools.thread, int32(kWarp));
    first_ = arith::sub(tools.thread, lane_);
  }

  /// (to, offset, from, offset, bytes[, whether]): at once, which a copy that nobody waits for may be.
  Stmt copy(const Call& call) const {
    const Elements to(call.args[0], call.dtype), from(call.args[2], call.dtype);
    std::vector<Stmt> made{to.declared(), from.declared()};
    const int64_t count = *asInt(call.args[4]) / call.dtype.bytes();
    for (int64_t i = 0; i < count; ++i) {
      const PrimExpr there = arith::add(call.args[1], int32(i)), here = arith::add(call.args[3], int32(i));
      const Stmt one = to.put(there, from.at(here));
      const Stmt none = to.put(there, arith::constant(call.dtype, 0));
      made.push_back(call.args.size() > 5 ? make<IfThenElse>(call.args[5], one, none) : one);
    }
    return lower::inOrder(made);
  }

  /// (to, offset, from, offset, bytes, barrier): at once, which whoever waits for the barrier can not tell.
  Stmt copyBlock(const Call& call) const {
    const Elements to(call.args[0], call.dtype), from(call.args[2], call.dtype);
    const auto part = make<Var>(Str("part"), DataType::Int(32));
    const Stmt one = to.put(arith::add(whole(call.args[1]), part), from.at(arith::add(whole(call.args[3]), part)));
    const int64_t count = *asInt(call.args[4]) / call.dtype.bytes();
    const Stmt made[] = {to.declared(), from.declared(), make<For>(part, int32(0), int32(count), ForKind::Serial, one)};
    return lower::inOrder(made);
  }

  /// A box of a tensor, as its map says: zeros where the tensor has nothing; pieces of 16 bytes lie in their line of
  /// 128 as the number of the line in a pattern of eight says.
  std::optional<Stmt> copyTile(const Call& call) const {
    const auto copy = codegen::tileCopy(call);
    if (!copy || copy->of.map.line != 128) return std::nullopt;
    const device::TileMap& map = copy->of.map;
    const int64_t each = call.dtype.bytes(), line = map.line / each, piece = 16 / each;
    const Elements to(call.args[codegen::TileCopy::kTo], call.dtype),
        from(call.args[codegen::TileCopy::kFrom], call.dtype);
    std::vector<VarRef> along;
    PrimExpr within = int32(0), place = intImm(0), inside = boolImm(true);
    for (size_t i = 0; i < map.box.size(); ++i) along.push_back(make<Var>(Str("along"), DataType::Int(32)));
    for (size_t i = map.box.size(); i-- > 0;) {
      within = arith::add(arith::mul(within, int32(map.box[i])), along[i]);
      const PrimExpr at = arith::add(whole(call.args[copy->places + i]), along[i]);
      const int64_t stride = i == 0 ? 1 : map.strides[i - 1] / each;
      place = arith::add(place, arith::mul(arith::cast(DataType::Int(64), at), intImm(stride)));
      inside =
          arith::logicalAnd(inside, arith::logicalAnd(arith::le(int32(0), at), arith::lt(at, int32(map.extents[i]))));
    }
    const PrimExpr there = arith::add(whole(call.args[codegen::TileCopy::kOffset]), within);
    const PrimExpr number = arith::floorMod(arith::floorDiv(there, int32(line)), int32(8));
    const PrimExpr changed =
        lower::intrinsic(DataType::Int(32), "bitwise_xor", {there, arith::mul(number, int32(piece))});
    Stmt made = make<IfThenElse>(inside, to.put(changed, from.at(whole(place))),
                                 to.put(changed, arith::constant(call.dtype, 0)));
    for (size_t i = 0; i < map.box.size(); ++i)
      made = make<For>(along[i], int32(0), int32(map.box[i]), ForKind::Serial, made);
    const Stmt all[] = {to.declared(), from.declared(), made};
    return lower::inOrder(all);
  }

  /// (transposed, matrices, ".b16", to, offset, from, offset): thread i names row i of the matrices, and gets two
  /// elements of each of them.
  Stmt load(const Call& call) const {
    const bool turned = *asInt(call.args[0]) != 0;
    const DataType type = DataType::Float(16);
    const Elements to(call.args[3], type), from(call.args[5], type);
    const Elements rows(tools_.shared("rows", DataType::Int(32), kMostThreads));
    std::vector<Stmt> made{to.declared(), from.declared(), rows.put(tools_.thread, whole(call.args[6])), tools_.wait()};
    const PrimExpr quarter = arith::floorDiv(lane_, int32(4));
    const PrimExpr pair = arith::mul(arith::floorMod(lane_, int32(4)), int32(2));
    for (int64_t i = 0; i < *asInt(call.args[1]); ++i) {
      for (int64_t part = 0; part < 2; ++part) {
        const PrimExpr along = arith::add(pair, int32(part));
        const PrimExpr row = turned ? along : quarter, column = turned ? quarter : along;
        const PrimExpr start = rows.at(arith::add(first_, arith::add(int32(8 * i), row)));
        made.push_back(to.put(arith::add(call.args[4], int32(2 * i + part)), from.at(arith::add(start, column))));
      }
    }
    made.push_back(tools_.wait());
    return lower::inOrder(made);
  }

  /// C += A * B of 64 by 16 and 16 by up to 256, which lie in shared memory as descriptors tell.
  std::optional<Stmt> multiplyShared(const Call& call) const {
    constexpr int64_t kGroup = 128;
    const auto* tile = as<StringImm>(call.args[0]);
    const auto* name = as<StringImm>(call.args[1]);
    int64_t columns = 0;
    if (!tile || !name || std::sscanf(tile->value.string().c_str(), "m64n%ldk16", &columns) != 1) return std::nullopt;
    const DataType type = name->value == "bf16" ? DataType::BFloat16() : DataType::Float(16), sum = DataType::Float(32);
    const Elements left(call.args[4], type), right(call.args[8], type), sums(call.args[13], sum);
    // A warp has 16 rows; a group of four of its threads has two of them, in pairs of columns.
    const PrimExpr member = arith::floorMod(tools_.thread, int32(kGroup));
    const PrimExpr down =
        arith::add(arith::mul(arith::floorDiv(member, int32(kWarp)), int32(16)), arith::floorDiv(lane_, int32(4)));
    const PrimExpr pair = arith::mul(arith::floorMod(lane_, int32(4)), int32(2));
    // Of both rows, and of the column that is multiplied.
    const Elements rows(tools_.shared("both rows", sum, 32 * kMostThreads)),
        one(tools_.shared("one", sum, kMostThreads));
    const auto ofRow = [&](int64_t row, const PrimExpr& k) {
      return arith::add(arith::mul(tools_.thread, int32(32)), arith::add(int32(16 * row), k));
    };
    const auto loop = [](const char* name, int64_t steps, const std::function<Stmt(const PrimExpr&)>& body) -> Stmt {
      const auto var = make<Var>(Str(name), DataType::Int(32));
      return make<For>(var, int32(0), int32(steps), ForKind::Serial, body(var));
    };
    std::vector<Stmt> made{left.declared(), right.declared(), sums.declared()};
    for (int64_t row = 0; row < 2; ++row) {
      made.push_back(loop("k", 16, [&](const PrimExpr& k) {
        const PrimExpr own = arith::add(down, int32(8 * row));
        return rows.put(ofRow(row, k), arith::cast(sum, left.at(described(call, 4, asInt(call.args[2]) != 0, own, k))));
      }));
    }
    made.push_back(loop("column", columns / 4, [&](const PrimExpr& number) {
      const PrimExpr block = arith::floorDiv(number, int32(2)), side = arith::floorMod(number, int32(2));
      const PrimExpr column = arith::add(arith::add(pair, arith::mul(block, int32(8))), side);
      return loop("k", 16, [&](const PrimExpr& k) {
        const PrimExpr y = right.at(described(call, 8, asInt(call.args[3]) != 0, column, k));
        std::vector<Stmt> both{one.put(tools_.thread, arith::cast(sum, y))};
        for (int64_t row = 0; row < 2; ++row) {
          const PrimExpr own =
              arith::add(call.args[14], arith::add(arith::mul(block, int32(4)), arith::add(side, int32(2 * row))));
          both.push_back(
              sums.put(own, arith::add(sums.at(own), arith::mul(rows.at(ofRow(row, k)), one.at(tools_.thread)))));
        }
        return lower::inOrder(both);
      });
    }));
    return lower::inOrder(made);
  }

  /// C += A * B of 16 by 16 and 16 by 8.
  std::optional<Stmt> multiply(const Call& call) const {
    const auto* tile = as<StringImm>(call.args[0]);
    if (!tile || tile->value != "m16n8k16") return std::nullopt;
    const auto* element = as<StringImm>(call.args[3]);
    const DataType type = element && element->value == "bf16" ? DataType::BFloat16() : DataType::Float(16);
    const DataType sum = DataType::Float(32);
    const Elements a(call.args[6], type), b(call.args[8], type), c(call.args[10], sum);
    const Elements left(tools_.shared("left", type, 8 * kMostThreads)),
        right(tools_.shared("right", type, 4 * kMostThreads));
    std::vector<Stmt> made{a.declared(), b.declared(), c.declared()};
    const auto own = [&](int64_t each, int64_t i) {
      return arith::add(arith::mul(tools_.thread, int32(each)), int32(i));
    };
    for (int64_t i = 0; i < 8; ++i) made.push_back(left.put(own(8, i), a.at(arith::add(call.args[7], int32(i)))));
    for (int64_t i = 0; i < 4; ++i) made.push_back(right.put(own(4, i), b.at(arith::add(call.args[9], int32(i)))));
    made.push_back(tools_.wait());
    const PrimExpr quarter = arith::floorDiv(lane_, int32(4));
    const PrimExpr pair = arith::mul(arith::floorMod(lane_, int32(4)), int32(2));
    for (int64_t r = 0; r < 4; ++r) {
      const PrimExpr place = arith::add(call.args[11], int32(r));
      PrimExpr value = c.at(place);
      for (int64_t k = 0; k < 16; ++k) {
        // Rows of A and columns of B lie in groups of four threads.
        const int64_t within = k % 8 / 2;
        const PrimExpr holderA = arith::add(first_, arith::add(arith::mul(quarter, int32(4)), int32(within)));
        const PrimExpr column = arith::add(pair, int32(r % 2));
        const PrimExpr holderB = arith::add(first_, arith::add(arith::mul(column, int32(4)), int32(within)));
        const PrimExpr x = left.at(arith::add(arith::mul(holderA, int32(8)), int32(r / 2 * 2 + k / 8 * 4 + k % 2)));
        const PrimExpr y = right.at(arith::add(arith::mul(holderB, int32(4)), int32(k / 8 * 2 + k % 2)));
        value = arith::add(value, arith::mul(arith::cast(sum, x), arith::cast(sum, y)));
      }
      made.push_back(c.put(place, value));
    }
    made.push_back(tools_.wait());
    return lower::inOrder(made);
  }

 private:
  /// The element of a tile at (own, k), by its descriptor, whose first argument this is. A line holds 128 bytes, along
  /// the sums or, where it lies turned, along its own axis; the number of a line in its pattern of eight changes where
  /// in it the pieces of 16 bytes lie.
  static PrimExpr described(const Call& call, size_t first, bool turned, const PrimExpr& own, const PrimExpr& k) {
    constexpr int64_t kLine = 64, kPattern = 8;
    const PrimExpr blocks = arith::floorDiv(call.args[first + 2], int32(2));
    const PrimExpr patterns = arith::floorDiv(call.args[first + 3], int32(2));
    const PrimExpr &lines = turned ? k : own, &within = turned ? own : k;
    PrimExpr at = arith::add(call.args[first + 1], arith::mul(arith::floorDiv(lines, int32(kPattern)), patterns));
    at = arith::add(at, arith::mul(arith::floorMod(lines, int32(kPattern)), int32(kLine)));
    at = arith::add(at, arith::mul(arith::floorDiv(within, int32(kLine)), blocks));
    at = arith::add(at, arith::floorMod(within, int32(kLine)));
    // Bits 7 to 9 of the address in bytes, over bits 4 to 6.
    const PrimExpr number = arith::floorMod(arith::floorDiv(at, int32(kLine)), int32(kPattern));
    return lower::intrinsic(DataType::Int(32), "bitwise_xor", {at, arith::mul(number, int32(8))});
  }

  const WarpTools& tools_;
  PrimExpr lane_, first_;  ///< of this thread in its warp; the warp's first thread
};

}  // namespace

std::optional<Stmt> asOneThread(const Call& call, const WarpTools& tools) {
  const std::string_view name = codegen::intrinsicName(call);
  const Warp warp(tools);
  if (name == "ptx_cp_async") return warp.copy(call);
  if (name == "ptx_ldmatrix_legacy") return warp.load(call);
  if (name == "ptx_mma_legacy") return warp.multiply(call);
  if (name == "rx_wgmma") return warp.multiplyShared(call);
  if (name == "ptx_cp_async_bulk") return warp.copyBlock(call);
  if (name == "rx_copy_tile") return warp.copyTile(call);
  // All threads of the group wait for a barrier.
  if (name == "ptx_wait_barrier") return lower::effect("tvm_storage_sync", {make<StringImm>(Str("shared"))});
  constexpr std::string_view kOrder[] = {"ptx_cp_async_commit_group", "ptx_cp_async_wait_group",
                                         "ptx_commit_group",          "ptx_wait_group",
                                         "ptx_wgmma_fence",           "ptx_wgmma_commit_group",
                                         "ptx_wgmma_wait_group",      "rx_fence_async",
                                         "create_barriers",           "ptx_init_barrier_thread_count",
                                         "ptx_arrive_barrier",        "ptx_arrive_barrier_expect_tx",
                                         "ptx_cp_async_barrier"};
  const bool order = std::find(std::begin(kOrder), std::end(kOrder), name) != std::end(kOrder);
  return order ? std::optional(make<Evaluate>(int32(0))) : std::nullopt;
}

}  // namespace rx::cuda_double
