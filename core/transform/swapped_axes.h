// permute_dims that turns matrices.
#pragma once

#include "core/ir/relax.h"

namespace rx::transform {

/// Whether only the last two dimensions change places.
bool swapsLastTwo(const relax::Call& permute);

}  // namespace rx::transform
