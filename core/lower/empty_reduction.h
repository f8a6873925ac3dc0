// Reductions over nothing.
#pragma once

#include "core/lower/scope.h"

namespace rx::lower {

/// A block's init runs with the first step of its reduction, so a loop that takes no step would leave the result
/// unwritten. Puts a branch after every such loop that writes the init values in that case. No pass of TVM, which
/// leaves the result as it was.
Result<tir::PrimFuncRef> initEmptyReductions(const tir::PrimFuncRef& func, Scope& scope);

}  // namespace rx::lower
