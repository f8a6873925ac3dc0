// RunCodegen: calls of functions for another compiler become calls of what that compiler makes, by its symbol. No such
// compiler is part of this program, so that whoever runs the module supplies the function.
#include <fmt/format.h>

#include "core/transform/call_sites.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

struct External {
  std::string symbol;
  std::string codegen;
};
using Externals = std::unordered_map<std::string_view, External>;

Externals externals(const ir::IRModule& module) {
  Externals out;
  for (size_t i = 0; i < module.size(); ++i) {
    const ir::BaseFunc& function = module.functions[i];
    if (!isa<relax::Function>(function)) continue;
    const std::string_view codegen = ir::strAttrOf(function->attrs, "Codegen");
    if (codegen.empty()) continue;
    const std::string_view name = module.vars[i]->name.view();
    out[name] = {std::string(ir::strAttrOf(function->attrs, "global_symbol", name)), std::string(codegen)};
  }
  return out;
}

}  // namespace

Result<ir::Module> runCodegen(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  const Externals known = externals(*module);
  if (known.empty()) return deadCodeElimination(module, options_, context);
  auto update = [&](const relax::Call& call, build::BlockBuilder& builder) -> relax::Expr {
    const auto* callee = as<relax::GlobalVar>(call.op);
    const auto external = callee ? known.find(callee->name.view()) : known.end();
    if (external == known.end()) return nullptr;
    const auto ready = callWithInfo(Ref<relax::Call>(&call), builder);
    if (!ready) return nullptr;
    const relax::Expr function = make<relax::ExternFunc>(Str(external->second.symbol));
    return op::makeCall("relax.call_dps_packed", {function, make<relax::Tuple>(call.args)}, {}, {ready->sinfo});
  };
  RX_TRY(called, rewriteFunctions(module, context,
                                  [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                                    const bool external = isa<ir::StrAttr>(ir::attrOf(function->attrs, "Codegen"));
                                    return external ? Result<relax::FunctionRef>(function)
                                                    : rewriteCalls(function, "RunCodegen", moduleContext, update);
                                  }));
  // What nothing calls any more is private from now on, so that it goes.
  build::ModuleContext hidden(called);
  for (const auto& [var, function] : called->entries()) {
    const auto external = known.find(var->name.view());
    if (external == known.end()) continue;
    hidden.update(var, ir::withFunctionAttrs(function, ir::withoutAttr(function->attrs, "global_symbol")));
    context.messages.push_back(warningAt({}, "pass.not-available",
                                         fmt::format("{} has to be supplied by the compiler {}, which is not part of "
                                                     "this program",
                                                     external->second.symbol, external->second.codegen)));
  }
  return deadCodeElimination(hidden.module(), options_, context);
}

}  // namespace rx::transform
