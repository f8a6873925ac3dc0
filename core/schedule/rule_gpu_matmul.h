// gpu.Matmul where the sums do not lie innermost in the second operand.
#pragma once

#include "core/schedule/schedule.h"

namespace rx::schedule {

/// Whether the product has that form, with rows of unknown number and other sizes that are known.
bool isOuterMatmul(const Schedule& schedule, BlockRef block);
Result<Unit> scheduleOuterMatmul(Schedule& schedule, BlockRef block);

}  // namespace rx::schedule
