// Code generation: a lowered Relax module to an executable.
#pragma once

#include "core/ir/module.h"
#include "core/runtime/executable.h"
#include "core/vm/codegen_slots.h"

namespace rx::vm {

/// Makes bytecode of every Relax function; PrimFuncs and external functions become packed functions, to be found among
/// kernels and builtins. The module is as VMShapeLower and AttachGlobalSymbol leave it: operators are lowered, shapes
/// are constant or made by builtins, no local functions. One register a binding; instructions carry the binding's
/// place and origin, registers its variable's name, heap slots the expression they hold. Fails with vm.codegen (what is
/// not lowered, with its place). `exprText` writes the expressions of heap slots (script::printPrimExpr); without it
/// only lone variables are named.
Result<Ref<Executable>> generateExecutable(const ir::Module& module, const ExprText& exprText = {});

}  // namespace rx::vm
