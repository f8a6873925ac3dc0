// Rewritings that make one function smaller without changing what it computes; passes that leave remnants end with
// them.
#pragma once

#include <functional>

#include "core/build/module_context.h"
#include "core/pass/pass.h"

namespace rx::transform {

/// Without bindings whose values nothing needs. `module` tells the purity of global functions and may be null.
Result<relax::FunctionRef> removeUnusedBindings(const relax::FunctionRef& function, build::ModuleContext& context,
                                                const ir::IRModule* module);
/// Without symbols that a match_cast makes equal to something known.
Result<relax::FunctionRef> canonicalizeSymbols(const relax::FunctionRef& function, build::ModuleContext& context);
/// Without trivial bindings and match_casts that say nothing new; what only its dataflow block uses is a DataflowVar.
Result<relax::FunctionRef> canonicalizeAliases(const relax::FunctionRef& function, build::ModuleContext& context);
/// Values that are computed twice in a scope are computed once; with `callsOnly` only calls count.
Result<relax::FunctionRef> eliminateCommonValues(const relax::FunctionRef& function, build::ModuleContext& context,
                                                 const ir::IRModule* module, bool callsOnly);
/// canonicalizeSymbols, then canonicalizeAliases.
Result<relax::FunctionRef> canonicalizeBindings(const relax::FunctionRef& function, build::ModuleContext& context);

/// Without aliases, values that are computed twice and what nothing needs, until all of them are gone.
Result<relax::FunctionRef> withoutRemnants(relax::FunctionRef function, build::ModuleContext& context,
                                           const ir::IRModule* module);
/// With plain blocks and variables in the place of dataflow ones.
Result<relax::FunctionRef> withoutDataflow(const relax::FunctionRef& function, build::ModuleContext& context);

/// Rewrites every Relax function of the module; stops where the pass is cancelled.
using FunctionRewrite = std::function<Result<relax::FunctionRef>(const relax::FunctionRef&, build::ModuleContext&)>;
Result<ir::Module> rewriteFunctions(const ir::Module& module, const pass::PassContext& pass,
                                    const FunctionRewrite& rewrite);

}  // namespace rx::transform
