// cpu.GEMV: a product of a matrix and a vector with its sums innermost, in tiles: places in parallel and in vectors.
#include <algorithm>

#include "core/schedule/gemv.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"
#include "core/schedule/rules.h"

namespace rx::schedule {

namespace {

constexpr int64_t kVectorWidth = 8, kUnrolled = 256;
constexpr int64_t kLongTile = 128, kTile = 64;

}  // namespace

Result<Outcome> cpuGemv(const RuleInput& input) {
  RX_TRY(schedule, Schedule::of(input.kernel));
  const GemvFinding found = findGemv(schedule);
  if (!found.kernel) return notApplied(std::string(found.why));
  const BlockRef block = found.kernel->main.block;
  RX_TRY(inner, normalizeGemv(schedule, found.kernel->main));
  if (!inner) return notApplied("the matrix is not read along whole axes");
  if (!*inner) return notApplied("the sums do not lie innermost in the matrix");

  const std::vector<LoopRef> loops = schedule.loops(block);
  std::optional<int64_t> extents[4];
  for (size_t i = 0; i < 4; ++i) extents[i] = extentOf(schedule, loops[i]);
  int64_t placeTile = kTile, sumTile = kTile;
  if (extents[0] && extents[1] && extents[2] && extents[3]) {
    const bool manyPlaces = *extents[0] * *extents[1] > *extents[2] * *extents[3];
    (manyPlaces ? placeTile : sumTile) = kLongTile;
  }
  RX_TRY(places, split(schedule, loops[1], {0, placeTile}));
  RX_TRY(sums, split(schedule, loops[2], {0, sumTile}));
  RX_CHECK(split(schedule, loops[3], {0, std::min(kVectorWidth, extents[3].value_or(kVectorWidth))}));
  RX_CHECK(vectorize(schedule, places[1]));
  RX_CHECK(parallel(schedule, places[0]));
  RX_CHECK(unrollUpTo(schedule, sums[0], kUnrolled));
  return applied(schedule);
}

}  // namespace rx::schedule
