// What the blocks of a model are called: after their weights, else by their place in the structure.
#pragma once

#include "views/graph/layer_fold.h"

namespace rx {

/// Kinds of blocks as LayerRun::kind has them.
inline constexpr const char* kResidual = "residual block";
inline constexpr const char* kResidualProjected = "residual block with projection";
inline constexpr const char* kLayer = "layer";
inline constexpr const char* kStep = "recurrent step";
inline constexpr const char* kBlock = "block";

/// Fills `names` of runs in order whose kinds are known; the last node of a block tells its shape. Names are unique:
/// what the weights of a block have in common ("layer2.0" of layer2_0_conv1 and layer2_0_bn1, "layers.7" of q_proj_7
/// and k_proj_7), where that tells all blocks apart; else residual blocks are counted anew wherever the shape changes
/// ("layer2.0"), and others throughout ("layers.7", "blocks.3").
void nameLayers(const GraphModel& model, std::vector<LayerRun>* runs);

}  // namespace rx
