// LambdaLift: code generation knows functions of the module only. A local function moves to the module under the name
// `outer_inner`; what it captures becomes further parameters, and where it stood a closure binds them. Without captures
// its calls go straight to the new function.
#include <fmt/format.h>

#include <unordered_set>

#include "core/arith/equal.h"
#include "core/ir/reflect.h"
#include "core/transform/bind.h"
#include "core/transform/calls.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::Expr;
using relax::FunctionRef;
using relax::StructInfo;
using relax::VarRef;

/// Variables that a function uses and does not define, in order of first use.
struct Captures {
  std::vector<VarRef> values;
  std::vector<tir::VarRef> symbols;
};

Captures capturesOf(const relax::Function& function) {
  std::unordered_set<const Node*> defined, seen;
  walk(function, Into::Parts, [&](const Node& node) {
    if (const auto* inner = as<relax::Function>(&node)) {
      for (const VarRef& param : inner->params) {
        defined.insert(param.get());
        for (const tir::VarRef& symbol : op::definableSymbolsIn(param->sinfo)) defined.insert(symbol.get());
      }
    }
    if (const auto* binding = as<relax::BindingNode>(&node)) defined.insert(binding->var.get());
    if (const auto* match = as<relax::MatchCast>(&node)) {
      for (const tir::VarRef& symbol : op::definableSymbolsIn(match->structInfo)) defined.insert(symbol.get());
    }
    return true;
  });
  Captures captures;
  walk(function, Into::Parts, [&](const Node& node) {
    if (defined.contains(&node) || !seen.insert(&node).second)
      return !isa<tir::ExprNode>(&node) || !isa<tir::Var>(&node);
    if (const auto* var = as<relax::Var>(&node)) captures.values.push_back(VarRef(var));
    if (const auto* symbol = as<tir::Var>(&node)) captures.symbols.push_back(tir::VarRef(symbol));
    return true;
  });
  return captures;
}

/// Function types become Object: a closure is an object of the runtime.
StructInfo closuresAsObjects(const StructInfo& info) {
  if (isa<relax::FuncStructInfo>(info)) return relax::objectSinfo();
  const auto* tuple = as<relax::TupleStructInfo>(info);
  if (!tuple) return info;
  std::vector<StructInfo> fields;
  for (const StructInfo& field : tuple->items) fields.push_back(closuresAsObjects(field));
  return relax::tupleSinfo(Array<StructInfo>(std::move(fields)));
}

/// How a lifted function is reached from the place where it stood and from itself.
struct Lifted {
  relax::GlobalVarRef global;
  std::vector<Expr> captured;  ///< what is bound, as seen inside the lifted function
};

class LambdaLifter : public build::Mutator {
 public:
  LambdaLifter(build::ModuleContext& module, std::string outer)
      : Mutator("LambdaLift", &module), module_(module), outer_(std::move(outer)) {}

 protected:
  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    auto function = refAs<relax::Function>(binding->value);
    if (!function) return Mutator::visitVarBinding(binding);
    lift(binding->var, function);
  }

  Expr visitCall(const Ref<relax::Call>& call) override {
    const auto* callee = as<relax::Var>(call->op);
    if (!callee) return Mutator::visitCall(call);
    std::vector<Expr> args;
    for (const Expr& arg : call->args) args.push_back(visit(arg));
    if (auto self = inside_.find(callee); self != inside_.end()) {
      args.insert(args.end(), self->second.captured.begin(), self->second.captured.end());
      return make<relax::Call>(self->second.global, Array<Expr>(std::move(args)));
    }
    Expr target = visit(call->op);
    if (isa<relax::GlobalVar>(target)) return make<relax::Call>(target, Array<Expr>(std::move(args)));
    return invoke(*call, target, std::move(args));
  }

  Expr visitVar(const VarRef& var) override {
    auto self = inside_.find(var.get());
    if (self == inside_.end()) return Mutator::visitVar(var);
    if (self->second.captured.empty()) return self->second.global;
    return closure(self->second.global, self->second.captured);
  }

  FunctionRef visitFunction(const FunctionRef& function) override {
    FunctionRef rewritten = Mutator::visitFunction(function);
    StructInfo ret = closuresAsObjects(rewritten->retSinfo);
    if (op::sameStructInfo(ret, rewritten->retSinfo)) return rewritten;
    return make<relax::Function>(rewritten->params, rewritten->body, ret, rewritten->isPure, rewritten->attrs);
  }

 private:
  static Expr closure(const relax::GlobalVarRef& global, const std::vector<Expr>& captured) {
    return op::makeCall("relax.make_closure", {global, make<relax::Tuple>(Array<Expr>(captured))});
  }

  Expr invoke(const relax::Call& call, const Expr& target, std::vector<Expr> args) const {
    const auto* info = as<relax::FuncStructInfo>(call.op->sinfo);
    const char* name = info && info->purity ? "relax.invoke_pure_closure" : "relax.invoke_closure";
    StructInfo result = closuresAsObjects(call.sinfo ? call.sinfo : relax::objectSinfo());
    Expr packed = make<relax::Tuple>(Array<Expr>(std::move(args)));
    return make<relax::Call>(op::opRef(name), Array<Expr>{target, packed}, nullptr, Array<StructInfo>{result});
  }

  void lift(const VarRef& var, const FunctionRef& function) {
    Captures captures = capturesOf(*function);
    std::erase_if(captures.values, [&](const VarRef& v) { return v == var || isa<relax::GlobalVar>(mapped(v)); });
    std::vector<VarRef> params = function->params.vector();
    std::vector<Expr> outside, inner;
    std::unordered_map<const relax::Var*, Expr> before;
    for (const VarRef& captured : captures.values) {
      auto param = make<relax::Var>(captured->name, closuresAsObjects(captured->sinfo));
      params.push_back(param);
      outside.push_back(visitVar(captured));
      inner.push_back(param);
      before[captured.get()] = mapped(captured);
    }
    addSymbols(captures.symbols, params, outside, inner);

    auto global = module_.declare(freeName(var->name), signatureOf(*function, params));
    inside_[var.get()] = {global, inner};
    for (size_t i = 0; i < captures.values.size(); ++i) mapVar(captures.values[i], inner[i]);
    auto widened = make<relax::Function>(Array<VarRef>(std::move(params)), function->body, function->retSinfo,
                                         function->isPure, function->attrs);
    FunctionRef lifted = withFreshVars(visitFunction(widened));
    for (const VarRef& captured : captures.values) mapVar(captured, before[captured.get()]);
    inside_.erase(var.get());
    module_.update(global, ir::withFunctionAttrs(lifted, ir::withoutAttr(lifted->attrs, "global_symbol")));

    if (outside.empty()) return mapVar(var, module_.find(global->name.view()));
    mapVar(var, builder.emit(closure(module_.find(global->name.view()), outside), var->name));
  }

  /// Symbols that no parameter defines come along as one captured shape.
  void addSymbols(const std::vector<tir::VarRef>& symbols, std::vector<VarRef>& params, std::vector<Expr>& outside,
                  std::vector<Expr>& inner) {
    std::unordered_set<const tir::Var*> defined;
    for (const VarRef& param : params) {
      for (const tir::VarRef& symbol : op::definableSymbolsIn(param->sinfo)) defined.insert(symbol.get());
    }
    std::vector<tir::PrimExpr> missing;
    for (const tir::VarRef& symbol : symbols) {
      if (!defined.contains(symbol.get())) missing.push_back(symbol);
    }
    if (missing.empty()) return;
    auto shape = make<relax::ShapeExpr>(Array<tir::PrimExpr>(std::move(missing)));
    auto param = make<relax::Var>("symbols", shape->sinfo);
    params.push_back(param);
    outside.push_back(shape);
    inner.push_back(param);
  }

  static StructInfo signatureOf(const relax::Function& function, const std::vector<VarRef>& params) {
    std::vector<StructInfo> infos;
    for (const VarRef& param : params) infos.push_back(param->sinfo);
    return make<relax::FuncStructInfo>(Array<StructInfo>(std::move(infos)), closuresAsObjects(function.retSinfo),
                                       function.isPure);
  }

  std::string freeName(const Str& inner) const {
    std::string base = fmt::format("{}_{}", outer_, inner.view());
    if (!module_.find(base)) return base;
    for (int i = 0;; ++i) {
      std::string name = fmt::format("{}_{}", base, i);
      if (!module_.find(name)) return name;
    }
  }

  build::ModuleContext& module_;
  std::string outer_;
  std::unordered_map<const relax::Var*, Lifted> inside_;
};

bool holdsFunctions(const relax::Function& function) {
  bool found = false;
  walk(*function.body, Into::Parts, [&](const Node& node) {
    found |= isa<relax::Function>(&node);
    return !found && !isa<tir::ExprNode>(&node);
  });
  return found;
}

}  // namespace

Result<ir::Module> lambdaLift(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  build::ModuleContext changed(module);
  changed.setCancel(context.cancel);
  for (const auto& [var, function] : module->entries()) {
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    auto body = refAs<relax::Function>(function);
    if (!body || !holdsFunctions(*body)) continue;
    LambdaLifter lifter(changed, var->name.string());
    RX_TRY(lifted, lifter.rewrite(body));
    changed.update(var, lifted);
  }
  return changed.module();
}

}  // namespace rx::transform
