// Loops over the places of a block: fused, split and bound to threads, with the axes of the block following.
#pragma once

#include "core/lower/loop_nest.h"

namespace rx::lower {

/// Whether loops of a single step count as their value in the axes of blocks.
enum class UnitIters : uint8_t { Drop, Keep };

/// All of the loops, which hold nothing but one another, as one. `around`: loops around them.
Ref<tir::For> fusedLoop(std::span<const Ref<tir::For>> loops, std::span<const Ref<tir::For>> around, UnitIters units);

/// The loop as a nest, one loop a factor from the outside; at most one factor is null and follows from the others. What
/// the nest runs beyond the loop is left out by a predicate of the blocks in it.
LoopNest splitLoop(const tir::For& loop, std::span<const tir::PrimExpr> factors, std::span<const Ref<tir::For>> around,
                   UnitIters units);

/// The loop bound to a thread axis ("threadIdx.x").
Ref<tir::For> boundTo(const tir::For& loop, std::string_view tag);

}  // namespace rx::lower
