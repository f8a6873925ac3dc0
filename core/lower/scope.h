// What a pass over one PrimFunc sees beside the function, and the walk over the functions of a module.
#pragma once

#include "core/pass/pass.h"

namespace rx::lower {

/// The surroundings of the PrimFunc that a pass works on.
struct Scope {
  const ir::Module& module;
  const relax::GlobalVarRef& name;  ///< of the function
  const ir::Attrs& options;         ///< those of the call and the fallbacks of others
  pass::PassContext& context;
};

/// A pass over one PrimFunc; the very same function where it changes nothing.
using FunctionPass = Result<tir::PrimFuncRef> (*)(const tir::PrimFuncRef& function, Scope& scope);

/// Applies the pass to every PrimFunc; other functions stay. Polls cancellation between functions. The very same module
/// where nothing changes. A function that the pass refuses ends it; errors that have no place of their own name it.
Result<ir::Module> overPrimFuncs(const ir::Module& module, const ir::Attrs& options, pass::PassContext& context,
                                 FunctionPass run);

/// `before` where a rewriting that makes everything anew has made the same.
tir::PrimFuncRef unlessSame(const tir::PrimFuncRef& before, const tir::PrimFuncRef& after);
/// A copy of the function with another body; the very same function for the same body.
tir::PrimFuncRef withBody(const tir::PrimFuncRef& function, tir::Stmt body);

}  // namespace rx::lower
