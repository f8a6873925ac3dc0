// Products of matrices: how rules find them and bring them to C[S, I, J] += A[S, I, K] * B[S, J, K].
#pragma once

#include <optional>

#include "core/schedule/schedule.h"

namespace rx::schedule {

/// The only block of the kernel that reduces, where all others are data-parallel; nothing elsewhere.
std::optional<BlockRef> onlyReduction(Schedule& schedule);
/// Whether each axis of the block belongs to both operands and the result, to one operand and the result, or to both
/// operands, and there is one of each of the last three kinds.
bool isMatmul(const tir::Block& block);
/// Lets the block work on copies of its operands and its result in that form, with one axis for each letter.
Result<Unit> normalizeMatmul(Schedule& schedule, BlockRef block);

/// Inlines what leads up to the block, as far as it can be.
void inlineProducers(Schedule& schedule, BlockRef block);
/// Inlines all that follows from the block into it; fails where something is left.
Result<Unit> inlineConsumerChain(Schedule& schedule, BlockRef block);

}  // namespace rx::schedule
