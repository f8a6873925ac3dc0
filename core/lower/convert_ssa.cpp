// ConvertSSA: one definition a variable, over all functions of the module.
#include "core/lower/pass_functions.h"
#include "core/lower/ssa.h"

namespace rx::lower {

Result<ir::Module> convertSsa(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  std::vector<ir::IRModule::Entry> entries = module->entries();
  SsaConverter converter;
  bool changed = false;
  for (auto& [name, function] : entries) {
    auto kernel = refAs<tir::PrimFunc>(function);
    if (!kernel) continue;
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    tir::PrimFuncRef result = converter.function(kernel);
    changed = changed || result != kernel;
    function = result;
  }
  return changed ? module->with(std::move(entries)) : module;
}

}  // namespace rx::lower
