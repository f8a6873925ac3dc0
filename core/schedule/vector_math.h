// Functions of float32 in plain arithmetic, so that a vector of them is computed at once, with the same bits on every
// width and in the interpreter.
#pragma once

#include "core/ir/stmt.h"

namespace rx::schedule {

/// The statement with calls of exp, log, sigmoid, tanh, erf and rsqrt on float32 in plain arithmetic; `fused`: with
/// products and sums that round once. Largest errors over every 4,099th float32, in units of the last place: exp 1, log
/// 1, sigmoid 2, tanh 4.3, erf 4.6; below the smallest normal number, less than that number.
tir::Stmt withVectorMath(const tir::Stmt& statement, bool fused);

}  // namespace rx::schedule
