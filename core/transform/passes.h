// core/transform: the passes from Relax to Relax, one file a pass, and their rows. Names, options and effects follow
// TVM v0.25.
#pragma once

#include "core/pass/pass.h"

namespace rx::transform {

/// The rows of this layer's passes, in the order of passes.def.
std::span<const pass::PassRow> passRows();

}  // namespace rx::transform
