#include "core/lower/scope.h"

#include <fmt/format.h>

#include "core/ir/structural_equal.h"

namespace rx::lower {

Result<ir::Module> overPrimFuncs(const ir::Module& module, const ir::Attrs& options, pass::PassContext& context,
                                 FunctionPass run) {
  std::vector<ir::IRModule::Entry> entries = module->entries();
  bool changed = false;
  for (auto& [name, function] : entries) {
    auto kernel = refAs<tir::PrimFunc>(function);
    if (!kernel) continue;
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    Scope scope{module, name, options, context};
    Result<tir::PrimFuncRef> result = run(kernel, scope);
    if (!result) {
      std::vector<Diagnostic> errors = result.diagnostics();
      for (Diagnostic& error : errors) {
        if (!error.span.known()) error.notes.push_back({fmt::format("in the function {}", name->name.view()), {}});
      }
      return fail(std::move(errors));
    }
    if (*result == kernel) continue;
    function = *result;
    changed = true;
  }
  return changed ? module->with(std::move(entries)) : module;
}

tir::PrimFuncRef unlessSame(const tir::PrimFuncRef& before, const tir::PrimFuncRef& after) {
  return after == before || structuralEqual(before, after) ? before : after;
}

tir::PrimFuncRef withBody(const tir::PrimFuncRef& function, tir::Stmt body) {
  if (body == function->body) return function;
  auto* copy = new tir::PrimFunc(*function);
  copy->body = std::move(body);
  return tir::PrimFuncRef(copy);
}

}  // namespace rx::lower
