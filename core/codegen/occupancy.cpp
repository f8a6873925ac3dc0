#include "core/codegen/occupancy.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/device/run/architecture.h"

namespace rx::codegen {

namespace {

constexpr int64_t kWarp = 32;
/// Registers are given to a warp in such parts, and to as many warps at a time.
constexpr int64_t kRegisterGrain = 256, kWarpGrain = 4;

struct UnitRow {
  int64_t architecture, warps, groups, registers, shared, lost, sharedGrain;
};
constexpr UnitRow kUnits[] = {
#define RX_UNIT(architecture, warps, groups, registers, shared, lost, grain) \
  {architecture, warps, groups, registers, shared, lost, grain},
#include "core/codegen/occupancy.def"
#undef RX_UNIT
};

int64_t upTo(int64_t value, int64_t grain) { return (value + grain - 1) / grain * grain; }

}  // namespace

Result<Occupancy> occupancyOf(std::string_view architecture, const GroupNeeds& needs) {
  const int64_t number = device::architectureIn(architecture).number;
  const auto* unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                  [&](const UnitRow& row) { return row.architecture == number; });
  if (unit == std::end(kUnits)) {
    return fail("codegen.occupancy",
                architecture.empty() ? std::string("no vendor publishes what a unit of such a device runs at one time")
                                     : fmt::format("the rules of {} are not known", architecture));
  }
  const int64_t warps = std::max<int64_t>((needs.threads + kWarp - 1) / kWarp, 1);
  struct Bound {
    std::string_view what;
    int64_t groups;
  };
  std::vector<Bound> bounds{{"threads", unit->warps / warps}, {"groups", unit->groups}};
  if (needs.registers > 0) {
    const int64_t fit = unit->registers / upTo(needs.registers * kWarp, kRegisterGrain);
    bounds.push_back({"registers", fit / kWarpGrain * kWarpGrain / warps});
  }
  const int64_t shared = needs.sharedBytes > 0 ? upTo(needs.sharedBytes + unit->lost, unit->sharedGrain) : unit->lost;
  if (shared > 0) bounds.push_back({"shared memory", unit->shared / shared});
  Occupancy made;
  made.mostWarps = unit->warps;
  made.groups = std::min_element(bounds.begin(), bounds.end(), [](const Bound& a, const Bound& b) {
                  return a.groups < b.groups;
                })->groups;
  made.warps = made.groups * warps;
  for (const Bound& bound : bounds)
    if (bound.groups == made.groups) made.limits.push_back(bound.what);
  return made;
}

}  // namespace rx::codegen
