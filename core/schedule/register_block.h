// How many rows and lanes of a product are under way at once.
#pragma once

#include <cstdint>

namespace rx::schedule {

/// How a block of registers is laid out.
struct RegisterBlock {
  int64_t rows, width;  ///< width: in lanes
};

/// For so many rows and lanes, with `perVector` lanes in each of the registers; a block has `mostRows` and
/// `mostVectors` at most.
RegisterBlock blockFor(int64_t rows, int64_t mostRows, int64_t lanes, int64_t perVector, int64_t registers,
                       int64_t mostVectors);

}  // namespace rx::schedule
