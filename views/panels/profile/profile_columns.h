// The columns of the profile's table.
#pragma once

#include "views/panels/profile/profile_panel.h"

namespace rx::views {

enum ProfileColumn : int {
  kProfileName,
  kProfileCallee,
  kProfileFrom,
  kProfileResult,
  kProfileLayer,
  kProfileCalls,
  kProfileBefore,
  kProfileTime,
  kProfileDevice,
  kProfileOccupancy,
  kProfileChange,
  kProfileShare,
  kProfileFlops,
  kProfileBytes,
  kProfileLimit,
  kProfileBound,
};

std::span<const Column<ProfileLine>> profileColumns();

/// A time in milliseconds, or in microseconds, of four digits: "0.1251".
QString profileTime(double nanoseconds, bool micro);

}  // namespace rx::views
