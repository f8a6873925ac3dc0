// Loops over the places of a block: fused, split and bound to threads, with the axes of the block following.
#pragma once

#include <optional>

#include "core/lower/loop_nest.h"

namespace rx::lower {

/// All of the loops, which hold nothing but one another, as one that drops those of a single step. `around`: loops
/// around them.
Ref<tir::For> fusedLoop(std::span<const Ref<tir::For>> loops, std::span<const Ref<tir::For>> around);

/// The loop as a nest, one loop a factor from the outside; at most one factor is null and follows from the others. What
/// the nest runs beyond the loop is left out by a predicate of the blocks in it.
LoopNest splitLoop(const tir::For& loop, std::span<const std::optional<int64_t>> factors,
                   std::span<const Ref<tir::For>> around);

/// The loop bound to a thread axis ("threadIdx.x").
Ref<tir::For> boundTo(const tir::For& loop, std::string_view tag);

}  // namespace rx::lower
