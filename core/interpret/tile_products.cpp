#include "core/interpret/tile_products.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace rx::interpret {

namespace {

using tir::TileProducts;
constexpr int64_t kSide = TileProducts::kSide;

uint32_t wordAt(const std::byte* place) {
  uint32_t word = 0;
  std::memcpy(&word, place, sizeof word);
  return word;
}

/// Byte `number` of a word as a number of the type.
int32_t byteOf(uint32_t word, int number, DataType type) {
  const auto byte = static_cast<uint8_t>(word >> (8 * number));
  return type.isUInt() ? byte : static_cast<int8_t>(byte);
}

/// Without an exponent only the sign is left.
float flushed(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return (bits & 0x7f800000) == 0 ? std::bit_cast<float>(bits & 0x80000000) : value;
}
float halfOf(uint32_t word, int number) {
  return flushed(std::bit_cast<float>(number == 0 ? word << 16 : word & 0xffff0000));
}

/// The sum with what a step adds to it: a row's words, and words of one column.
uint32_t withBytes(const TileProducts& of, uint32_t sum, const std::byte* row, const std::byte* column) {
  for (int64_t word = 0; word < kSide; ++word) {
    const uint32_t a = wordAt(row + word * 4), b = wordAt(column + word * kSide * 4);
    for (int number = 0; number < 4; ++number)
      sum += static_cast<uint32_t>(byteOf(a, number, of.rows) * byteOf(b, number, of.across));
  }
  return sum;
}
uint32_t withHalves(uint32_t sum, const std::byte* row, const std::byte* column) {
  float parts[2] = {0, 0};
  for (int64_t word = 0; word < kSide; ++word) {
    const uint32_t a = wordAt(row + word * 4), b = wordAt(column + word * kSide * 4);
    for (const int number : {0, 1})
      parts[number] = flushed(std::fma(halfOf(a, number), halfOf(b, number), parts[number]));
  }
  const float both = flushed(parts[0] + parts[1]);
  return std::bit_cast<uint32_t>(flushed(std::bit_cast<float>(sum) + both));
}

}  // namespace

bool sumTiles(const TileProducts& of, const std::byte* rows, const std::byte* across, std::byte* sums,
              const std::function<bool()>& goesOn) {
  const int64_t columns = of.columnTiles * kSide, rowBytes = kSide * 4;
  for (int64_t row = 0; row < of.rowTiles * kSide; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      if (!goesOn()) return false;
      uint32_t sum = 0;
      for (int64_t step = 0; step < of.steps; ++step) {
        const std::byte* words =
            rows + (row / kSide * of.steps + step) * TileProducts::kTileBytes + row % kSide * rowBytes;
        const std::byte* tile = across + (step * of.columnTiles + column / kSide) * TileProducts::kTileBytes;
        const std::byte* down = tile + column % kSide * 4;
        sum = of.ofHalves() ? withHalves(sum, words, down) : withBytes(of, sum, words, down);
      }
      std::memcpy(sums + (row * columns + column) * 4, &sum, sizeof sum);
    }
  }
  return true;
}

}  // namespace rx::interpret
