// WidenSums: sums of halves are made in float32.
#pragma once

#include "core/lower/scope.h"

namespace rx::schedule {

/// The kernel with each sum of float16 and bfloat16 elements made in float32, and rounded once at its end; the products
/// that it adds up are exact. A kernel that is scheduled stays as it is.
Result<tir::PrimFuncRef> widenSums(const tir::PrimFuncRef& function, lower::Scope& scope);

}  // namespace rx::schedule
