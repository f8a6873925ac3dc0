// Calls of one PrimFunc in another.
#pragma once

#include "core/ir/module.h"

namespace rx::ir {

/// The module as it is compiled and run: what a PrimFunc calls of the module's PrimFuncs stands in its place, so that
/// each kernel is code by itself. PrimFuncs that take raw pointers, which only a kernel can give, are left out once
/// none of their calls is left. The very same module where no PrimFunc calls another.
///
/// A call stays, for the code generator to refuse, where the callee calls itself in a circle, returns from the middle,
/// returns a value that statements compute to an expression, takes a buffer whose
/// shape the call does not tell, or where the kernel would grow beyond a million nodes.
Module withCallsInlined(const Module& module);

}  // namespace rx::ir
