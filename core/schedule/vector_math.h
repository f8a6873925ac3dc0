// Functions of float32 in plain arithmetic, so that a vector of them is computed at once, with the same bits on every
// width and in the interpreter. Processors without fused products (x86-64-v2) may give other last bits than those with.
#pragma once

#include "core/ir/stmt.h"

namespace rx::schedule {

/// The statement with calls of functions on float32 in plain arithmetic; `fused`: with products and sums that round
/// once. exp, log, sigmoid, tanh, erf and rsqrt are computed in float32, all others (exp2, exp10, log2, log10, log1p,
/// sin, cos, tan and their inverses, sinh, cosh, their inverses and that of tanh, pow, atan2, hypot) in float64, and
/// rounded once; arguments may be of any size. Those in float32 serve float16 and bfloat16 too, rounded to these. A
/// power that is a small whole number is a few products.
///
/// Largest errors in units of the last place, over every 257th float32 (tst_vector_math looks at every 4,099th, or at
/// all of them): exp 1.01, log 0.83, sigmoid 2.3, tanh 4.4 (over all of them 5.5), erf 5.5 (over all 7.5), rsqrt 1.5;
/// of the others, and of a million pairs of arguments, none was found that is not the nearest float32. Below the
/// smallest normal number an error is less than that number. fmod, ldexp and nextafter stay calls of the C library;
/// floor, ceil, round, trunc and sqrt are instructions.
tir::Stmt withVectorMath(const tir::Stmt& statement, bool fused);

}  // namespace rx::schedule
