#include "core/codegen/tile_copies.h"

#include <algorithm>

#include "core/codegen/intrinsic_name.h"
#include "core/ir/reflect.h"

namespace rx::codegen {

std::optional<TileCopy> tileCopy(const tir::Call& call) {
  if (intrinsicName(call) != "rx_copy_tile" || call.args.size() < TileCopy::kExtents + 3) return std::nullopt;
  const size_t rank = (call.args.size() - TileCopy::kExtents + 1) / 4;
  if (TileCopy::kExtents + 4 * rank - 1 != call.args.size()) return std::nullopt;
  TileCopy made;
  made.of.memory = as<tir::Var>(call.args[TileCopy::kFrom]);
  device::TileMap& map = made.of.map;
  map.element = call.dtype;
  size_t next = TileCopy::kExtents;
  const auto numbers = [&](std::vector<int64_t>& to, size_t count, int64_t each) {
    for (size_t i = 0; i < count; ++i) to.push_back(tir::asInt(call.args[next++]).value_or(0) * each);
  };
  numbers(map.extents, rank, 1);
  numbers(map.strides, rank - 1, call.dtype.bytes());
  numbers(map.box, rank, 1);
  made.places = next;
  map.line = tir::asInt(call.args[TileCopy::kLine]).value_or(-1);
  return made.of.memory && map.line >= 0 && map.fits() ? std::optional(made) : std::nullopt;
}

std::vector<TileOf> tilesOf(const tir::PrimFunc& kernel) {
  std::vector<TileOf> found;
  walk(*kernel.body, Into::Parts, [&](const Node& node) {
    const auto* call = as<tir::Call>(&node);
    const auto copy = call ? tileCopy(*call) : std::nullopt;
    if (copy && std::ranges::find(found, copy->of) == found.end()) found.push_back(copy->of);
    return true;
  });
  return found;
}

}  // namespace rx::codegen
