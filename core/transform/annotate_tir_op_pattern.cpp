// AnnotateTIROpPattern: every kernel says what it can be fused with.
#include "core/analysis/op_pattern.h"
#include "core/build/module_context.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

Result<ir::Module> annotateTirOpPattern(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  build::ModuleContext moduleContext(module);
  for (const auto& [var, function] : module->entries()) {
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    const auto* kernel = as<tir::PrimFunc>(function);
    if (!kernel || ir::intAttrOf(function->attrs, "op_pattern", 0) != 0) continue;
    const auto pattern = static_cast<int64_t>(analysis::opPatternOf(*kernel));
    moduleContext.update(var, ir::withFunctionAttr(function, Str("op_pattern"), ir::intAttr(pattern)));
  }
  return moduleContext.module();
}

}  // namespace rx::transform
