// T.rx_tile_products: sums of products of matrices that lie in tiles, as processors with registers of tiles make them.
#pragma once

#include <optional>

#include "core/ir/relax.h"

namespace rx::tir {

/// What a call adds up: T.rx_tile_products(type of the rows, type of what lies across, sums, rows, across, tiles of
/// rows, tiles of columns, steps), where the last three are numbers. A tile is 16 rows of 16 words; a word of the
/// operands holds four numbers of int8 or uint8, or two of bfloat16.
/// - rows: for each tile of rows, for each step, a tile: a row's words of that step.
/// - across: for each step, for each tile of columns, a tile: a word of all columns after the other.
/// - sums: row-major, 16 * tiles of columns wide; int32, float32 for bfloat16. They are written, not added to.
/// Sums of bytes wrap. Those of bfloat16 are made a step at a time: from zero, products of the first numbers of its
/// words and, apart from them, of the second ones, each rounded with the sum to the nearest; then the two sums are
/// added, and to the sum of the steps before. Numbers too small for the exponent are zero throughout.
struct TileProducts {
  DataType rows, across;
  int64_t rowTiles = 0, columnTiles = 0, steps = 0;

  static constexpr int64_t kSide = 16;  ///< rows of a tile, and words of a row
  static constexpr int64_t kTileBytes = kSide * kSide * 4;
  static constexpr int64_t kMost = 65536;                     ///< tiles, and steps
  static constexpr size_t kSums = 2, kRows = 3, kAcross = 4;  ///< which arguments are the pointers

  bool ofHalves() const { return !rows.isInt() && !rows.isUInt(); }
  int64_t bytesOfSums() const { return rowTiles * columnTiles * kTileBytes; }
  int64_t bytesOfRows() const { return rowTiles * steps * kTileBytes; }
  int64_t bytesOfAcross() const { return columnTiles * steps * kTileBytes; }
  /// Products, each of which is added to a sum.
  int64_t products() const { return rowTiles * columnTiles * steps * kSide * kSide * kSide * (ofHalves() ? 2 : 4); }
};

/// Nothing for another call, for types that do not go together, and for numbers that are none or not from 1 to 65536.
std::optional<TileProducts> tileProductsOf(const Call& call);

/// What is said of a call that is none of those.
constexpr const char* kNoTileProducts =
    "rx_tile_products takes two types, of bytes or \"bfloat16\" both, three pointers, and three numbers from 1 to "
    "65536";

}  // namespace rx::tir
