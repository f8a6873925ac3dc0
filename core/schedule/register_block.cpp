#include "core/schedule/register_block.h"

#include <algorithm>

namespace rx::schedule {

namespace {

/// Sums under way at once, where rows make several blocks: more hide no more of what a product takes. The fewer rows
/// go together, the more of them lie side by side in the nearest cache, which keeps only a few that are pages apart.
constexpr int64_t kMostSums = 16;

}  // namespace

RegisterBlock blockFor(int64_t rows, int64_t mostRows, int64_t lanes, int64_t perVector, int64_t registers,
                       int64_t mostVectors) {
  // One register holds what is spread, one for each vector what lies across.
  const int64_t wanted = std::clamp<int64_t>((lanes + perVector - 1) / perVector, 1, mostVectors);
  const int64_t vectors =
      std::clamp<int64_t>((registers - 2) / (std::min(rows, registers) + 1), std::min<int64_t>(wanted, 2), wanted);
  int64_t most = std::clamp<int64_t>((registers - 4) / vectors, 1, mostRows);
  if (rows > most) most = std::min(most, std::max<int64_t>(kMostSums / vectors, 1));
  const int64_t tiles = (rows + most - 1) / most;
  return {(rows + tiles - 1) / tiles, std::min(vectors * perVector, lanes)};
}

}  // namespace rx::schedule
