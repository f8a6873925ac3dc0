// What a block of a model is, by what its operations do with its input.
#pragma once

#include "views/graph/layer_fold.h"

namespace rx {

/// The kind of one block of a run, as LayerRun::kind has it; `inputs` are those of each node. A residual block adds to
/// a value, its own input or that through a projection, what it computes from it; a layer does so more than once. Equal
/// blocks that all read the same parameters are the steps of a recurrence. Anything else is a block.
const char* layerKindOf(const GraphModel& model, const std::vector<std::vector<uint32_t>>& inputs, const LayerRun& run);

}  // namespace rx
