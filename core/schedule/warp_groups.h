// What products by groups of warps need of a device.
#pragma once

#include <cstdint>

namespace rx::schedule {

/// Bytes that a group shares for a tile of so many columns.
int64_t warpGroupBytes(int64_t columns);

}  // namespace rx::schedule
