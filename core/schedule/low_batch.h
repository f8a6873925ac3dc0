// Products of a matrix and a few vectors, whose number is not known: how a rule finds them and brings them to one form.
#pragma once

#include <optional>

#include "core/schedule/kernel_blocks.h"

namespace rx::schedule {

/// Such a kernel, with the vectors padded to whole buckets.
struct LowBatchKernel {
  BlockInfo main;
  std::optional<BlockRef> weights;  ///< takes packed weights apart
  std::optional<BlockRef> padding;  ///< pads the vectors
};
struct LowBatchFinding {
  std::optional<LowBatchKernel> kernel;
  std::string_view why;  ///< it is none
};
Result<LowBatchFinding> findLowBatch(Schedule& schedule, int64_t bucket);

/// Brings the loops of the main block to vectors, places and sums. Gives whether the matrix lies with its sums
/// innermost; nothing where it can not be brought to that form.
Result<std::optional<bool>> normalizeLowBatch(Schedule& schedule, const BlockInfo& main);

}  // namespace rx::schedule
