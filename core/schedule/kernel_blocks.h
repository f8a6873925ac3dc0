// The blocks of a kernel in the form in which rules look at them: one loop an axis, axes of one step left out.
#pragma once

#include <optional>

#include "core/schedule/schedule.h"

namespace rx::schedule {

/// An axis of a block, with the loop around the block that walks over it.
struct AxisInfo {
  char kind;  ///< S: data-parallel, R: reduced, O: any other
  tir::VarRef var;
  tir::PrimExpr extent;
  LoopRef loop;
};

struct BlockInfo {
  BlockRef block;
  std::vector<AxisInfo> axes;
  bool isReduction = false;

  std::string kinds() const;  ///< "SSR"
  bool isInjective() const { return kinds().find_first_not_of('S') == std::string::npos; }
};

/// Gives the innermost blocks of the kernel one loop an axis, without those of one step, and tells of them. Nothing
/// where the axes of one are not the loops around it.
std::optional<std::vector<BlockInfo>> normalizedBlocks(Schedule& schedule);

/// Inlines blocks into others, forwards and backwards, as long as there are some; what is left.
std::vector<BlockInfo> tryInline(Schedule& schedule, std::vector<BlockInfo> blocks);
/// The same for each run of blocks that reduce nothing.
std::vector<BlockInfo> tryInlineContiguousSpatial(Schedule& schedule, const std::vector<BlockInfo>& blocks);

}  // namespace rx::schedule
