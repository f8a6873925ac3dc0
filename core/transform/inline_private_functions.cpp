// InlinePrivateFunctions: the body of a private function in the place of each of its calls; functions that call
// themselves stay.
#include "core/analysis/free_vars.h"
#include "core/build/mutator.h"
#include "core/transform/bind.h"
#include "core/transform/cleanup.h"
#include "core/transform/inline_functions.h"
#include "core/transform/pass_functions.h"
#include "core/transform/symbol_binding.h"

namespace rx::transform {

namespace {

/// True where following calls from the function leads back to it.
bool callsItself(const ir::IRModule& module, const relax::GlobalVarRef& var,
                 const std::unordered_map<std::string_view, std::vector<relax::GlobalVarRef>>& callees) {
  std::unordered_set<std::string_view> seen;
  std::vector<relax::GlobalVarRef> open{var};
  while (!open.empty()) {
    auto called = callees.find(open.back()->name.view());
    open.pop_back();
    if (called == callees.end()) continue;
    for (const relax::GlobalVarRef& callee : called->second) {
      if (callee->name == var->name) return true;
      if (module.find(callee.get()) && seen.insert(callee->name.view()).second) open.push_back(callee);
    }
  }
  return false;
}

/// Private Relax functions by name, without those that call themselves.
InlinedFunctions inlinable(const ir::IRModule& module) {
  std::unordered_map<std::string_view, std::vector<relax::GlobalVarRef>> callees;
  for (size_t i = 0; i < module.size(); ++i) {
    callees[module.vars[i]->name.view()] = analysis::calledGlobals(module.functions[i]);
  }
  InlinedFunctions functions;
  for (size_t i = 0; i < module.size(); ++i) {
    auto function = refAs<relax::Function>(module.functions[i]);
    if (!function || ir::attrOf(function->attrs, "global_symbol")) continue;
    if (!callsItself(module, module.vars[i], callees)) functions.emplace(module.vars[i]->name.view(), function);
  }
  return functions;
}

class Inliner : public build::Mutator {
 public:
  Inliner(build::ModuleContext& context, Str pass, const InlinedFunctions& functions)
      : Mutator(std::move(pass), &context), context_(context), functions_(functions) {}

 protected:
  relax::Expr visitCall(const Ref<relax::Call>& node) override {
    relax::Expr visited = Mutator::visitCall(node);
    const auto* call = as<relax::Call>(visited);
    const auto* callee = call ? as<relax::GlobalVar>(call->op) : nullptr;
    auto function = callee ? functions_.find(callee->name.view()) : functions_.end();
    if (function == functions_.end()) return visited;
    std::vector<relax::Expr> args;
    for (const relax::Expr& arg : call->args) args.push_back(builder.normalizeArgument(arg));
    return inlined(function->second, args, visited);
  }

 private:
  /// The body behind bindings of the parameters; aliases among them are removed when the function is done.
  relax::Expr inlined(const relax::FunctionRef& function, const std::vector<relax::Expr>& args,
                      const relax::Expr& call) {
    if (function->params.size() != args.size()) return call;
    const relax::FunctionRef copy = withFreshVars(function);
    Binding binding;
    std::vector<relax::Binding> params;
    for (size_t i = 0; i < args.size(); ++i) {
      const relax::VarRef& from = copy->params[i];
      auto var = make<relax::Var>(from->name, args[i]->sinfo);
      auto* param = new relax::VarBinding(var, args[i]);
      params.push_back(relax::Binding(param));
      // An argument comes from no binding: that of the call has the value of the body.
      param->origin = make<Origin>(Array<OriginSite>(), passName());
      binding.vars[from.get()] = var;
      for (const auto& [symbol, value] : symbolValues(from->sinfo, args[i]->sinfo)) {
        binding.symbols[symbol.get()] = value;
      }
    }
    Result<relax::FunctionRef> bound = bindVars(copy, binding, passName(), context_);
    if (!bound) {
      for (const Diagnostic& problem : bound.diagnostics()) builder.report(problem);
      return call;
    }
    std::vector<relax::BlockRef> blocks = (*bound)->body->blocks.vector();
    if (!params.empty()) {
      blocks.insert(blocks.begin(), make<relax::DataflowBlock>(Array<relax::Binding>(std::move(params))));
    }
    auto body = make<relax::SeqExpr>(Array<relax::BlockRef>(std::move(blocks)), (*bound)->body->body);
    // What was visited stays alive: the rewriter knows variables by their address.
    kept_.push_back(body);
    kept_.push_back(*bound);
    return visit(body);
  }

  build::ModuleContext& context_;
  const InlinedFunctions& functions_;
  std::vector<relax::Expr> kept_;
};

}  // namespace

Result<ir::Module> inlineFunctions(const ir::Module& module, Str pass, const InlinedFunctions& functions,
                                   const pass::PassContext& context) {
  if (functions.empty()) return module;
  std::unordered_set<const relax::Function*> goes;
  for (const auto& [name, function] : functions) goes.insert(function.get());
  RX_TRY(inlined, rewriteFunctions(module, context,
                                   [&](const relax::FunctionRef& function,
                                       build::ModuleContext& moduleContext) -> Result<relax::FunctionRef> {
                                     if (goes.contains(function.get())) return function;
                                     RX_TRY(flat, Inliner(moduleContext, pass, functions).rewrite(function));
                                     if (flat == function) return function;
                                     RX_TRY(plain, canonicalizeBindings(flat, moduleContext));
                                     return removeUnusedBindings(plain, moduleContext, module.get());
                                   }));
  std::vector<ir::IRModule::Entry> left;
  for (const auto& entry : inlined->entries()) {
    if (!functions.contains(entry.first->name.view())) left.push_back(entry);
  }
  return inlined->with(std::move(left));
}

Result<ir::Module> inlinePrivateFunctions(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return inlineFunctions(module, "InlinePrivateFunctions", inlinable(*module), context);
}

}  // namespace rx::transform
