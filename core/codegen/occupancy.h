// How many groups of a kernel one unit of a device runs side by side, by the rules that its vendor publishes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/support/result.h"

namespace rx::codegen {

/// Each part of the memory that a group shares begins at a multiple of so many bytes.
inline constexpr int64_t kSharedAlign = 16;
/// What a part of so many bytes takes of it.
constexpr int64_t sharedBytes(int64_t bytes) { return (bytes + kSharedAlign - 1) / kSharedAlign * kSharedAlign; }

/// What one group of a kernel takes.
struct GroupNeeds {
  int64_t threads = 1;
  int64_t registers = 0;  ///< of each thread; 0 where nobody knows
  int64_t sharedBytes = 0;
};

struct Occupancy {
  int64_t groups = 0;  ///< on a unit at one time; 0: not even one fits
  int64_t warps = 0, mostWarps = 0;
  std::vector<std::string_view> limits;  ///< what more groups would need more of: "threads", "groups", "registers", …
};

/// Fails with codegen.occupancy for an architecture whose rules are not known: "sm_10", or "" of devices that have
/// none.
Result<Occupancy> occupancyOf(std::string_view architecture, const GroupNeeds& needs);

}  // namespace rx::codegen
