#include "core/transform/bind.h"

#include "core/build/mutator.h"
#include "core/ir/reflect.h"

namespace rx::transform {

namespace {

class Binder : public build::Mutator {
 public:
  Binder(Str pass, build::ModuleContext& context, const Binding& binding)
      : Mutator(std::move(pass), &context), symbols_(binding.symbols), vars_(binding.vars) {
    changesSymbols = true;
  }

 protected:
  relax::Expr visitVar(const relax::VarRef& var) override {
    auto bound = vars_.find(var.get());
    return bound == vars_.end() ? Mutator::visitVar(var) : bound->second;
  }
  tir::PrimExpr visitPrimExpr(const tir::PrimExpr& expr) override {
    tir::PrimExpr now = arith::substitute(expr, symbols_);
    return now == expr ? expr : builder.context().analyzer().simplify(now);
  }
  relax::FunctionRef visitFunction(const relax::FunctionRef& function) override {
    std::vector<relax::VarRef> left;
    for (const relax::VarRef& param : function->params) {
      if (!vars_.contains(param.get())) left.push_back(param);
    }
    if (left.size() == function->params.size()) return Mutator::visitFunction(function);
    auto* made = new relax::Function(Array<relax::VarRef>(std::move(left)), function->body, function->retSinfo,
                                     function->isPure, function->attrs);
    made->span = function->span;
    return Mutator::visitFunction(relax::FunctionRef(made));
  }

 private:
  const arith::VarMap& symbols_;
  const std::unordered_map<const relax::Var*, relax::Expr>& vars_;
};

}  // namespace

Result<relax::FunctionRef> bindVars(const relax::FunctionRef& function, const Binding& binding, Str pass,
                                    build::ModuleContext& context) {
  if (binding.vars.empty() && binding.symbols.empty()) return function;
  return Binder(std::move(pass), context, binding).rewrite(function);
}

relax::FunctionRef withFreshVars(const relax::FunctionRef& function) {
  // Names of the module are no variables, and what they say of themselves stays.
  auto keep = [](const NodeRef& node) -> NodeRef { return isa<relax::GlobalVar>(node) ? node : nullptr; };
  auto renew = [](const NodeRef& node) -> NodeRef {
    if (const auto* var = as<relax::DataflowVar>(node)) return make<relax::DataflowVar>(var->name, var->sinfo);
    if (const auto* var = as<relax::Var>(node)) return make<relax::Var>(var->name, var->sinfo);
    if (const auto* symbol = as<tir::SizeVar>(node)) return make<tir::SizeVar>(symbol->name, symbol->dtype);
    if (const auto* symbol = as<tir::Var>(node)) {
      return make<tir::Var>(symbol->name, symbol->dtype, symbol->annotation);
    }
    return node;
  };
  return cast<relax::Function>(rewriteNodes(function, Into::All, keep, renew));
}

}  // namespace rx::transform
