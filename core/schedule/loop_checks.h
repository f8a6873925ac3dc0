// What primitives ask of loops.
#pragma once

#include "core/schedule/schedule.h"

namespace rx::schedule {

/// The path to a loop, or a failure of the primitive where the kernel has none.
Result<Path> loopPath(const Schedule& schedule, std::string_view primitive, const LoopRef& loop);
/// The same for a loop from 0 that is neither bound to threads nor annotated.
Result<Path> plainLoop(const Schedule& schedule, std::string_view primitive, const LoopRef& loop);
/// The path to the realization of a block, or a failure where the kernel no longer has it.
Result<Path> blockPath(const Schedule& schedule, std::string_view primitive, BlockRef block);
/// Fails where there is no memory of that name, for a buffer of this block.
Result<Unit> checkMemory(std::string_view primitive, std::string_view block, std::string_view scope);

}  // namespace rx::schedule
