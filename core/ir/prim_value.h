// R.prim_value of integers.
#pragma once

#include "core/ir/relax.h"

namespace rx::relax {

/// R.prim_value of an int64; small numbers are one node each for everybody.
Expr primValue(int64_t value);

}  // namespace rx::relax
