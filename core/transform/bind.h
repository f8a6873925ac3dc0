// Values in the place of parameters and symbols of a function.
#pragma once

#include "core/arith/equal.h"
#include "core/build/module_context.h"
#include "core/support/result.h"

namespace rx::transform {

struct Binding {
  std::unordered_map<const relax::Var*, relax::Expr> vars;  ///< parameters among them are parameters no more
  arith::VarMap symbols;
};

/// The function with these variables and symbols replaced, its StructInfo too.
Result<relax::FunctionRef> bindVars(const relax::FunctionRef& function, const Binding& binding, Str pass,
                                    build::ModuleContext& context);

/// The function with variables and symbols of its own, so that it can stand beside the original.
relax::FunctionRef withFreshVars(const relax::FunctionRef& function);

}  // namespace rx::transform
