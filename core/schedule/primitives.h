// The primitives of a schedule, under the names that TVM gives them, one file each. Each fails with schedule.<name>
// where it does not apply, and then the schedule is as it was.
#pragma once

#include <span>

#include "core/schedule/schedule.h"

namespace rx::schedule {

/// Turns a loop into a nest, one loop a factor. One factor may be null: it follows from the others. What the nest would
/// run beyond the loop is left out by predicates.
Result<std::vector<LoopRef>> split(Schedule& schedule, const LoopRef& loop, std::span<const tir::PrimExpr> factors);
/// The same with numbers; 0 is the factor that follows from the others.
Result<std::vector<LoopRef>> split(Schedule& schedule, const LoopRef& loop, std::initializer_list<int64_t> factors);
/// One loop for several that hold nothing but one another.
Result<LoopRef> fuse(Schedule& schedule, std::span<const LoopRef> loops);
/// Puts the loops, which lie in one perfect nest, in this order; others of the nest stay where they are.
Result<Unit> reorder(Schedule& schedule, std::span<const LoopRef> loops);
/// A loop of one step around a block.
Result<LoopRef> addUnitLoop(Schedule& schedule, BlockRef block);

/// bind: lets threads of this axis ("threadIdx.x") run the steps of the loop.
Result<Unit> bindTo(Schedule& schedule, const LoopRef& loop, std::string_view threadAxis);
Result<Unit> parallel(Schedule& schedule, const LoopRef& loop);
Result<Unit> vectorize(Schedule& schedule, const LoopRef& loop);
Result<Unit> unroll(Schedule& schedule, const LoopRef& loop);

Result<Unit> annotate(Schedule& schedule, const LoopRef& loop, std::string_view key, NodeRef value);
Result<Unit> annotate(Schedule& schedule, BlockRef block, std::string_view key, NodeRef value);
/// Pads a buffer that the block writes, so that steps along an axis are `offset` beyond multiples of `factor`.
Result<Unit> storageAlign(Schedule& schedule, BlockRef block, size_t bufferIndex, int64_t axis, int64_t factor,
                          int64_t offset);
/// Moves a buffer that the block writes to another memory.
Result<Unit> setScope(Schedule& schedule, BlockRef block, size_t bufferIndex, std::string_view scope);

/// Computes what the block writes where it is read, and drops the block.
Result<Unit> computeInline(Schedule& schedule, BlockRef block);
/// Puts what the block makes of its only producer into that one, and drops the block.
Result<Unit> reverseComputeInline(Schedule& schedule, BlockRef block);
/// Moves a block under a loop, right before those that read what it writes, and computes there only what they need.
/// Loops of one step are left out unless they are to be preserved.
Result<Unit> computeAt(Schedule& schedule, BlockRef block, const LoopRef& loop, bool preserveUnitLoops = false);
/// Moves a block under a loop, behind those that write what it reads and before those that read what it writes.
Result<Unit> reverseComputeAt(Schedule& schedule, BlockRef block, const LoopRef& loop, bool preserveUnitLoops = false);
/// Reads a buffer of the block by way of a copy in another memory. Gives the block that copies.
Result<BlockRef> cacheRead(Schedule& schedule, BlockRef block, size_t bufferIndex, std::string_view scope);
/// Writes a buffer of the block by way of a copy in another memory. Gives the block that copies.
Result<BlockRef> cacheWrite(Schedule& schedule, BlockRef block, size_t bufferIndex, std::string_view scope);

/// Moves the init of a reduction into a block of its own before the loop. Gives that block.
Result<BlockRef> decomposeReduction(Schedule& schedule, BlockRef block, const LoopRef& loop);
/// Reduces along a loop only at the end: what the steps of the loop give lies in a buffer with one more axis. Gives the
/// block that fills it; the block of the reduction reads it.
Result<BlockRef> rfactor(Schedule& schedule, const LoopRef& loop, int64_t factorAxis);

/// Which side of a block a buffer is on.
enum class Access : uint8_t { Read, Write };
/// Copies a buffer of a block to or from one whose dimensions are the axes that tell where the block accesses it. Gives
/// the block that copies.
Result<BlockRef> reindex(Schedule& schedule, BlockRef block, Access access, size_t bufferIndex);
/// Moves the elements of a buffer, which the kernel allocates, to where the map says; no place may stay empty.
Result<Unit> transformLayout(Schedule& schedule, BlockRef block, Access access, size_t bufferIndex,
                             const tir::IndexMap& map);
/// Lets the axes of a sum of products run up to multiples of these numbers, over buffers with zeros in the new places.
Result<Unit> padEinsum(Schedule& schedule, BlockRef block, std::span<const int64_t> padding);

/// Other axes for a block, and loops over them: a map from its axes that can be inverted.
Result<Unit> transformBlockLayout(Schedule& schedule, BlockRef block, const tir::IndexMap& map);

}  // namespace rx::schedule
