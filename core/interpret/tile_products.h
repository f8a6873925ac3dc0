// Sums of products by tiles, as tir::TileProducts says.
#pragma once

#include <cstddef>
#include <functional>

#include "core/ir/tile_products.h"

namespace rx::interpret {

/// Writes the sums. Each pointer has the bytes behind it that `of` tells; the sums are no operand. Asks `goesOn` now
/// and then; false where that says no.
bool sumTiles(const tir::TileProducts& of, const std::byte* rows, const std::byte* across, std::byte* sums,
              const std::function<bool()>& goesOn);

}  // namespace rx::interpret
