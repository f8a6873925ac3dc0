#include <fmt/format.h>

#include <optional>

#include "core/arith/fold.h"
#include "core/arith/int_set.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/copy_rules.h"
#include "core/lower/intrinsics.h"
#include "core/lower/loop_nest.h"
#include "core/lower/rewriter.h"

namespace rx::lower {

using namespace tir;

namespace {

/// Elements along each side of a tile, and what padding keeps the instructions aligned.
constexpr int64_t kWmmaTile = 16, kMmaTile = 8, kLeastPadding = 8;

struct Tiled {
  Stmt body;
  const For* outer = nullptr;  ///< over rows of tiles; null where sides are no multiples of a tile
};

/// The two innermost loops over tiles, then over the elements of each.
Result<Tiled> tiled(const Stmt& body, int64_t side) {
  const LoopNest nest = loopNest(body);
  const size_t count = nest.loops.size();
  if (count < 2) return otherForm(body->span, "a copy of tiles has two loops at least");
  const For &rows = *nest.loops[count - 2], &columns = *nest.loops[count - 1];
  const auto height = asInt(rows.extent), width = asInt(columns.extent);
  if (!height || !width || *height % side != 0 || *width % side != 0) return Tiled{body};
  arith::VarMap map;
  VarRef outer[2], inner[2];
  const For* loops[] = {&rows, &columns};
  for (size_t i = 0; i < 2; ++i) {
    outer[i] = renamed(*loops[i]->loopVar, "_0");
    inner[i] = renamed(*loops[i]->loopVar, "_1");
    map[loops[i]->loopVar.get()] =
        arith::add(arith::mul(outer[i], arith::constantInt(outer[i]->dtype, side)), inner[i]);
  }
  Stmt made = substitute(nest.body, map);
  for (size_t i = 2; i-- > 0;) {
    made = loopOver(inner[i], arith::constantInt(inner[i]->dtype, side), ForKind::Serial, made);
  }
  for (size_t i = 2; i-- > 0;) {
    const PrimExpr extent = arith::constantInt(outer[i]->dtype, *asInt(loops[i]->extent) / side);
    made = loopOver(outer[i], extent, ForKind::Serial, made);
  }
  Tiled result{made, as<For>(made)};
  result.body = inLoops(std::span(nest.loops).first(count - 2), made);
  return result;
}

/// The region that the indices reach while the variables run.
Ref<BufferRegion> reached(const BufferRef& buffer, const Array<PrimExpr>& indices, const arith::Domains& domains) {
  std::vector<Ref<Range>> region;
  for (size_t i = 0; i < indices.size(); ++i) {
    const PrimExpr& size = buffer->shape[i];
    region.push_back(
        arith::cover(arith::evalSet(indices[i], domains), make<Range>(arith::constantInt(size->dtype, 0), size)));
  }
  return make<BufferRegion>(buffer, Array<Ref<Range>>(std::move(region)));
}

/// The view of a tile. Shared memory has any strides, a fragment none.
BufferRef tileView(std::string_view name, const Buffer& of, DataType dtype, int64_t side, bool strided) {
  const DataType index = DataType::Int(32);
  auto* made = new Buffer();
  const BufferRef view(made);
  made->name = Str(name);
  made->dtype = dtype;
  made->data = bufferPointer(dtype, made->name, Str(of.scope()));
  made->shape = {int32(side), int32(side)};
  if (strided) made->strides = {make<Var>(Str("s1"), index), make<Var>(Str("s0"), index)};
  made->elemOffset = make<Var>(Str(fmt::format("{}_elem_offset", name)), index);
  made->offsetFactor = side;
  return view;
}

/// A copy of one tile, by its two innermost loops.
struct TileCopy {
  std::vector<Ref<For>> outer;
  Ref<BufferRegion> read, write;
};

Result<TileCopy> tileCopy(const Stmt& body) {
  const LoopNest nest = loopNest(body);
  const size_t count = nest.loops.size();
  RX_TRY(store, storeOf(nest.body));
  Ref<BufferLoad> load;
  walk(*store->value, Into::Parts, [&](const Node& node) {
    const auto* found = as<BufferLoad>(&node);
    if (found && !load) load = Ref<BufferLoad>(found);
    return !isa<Buffer>(&node);
  });
  if (!load || count < 2)
    return otherForm(body->span, "a copy of tiles has two loops at least and loads what it stores");
  arith::Domains domains;
  for (size_t i = count - 2; i < count; ++i) {
    domains[nest.loops[i]->loopVar.get()] = arith::IntSet::fromRange(nest.loops[i]->min, nest.loops[i]->extent);
  }
  return TileCopy{{nest.loops.begin(), nest.loops.end() - 2},
                  reached(load->buffer, load->indices, domains),
                  reached(store->buffer, store->indices, domains)};
}

/// The block of one tile, in the loops over tiles.
Stmt tileBlock(const TileCopy& copy, std::string_view name, const BufferRef& from, const BufferRef& to, Stmt body) {
  auto* block = new Block();
  const Ref<Block> made(block);
  block->name = Str(name);
  block->reads = {copy.read};
  block->writes = {copy.write};
  block->matchBuffers = {make<MatchBufferRegion>(from, copy.read), make<MatchBufferRegion>(to, copy.write)};
  block->body = std::move(body);
  return inLoops(copy.outer, make<BlockRealize>(Array<PrimExpr>(), boolImm(true), made));
}

/// The instruction that moves a tile between a fragment and shared memory, where `access` is 1 to read and 2 to write.
Stmt moveTile(std::string_view name, const Buffer& fragment, const Buffer& shared, int64_t access,
              std::string_view layout) {
  const PrimExpr side = int32(kWmmaTile), all = int32(kWmmaTile * kWmmaTile);
  const PrimExpr at = arith::add(arith::floorDiv(fragment.elemOffset, all),
                                 arith::floorDiv(arith::floorMod(fragment.elemOffset, all), side));
  const PrimExpr& stride = shared.strides[0];
  const PrimExpr address = intrinsic(DataType::Handle(), "tvm_access_ptr",
                                     {intrinsic(shared.dtype, "type_annotation", {}), shared.data, shared.elemOffset,
                                      arith::mul(stride, side), int32(access)});
  return make<Evaluate>(intrinsic(
      DataType::Handle(), name, {fragment.data, side, side, side, at, address, stride, make<StringImm>(Str(layout))}));
}

Result<Stmt> wmmaLoad(const Stmt& body) {
  RX_TRY(copy, tileCopy(body));
  const Buffer &source = *copy.read->buffer, &target = *copy.write->buffer;
  const BufferRef from = tileView("src", source, DataType::Float(16), kWmmaTile, true);
  const BufferRef to = tileView("tgt", target, DataType::Float(16), kWmmaTile, false);
  const std::string_view layout = target.scope() == "wmma.matrix_a" ? "row_major" : "col_major";
  return tileBlock(copy, "wmma_load", from, to, moveTile("tvm_load_matrix_sync", *to, *from, 1, layout));
}

Result<Stmt> wmmaStore(const Stmt& body) {
  RX_TRY(copy, tileCopy(body));
  const Buffer& source = *copy.read->buffer;
  const BufferRef from = tileView("src", source, source.dtype, kWmmaTile, false);
  const BufferRef to = tileView("tgt", *copy.write->buffer, source.dtype, kWmmaTile, true);
  return tileBlock(copy, "wmma_store", from, to, moveTile("tvm_store_matrix_sync", *from, *to, 2, "row_major"));
}

/// Each lane of a warp stores the two neighbours in a row that it holds of a tile.
Result<Stmt> mmaStore(const Stmt& body) {
  RX_TRY(copy, tileCopy(body));
  const Buffer& source = *copy.read->buffer;
  const BufferRef from = tileView("src", source, source.dtype, kMmaTile, false);
  const BufferRef to = tileView("tgt", *copy.write->buffer, source.dtype, kMmaTile, true);
  const DataType index = DataType::Int(32);
  const auto lane = make<Var>(Str("tx"), index), part = make<Var>(Str("vec"), index);
  const Array<PrimExpr> place{
      arith::floorDiv(lane, int32(4)),
      arith::add(arith::mul(arith::floorMod(lane, int32(4)), int32(2)), part),
  };
  const PrimExpr value = make<BufferLoad>(from, place, from->dtype);
  const Stmt stored = loopOver(part, int32(2), ForKind::Vectorized, make<BufferStore>(to, value, place));
  const auto lanes = make<IterVar>(make<Range>(int32(0), int32(32)), lane, IterType::ThreadIndex, Str("threadIdx.x"));
  return tileBlock(copy, "mma_store", from, to, make<AttrStmt>(lanes, Str("thread_extent"), int32(32), stored));
}

/// Tile by tile to shared memory, then from there by all threads.
Result<Stmt> byWayOfShared(const Stmt& body, int64_t side, Result<Stmt> (*store)(const Stmt&), const CopyBlock& copy,
                           CopyBuffers& buffers) {
  RX_TRY(tiles, tiled(body, side));
  RX_TRY(stages, stagedWrite(tiles.body, "shared.dyn", tiles.outer, copy.around));
  buffers.allocated.push_back(stages.buffer);
  buffers.leastPadding.push_back({stages.buffer, kLeastPadding});
  RX_TRY(first, store(stages.first));
  RX_TRY(second, coalesce(stages.second, copy, buffers));
  const Stmt both[] = {first, second};
  return inLoops(stages.outer, seq(both));
}

}  // namespace

Result<Stmt> loadTiles(const Stmt& body, const CopyBlock& copy, CopyBuffers& buffers) {
  RX_TRY(tiles, tiled(body, kWmmaTile));
  buffers.leastPadding.push_back({copy.read->buffer, kLeastPadding});
  return wmmaLoad(tiles.body);
}

Result<Stmt> storeTiles(const Stmt& body, const CopyBlock& copy, CopyBuffers& buffers) {
  RX_TRY(tiles, tiled(body, kWmmaTile));
  buffers.leastPadding.push_back({copy.write->buffer, kLeastPadding});
  return wmmaStore(tiles.body);
}

Result<Stmt> storeTilesToGlobal(const Stmt& body, const CopyBlock& copy, CopyBuffers& buffers) {
  return byWayOfShared(body, kWmmaTile, wmmaStore, copy, buffers);
}

Result<Stmt> storeMmaToGlobal(const Stmt& body, const CopyBlock& copy, CopyBuffers& buffers) {
  return byWayOfShared(body, kMmaTile, mmaStore, copy, buffers);
}

}  // namespace rx::lower
