// When the values of a block are needed.
#pragma once

#include <unordered_map>

#include "core/ir/relax.h"

namespace rx::analysis {

/// Positions of bindings in a block. -1: there before the block; the number of bindings: still there behind it.
struct LiveRange {
  int64_t from = -1, to = -1;
};

/// Of every variable that the block binds or uses: from its binding to its last use, to the end where others can see
/// it. Taking a field of a tuple is no use of the tuple.
std::unordered_map<const relax::Var*, LiveRange> liveRanges(const relax::BindingBlock& block);

}  // namespace rx::analysis
