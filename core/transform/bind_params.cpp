// BindParams: tensors in the place of parameters, which go; sizes that they decide are numbers from then on.
#include <fmt/format.h>

#include "core/ir/constant.h"
#include "core/op/lattice.h"
#include "core/op/sinfo_text.h"
#include "core/support/nearest.h"
#include "core/tensor/npy.h"
#include "core/tensor/safetensors.h"
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

/// Arrays of a file by their names; of a name that stands there twice the last.
Result<ir::Attrs> tensorsOf(const std::string& file) {
  RX_TRY(arrays, file.ends_with(".safetensors") ? readSafetensors(file) : readNpz(file));
  std::vector<std::pair<Str, NodeRef>> tensors;
  for (const auto& [name, tensor] : arrays) tensors.emplace_back(Str(name), relax::constantOf(tensor));
  return make<ir::DictAttrs>(std::move(tensors));
}

/// What is given for the parameters: `params`, and of the arrays of `file` those that are named as one of them.
Result<ir::Attrs> paramsOf(const relax::Function& function, const ir::Attrs& params, const ir::Attrs& file) {
  if (!file) return params;
  ir::Attrs all = params;
  size_t taken = 0;
  for (const relax::VarRef& param : function.params) {
    const NodeRef tensor = ir::attrOf(file, param->name.view());
    if (!tensor || ir::attrOf(params, param->name.view())) continue;
    all = ir::withAttr(all, param->name, tensor);
    ++taken;
  }
  if (taken > 0 || file->size() == 0) return all;
  Diagnostic none = errorAt({}, "pass.parameter", "no array of the file is named as a parameter");
  Nearest nearest(file->keys[0].view());
  for (const relax::VarRef& param : function.params) nearest.offer(param->name.view());
  none.fix = nearest.fix();
  return fail(std::move(none));
}

}  // namespace

Result<ir::Module> bindParams(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  const std::string_view name = ir::strAttrOf(options_, "func_name");
  const std::string file(ir::strAttrOf(options_, "file"));
  const auto params = refAs<ir::DictAttrs>(ir::attrOf(options_, "params"));
  ir::Attrs arrays;
  if (!file.empty()) {
    RX_TRY(read, tensorsOf(file));
    arrays = std::move(read);
  }
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
    RX_TRY(given, paramsOf(*relaxFunction, params, arrays));
    RX_TRY(binding, bindingOf(*relaxFunction, *given));
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
