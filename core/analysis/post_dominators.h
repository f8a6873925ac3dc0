// The post-dominator of each node: the nearest one through which all that is computed from it passes.
#pragma once

#include "core/analysis/forward_graph.h"

namespace rx::analysis {

constexpr uint32_t kNoNode = UINT32_MAX;

struct PostDominator {
  uint32_t parent = kNoNode;              ///< the immediate post-dominator, kNoNode where there is none
  uint32_t depth = 1;                     ///< how many there are in a row
  OpPattern pattern = OpPattern::Opaque;  ///< the strongest of the uses on the ways to the parent
};

/// One for each node of a graph. Uses come after definitions, so one walk backwards finds them all.
std::vector<PostDominator> postDominators(const std::vector<ForwardNode>& nodes);

}  // namespace rx::analysis
