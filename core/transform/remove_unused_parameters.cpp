// RemoveUnusedParameters: private functions lose parameters that they do not use. Where one was what defines a symbolic
// variable, the variable's value is passed instead.
#include <fmt/format.h>

#include "core/analysis/free_vars.h"
#include "core/op/lattice.h"
#include "core/transform/call_sites.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"
#include "core/transform/symbol_binding.h"

namespace rx::transform {

namespace {

/// A private function with fewer parameters, and what its callers have to know.
struct Slimmer {
  Array<relax::VarRef> before;
  std::vector<bool> kept;            ///< of each parameter before
  std::vector<tir::VarRef> symbols;  ///< passed by value behind the parameters that are kept
  relax::FunctionRef function;
};

std::optional<Slimmer> slimmer(const relax::FunctionRef& function) {
  if (ir::attrOf(function->attrs, "global_symbol")) return std::nullopt;
  std::unordered_set<const relax::Var*> used;
  for (const relax::VarRef& var : analysis::freeVars(function->body)) used.insert(var.get());
  Slimmer out;
  out.before = function->params;
  std::vector<relax::VarRef> params;
  std::unordered_set<const tir::Var*> defined;
  for (const relax::VarRef& param : function->params) {
    out.kept.push_back(used.contains(param.get()));
    if (!out.kept.back()) continue;
    params.push_back(param);
    if (!param->sinfo) continue;
    for (const tir::VarRef& symbol : op::definableSymbolsIn(param->sinfo)) defined.insert(symbol.get());
  }
  if (params.size() == function->params.size()) return std::nullopt;
  for (const tir::VarRef& symbol : analysis::freeSymbols(function->body)) {
    if (defined.contains(symbol.get())) continue;
    out.symbols.push_back(symbol);
    params.push_back(make<relax::Var>(Str(fmt::format("param_{}", symbol->name.view())),
                                      make<relax::PrimStructInfo>(tir::PrimExpr(symbol))));
  }
  auto* made = new relax::Function(Array<relax::VarRef>(std::move(params)), function->body, function->retSinfo,
                                   function->isPure, function->attrs);
  made->span = function->span;
  out.function = relax::FunctionRef(made);
  return out;
}

/// The call with the arguments that are still asked for; null where the arguments do not say what a symbol is.
relax::Expr slimCall(const Slimmer& callee, const relax::Call& call, const relax::GlobalVarRef& target) {
  if (call.args.size() != callee.kept.size()) return nullptr;
  std::vector<relax::Expr> args;
  arith::VarMap values;
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (callee.kept[i]) args.push_back(call.args[i]);
    for (const auto& [symbol, value] : symbolValues(callee.before[i]->sinfo, call.args[i]->sinfo)) {
      values[symbol.get()] = value;
    }
  }
  for (const tir::VarRef& symbol : callee.symbols) {
    auto value = values.find(symbol.get());
    if (value == values.end()) return nullptr;
    args.push_back(make<relax::PrimValue>(value->second));
  }
  return make<relax::Call>(target, Array<relax::Expr>(std::move(args)), call.attrs, call.sinfoArgs);
}

}  // namespace

Result<ir::Module> removeUnusedParameters(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  std::unordered_map<std::string_view, Slimmer> slim;
  build::ModuleContext renewed(module);
  renewed.setCancel(context.cancel);
  const auto values = functionsAsValues(*module);
  for (const auto& [var, function] : module->entries()) {
    auto relaxFunction = values.contains(var->name.view()) ? nullptr : refAs<relax::Function>(function);
    std::optional<Slimmer> plan = relaxFunction ? slimmer(relaxFunction) : std::nullopt;
    if (!plan) continue;
    renewed.update(var, plan->function);
    slim.emplace(var->name.view(), std::move(*plan));
  }
  if (slim.empty()) return module;
  const ir::Module callees = renewed.module();
  auto update = [&](const relax::Call& call, build::BlockBuilder&) -> relax::Expr {
    const auto* var = as<relax::GlobalVar>(call.op);
    auto callee = var ? slim.find(var->name.view()) : slim.end();
    if (callee == slim.end()) return nullptr;
    return slimCall(callee->second, call, callees->findVar(var->name.view()));
  };
  return rewriteFunctions(
      callees, context,
      [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) -> Result<relax::FunctionRef> {
        RX_TRY(called, rewriteCalls(function, "RemoveUnusedParameters", moduleContext, update));
        if (called == function) return called;
        return removeUnusedBindings(called, moduleContext, callees.get());
      });
}

}  // namespace rx::transform
