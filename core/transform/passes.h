// core/transform: the passes of Relax and TIR, one file a pass, and their table. Names, options and effects follow
// TVM v0.25.
#pragma once

#include "core/pass/pass.h"

namespace rx::transform {

/// All passes and named pipelines.
const pass::PassTable& passTable();

/// Text of the default build pipeline: LambdaLift, then the 15 passes of TVM's default build in their order.
std::string_view defaultPipeline();

}  // namespace rx::transform
