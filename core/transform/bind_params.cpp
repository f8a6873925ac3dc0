// BindParams: tensors in the place of parameters, which go; sizes that they decide are numbers from then on.
#include <fmt/format.h>

#include "core/op/lattice.h"
#include "core/op/sinfo_text.h"
#include "core/support/nearest.h"
#include "core/transform/bind.h"
#include "core/transform/option_values.h"
#include "core/transform/pass_functions.h"
#include "core/transform/symbol_binding.h"

namespace rx::transform {

namespace {

Result<relax::VarRef> parameterNamed(const relax::Function& function, std::string_view name) {
  relax::VarRef found;
  for (const relax::VarRef& param : function.params) {
    if (!(param->name == name)) continue;
    if (found) return fail("pass.parameter", fmt::format("two parameters are named {}", name));
    found = param;
  }
  if (found) return found;
  std::string names;
  for (const relax::VarRef& param : function.params)
    fmt::format_to(std::back_inserter(names), " {}", param->name.view());
  return fail("pass.parameter", fmt::format("there is no parameter {} to bind; there are:{}", name, names));
}

Result<Binding> bindingOf(const relax::Function& function, const ir::DictAttrs& params) {
  Binding binding;
  op::InferContext context;
  for (size_t i = 0; i < params.size(); ++i) {
    RX_TRY(param, parameterNamed(function, params.keys[i].view()));
    RX_TRY(constant, tensorOption(params.values[i], params.keys[i].view()));
    if (op::baseCheck(param->sinfo, constant->sinfo, context) <= op::BaseCheck::FailL1) {
      return fail("pass.parameter",
                  fmt::format("the parameter {} is {}, and can not be bound to {}", param->name.view(),
                              op::sinfoText(param->sinfo), op::sinfoText(constant->sinfo)));
    }
    for (const auto& [symbol, value] : symbolValues(param->sinfo, constant->sinfo)) {
      binding.symbols[symbol.get()] = value;
    }
    binding.vars[param.get()] = constant;
  }
  return binding;
}

}  // namespace

Result<ir::Module> bindParams(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  const std::string_view name = ir::strAttrOf(options_, "func_name");
  const NodeRef given = ir::attrOf(options_, "params");
  const auto* params = as<ir::DictAttrs>(given);
  build::ModuleContext moduleContext(module);
  moduleContext.setCancel(context.cancel);
  bool found = false;
  Nearest nearest(name);
  for (const auto& [var, function] : module->entries()) {
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    auto relaxFunction = refAs<relax::Function>(function);
    // A function that the outside can call goes by the name that the outside knows.
    const std::string_view symbol = ir::strAttrOf(function->attrs, "global_symbol");
    const std::string_view known = symbol.empty() ? var->name.view() : symbol;
    if (relaxFunction) nearest.offer(known);
    if (!relaxFunction || !params || name != known) continue;
    found = true;
    RX_TRY(binding, bindingOf(*relaxFunction, *params));
    RX_TRY(bound, bindVars(relaxFunction, binding, "BindParams", moduleContext));
    moduleContext.update(var, bound);
  }
  if (params && !found) {
    Diagnostic unknown =
        warningAt({}, "pass.unknown-function", fmt::format("no function is named {}: nothing is bound", name));
    unknown.fix = nearest.fix();
    context.messages.push_back(std::move(unknown));
  }
  return moduleContext.module();
}

}  // namespace rx::transform
