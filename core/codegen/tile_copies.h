// Copies of boxes of a tensor that a device makes by a map of it (T.rx_copy_tile), which the host makes for the launch.
#pragma once

#include <optional>
#include <vector>

#include "core/device/device.h"
#include "core/ir/all_nodes.h"

namespace rx::codegen {

/// Which memory a map is of, and how.
struct TileOf {
  const tir::Var* memory = nullptr;
  device::TileMap map;
  bool operator==(const TileOf&) const = default;
};

/// The arguments of T.rx_copy_tile: (to, offset, from, barrier, bytes of a line, then for each axis, that of elements
/// in order first: extents, strides in elements of all but the first, box, place); the offset counts elements.
struct TileCopy {
  static constexpr size_t kTo = 0, kOffset = 1, kFrom = 2, kBarrier = 3, kLine = 4, kExtents = 5;
  TileOf of;
  size_t places = 0;  ///< the argument that is the place along the first axis
};
/// Nothing where the call is another one, or says numbers that are not known before.
std::optional<TileCopy> tileCopy(const tir::Call& call);

/// What the copies of a kernel need maps of, each once, in the order in which its launch is given them.
std::vector<TileOf> tilesOf(const tir::PrimFunc& kernel);

}  // namespace rx::codegen
