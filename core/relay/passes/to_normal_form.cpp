// ToANormalForm and ToBasicBlockNormalForm.
#include "core/relay/passes/normal_form.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"
#include "core/relay/text.h"

namespace rx::relay {

namespace {
Result<ir::Module> toForm(const ir::Module& module, pass::PassContext& context, NormalForm form) {
  return onFunctions(module, context, [&](const FunctionRef& function) -> Result<FunctionRef> {
    const std::vector<VarRef> free = freeVariables(function);
    if (!free.empty() && !ir::boolAttrOf(function->attrs, kLoneExpression, false)) {
      return fail(
          errorAt(free.front()->span, "relay.free-variable", "%" + free.front()->name.string() + " is not bound"));
    }
    return toNormalForm(function, form);
  });
}
}  // namespace

Result<ir::Module> toANormalForm(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return toForm(module, context, NormalForm::ANormal);
}

Result<ir::Module> toBasicBlockNormalForm(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return toForm(module, context, NormalForm::BasicBlock);
}

}  // namespace rx::relay
