// What rules ask of targets, loops and blocks.
#pragma once

#include <optional>
#include <unordered_set>

#include "core/arith/iter_map.h"
#include "core/schedule/kernel_blocks.h"
#include "core/target/target.h"

namespace rx::schedule {

/// Threads of a block that the target takes; 1024 on CUDA and 256 elsewhere where it does not say.
int64_t maxThreadsPerBlock(const target::Target& target);
/// How many threads should share each of these loops: powers of two, for a loop of unknown length at most 32 of them
/// and what the others leave.
std::vector<int64_t> suggestedThreads(const target::Target& target, std::span<const tir::PrimExpr> extents);

/// Whether it is OpenCL on a phone: its host is Android, or it says Adreno.
bool isAdreno(const target::Target& target);

/// The largest of these factors that divides the number; 1 where none does, or the number is not known.
int64_t largestFactor(std::optional<int64_t> number, std::initializer_list<int64_t> factors);
/// The length of a loop where it is a number.
std::optional<int64_t> extentOf(const Schedule& schedule, const LoopRef& loop);
/// Unrolls what the loop holds up to so many steps.
Result<Unit> unrollUpTo(Schedule& schedule, const LoopRef& loop, int64_t steps);
/// Vectorizes the last `lanes` steps of the loop, the whole loop where it is no longer.
Result<Unit> vectorizeInner(Schedule& schedule, const LoopRef& loop, int64_t lanes);
/// The blocks of a sum that threads share: what each adds up, and what those of a group of threads do.
struct SharedSum {
  BlockRef first{}, second{};
};
/// Takes the sum of a block in two steps in front of it: by `shares`, then by threads. The loop over the shares is then
/// the one at `place`; it is split in `threads` and `lanes`, of which one may be 0 for what the other leaves.
Result<SharedSum> shareSum(Schedule& schedule, BlockRef block, const LoopRef& shares, size_t place, int64_t threads,
                           int64_t lanes);
/// The same for the loop `sums`, whose shares are threads with `lanes` neighbours each, in steps of `tile`.
Result<SharedSum> shareSumInLanes(Schedule& schedule, BlockRef block, const LoopRef& sums, size_t place,
                                  int64_t threads, int64_t tile, int64_t lanes);

/// What the block adds up: y of x[...] = x[...] + y. Null where its body has another form.
tir::PrimExpr summand(const tir::Block& block);
/// The axes of the block that tell where the region lies; nothing where it is more than one element.
std::optional<std::unordered_set<const tir::Var*>> axesIn(const tir::Block& block, const tir::BufferRegion& region);
/// The place in memory that the block reads where it depends on the most axes, as pieces of the axes by stride; nothing
/// where it is no sum of such pieces. `among`: the axes that count, where not all do.
std::optional<arith::IterSum> dominantRead(const tir::Block& block,
                                           const std::unordered_set<const tir::Var*>* among = nullptr);
/// Whether the epilogue reads an element that the block writes more than once.
bool isBroadcastEpilogue(const Schedule& schedule, BlockRef block, BlockRef epilogue);

}  // namespace rx::schedule
