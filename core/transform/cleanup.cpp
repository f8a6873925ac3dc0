#include "core/transform/cleanup.h"

#include "core/ir/structural_equal.h"

namespace rx::transform {

Result<relax::FunctionRef> canonicalizeBindings(const relax::FunctionRef& function, build::ModuleContext& context) {
  RX_TRY(known, canonicalizeSymbols(function, context));
  return canonicalizeAliases(known, context);
}

Result<relax::FunctionRef> withoutRemnants(relax::FunctionRef function, build::ModuleContext& context,
                                           const ir::IRModule* module) {
  // Aliases hide equal values, and equal values become aliases.
  while (true) {
    const relax::FunctionRef before = function;
    RX_TRY(plain, canonicalizeBindings(function, context));
    RX_TRY(once, eliminateCommonValues(plain, context, module, false));
    RX_TRY(needed, removeUnusedBindings(once, context, module));
    function = needed;
    if (function == before || structuralEqual(before, function)) return before;
  }
}

Result<ir::Module> rewriteFunctions(const ir::Module& module, const pass::PassContext& pass,
                                    const FunctionRewrite& rewrite) {
  build::ModuleContext context(module);
  context.setCancel(pass.cancel);
  for (const auto& [var, function] : module->entries()) {
    auto relaxFunction = refAs<relax::Function>(function);
    if (!relaxFunction) continue;
    if (pass.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    Result<relax::FunctionRef> result = rewrite(relaxFunction, context);
    // What it looked through may have been cut short.
    if (result && pass.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    if (result) {
      context.update(var, *result);
      continue;
    }
    std::vector<Diagnostic> problems = result.diagnostics();
    for (Diagnostic& problem : problems) {
      if (problem.context.empty()) problem.context = var->name.string();
    }
    return fail(std::move(problems));
  }
  return context.module();
}

}  // namespace rx::transform
