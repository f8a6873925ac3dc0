// core/lower: TIR to TIR, from blocks to flat loops over buffers, one file a pass. Names, options and effects follow
// TVM v0.25. The only place where a block is lowered.
#pragma once

#include "core/pass/pass.h"

namespace rx::lower {

/// The rows of this layer's passes, in the order of passes.def.
std::span<const pass::PassRow> passRows();

}  // namespace rx::lower
