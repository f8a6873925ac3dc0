// Which functions and calls have effects.
#pragma once

#include "core/ir/module.h"

namespace rx::analysis {

/// True when the PrimFunc writes only buffers that it allocates and calls nothing with effects.
bool isPurePrimFunc(const tir::PrimFunc& func);
/// True when every call of the function's body is known to be pure (nested functions count where they are called).
/// Calls of other functions go by their signature in `module`, which may be null.
bool isPureFunction(const relax::Function& func, const ir::Module& module);
/// The first call with effects in the body, or null.
const relax::Call* firstImpureCall(const relax::Function& func, const ir::Module& module);
/// True when evaluating the expression may have effects; functions in it count where they are called.
bool containsImpureCall(const relax::Expr& expr, const ir::IRModule* module);
/// True when the call may have effects. `module` may be null.
bool isImpureCall(const relax::Call& call, const ir::IRModule* module);

}  // namespace rx::analysis
