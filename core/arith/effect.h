// What evaluating an expression may do beyond giving its value.
#pragma once

#include "core/ir/prim_expr.h"

namespace rx::arith {

enum class Effect : uint8_t { Pure, Reads, Writes };

/// What a call itself may do, its arguments aside. The table of intrinsics lies in a layer below this one's users, so
/// who analyses statements hands it in.
using CallEffect = Effect (*)(const tir::Call& call);
/// Knows the intrinsics of index arithmetic; every other call may write.
Effect effectOfIndexCall(const tir::Call& call);

/// The strongest effect of the expression and its parts.
Effect effectOf(const tir::PrimExpr& expr, CallEffect callEffect);

}  // namespace rx::arith
