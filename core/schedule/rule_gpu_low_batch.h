// gpu.LowBatchGEMV in two ways, by how the matrix lies in memory.
#pragma once

#include "core/schedule/low_batch.h"
#include "core/target/target.h"

namespace rx::schedule {

/// What both ways schedule: loops over vectors, places and sums.
struct LowBatch {
  Schedule& schedule;
  const target::Target& target;
  const LowBatchKernel& kernel;
  int64_t bucket;  ///< vectors that a block of threads works on
};

/// The sums lie innermost.
Result<Unit> lowBatchInnerSums(const LowBatch& batch);
/// The places lie innermost; weights must be packed.
Result<Unit> lowBatchInnerPlaces(const LowBatch& batch);

/// The first block that reads what the main block writes.
std::optional<BlockRef> epilogueOf(const LowBatch& batch);

}  // namespace rx::schedule
