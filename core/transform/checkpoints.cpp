#include "core/transform/checkpoints.h"

#include <algorithm>

#include "core/build/mutator.h"
#include "core/ir/reflect.h"
#include "core/support/stack.h"
#include "core/transform/calls.h"

namespace rx::transform {

namespace {

using relax::Expr;
using relax::VarRef;

class CheckpointRemover : public build::Mutator {
 public:
  CheckpointRemover(build::ModuleContext& context, const Array<VarRef>& params) : Mutator("Gradient", &context) {
    for (const VarRef& param : params) kept_.insert(param.get());
  }

  Result<Checkpoints> run(const relax::FunctionRef& function) {
    RX_TRY(plain, rewrite(function));
    Checkpoints result;
    result.function = plain;
    for (const VarRef& var : bound_) {
      const Expr now = mapped(var);
      result.now[var.get()] = now;
      if (kept_.contains(var.get())) result.kept.insert(as<relax::Var>(now));
    }
    result.kept.insert(kept_.begin(), kept_.end());
    return result;
  }

 protected:
  void visitBinding(const relax::Binding& binding) override {
    const auto* plain = as<relax::VarBinding>(binding);
    if (!plain) {
      builder.report(errorAt(binding->span, "pass.gradient", "a match_cast has no gradient"));
      return;
    }
    bound_.push_back(binding->var);
    if (!isMark(plain->value) && ofKept(*plain->value)) kept_.insert(binding->var.get());
    Mutator::visitBinding(binding);
  }

  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    if (!isMark(binding->value)) return Mutator::visitVarBinding(binding);
    const auto& arg = as<relax::Call>(binding->value)->args[0];
    const auto marked = refAs<relax::Var>(arg);
    if (!marked) {
      builder.report(errorAt(binding->span, "pass.gradient", "a checkpoint is made of a variable"));
      return;
    }
    const auto now = cast<relax::Var>(mapped(marked));
    const bool output = !isa<relax::DataflowVar>(binding->var) && isa<relax::DataflowVar>(marked);
    mapVar(binding->var, output ? Expr(builder.emitOutput(now, now->name)) : Expr(now));
    if (isOp(binding->value, "relax.grad.start_checkpoint")) {
      kept_.insert(now.get());
    } else {
      ends_.insert(binding->var.get());
    }
  }

 private:
  static bool isMark(const Expr& value) {
    return isOp(value, "relax.grad.start_checkpoint") || isOp(value, "relax.grad.end_checkpoint");
  }
  bool ofKept(const Node& value) const {
    bool all = true;
    walk(value, Into::Parts, [&](const Node& node) {
      if (const auto* var = as<relax::Var>(&node)) all = all && (kept_.contains(var) || ends_.contains(var));
      return all;
    });
    return all;
  }

  std::unordered_set<const relax::Var*> kept_, ends_;
  std::vector<VarRef> bound_;
};

}  // namespace

Result<Checkpoints> findCheckpoints(const relax::FunctionRef& function, build::ModuleContext& context) {
  return CheckpointRemover(context, function->params).run(function);
}

Recomputation::Recomputation(build::BlockBuilder& builder, const Array<VarRef>& params,
                             const relax::BindingBlock& block, const std::unordered_set<const relax::Var*>& kept)
    : builder_(builder) {
  for (const VarRef& param : params) ready_[param.get()] = param;
  for (const relax::Binding& binding : block.bindings) {
    const auto* plain = as<relax::VarBinding>(binding);
    if (!plain) continue;
    values_[binding->var.get()] = plain->value;
    if (kept.contains(binding->var.get())) ready_[binding->var.get()] = binding->var;
  }
}

std::pair<Expr, Expr> Recomputation::ready(const VarRef& var, const Expr& call) {
  const Expr value = recomputed(call);
  auto known = ready_.find(var.get());
  if (known != ready_.end()) return {known->second, value};
  const Expr again = builder_.emit(value, Str(var->name.string() + "_cp"));
  ready_[var.get()] = again;
  return {again, value};
}

/// The expression over values that are there, which it makes so.
Expr Recomputation::recomputed(const Expr& expr) {
  std::vector<VarRef> open;
  addMissing(expr, open);
  while (!open.empty()) {
    const VarRef var = open.back();
    if (ready_.contains(var.get())) {
      open.pop_back();
      continue;
    }
    const Expr& value = values_.at(var.get());
    if (addMissing(value, open)) continue;
    open.pop_back();
    ready_[var.get()] = builder_.emit(replaced(value), Str(var->name.string() + "_cp"));
  }
  return replaced(expr);
}

/// Adds what the expression needs and is not there, the first of it last; false where all is there.
bool Recomputation::addMissing(const Expr& expr, std::vector<VarRef>& open) {
  std::vector<VarRef> needed;
  walk(*expr, Into::Parts, [&](const Node& node) {
    const auto* var = as<relax::Var>(&node);
    if (var && !ready_.contains(var) && values_.contains(var)) needed.emplace_back(var);
    return !isa<tir::ExprNode>(&node);
  });
  open.insert(open.end(), needed.rbegin(), needed.rend());
  return !needed.empty();
}

Expr Recomputation::replaced(const Expr& expr) {
  auto renew = [&](const NodeRef& node) -> NodeRef {
    const auto* var = as<relax::Var>(node);
    if (!var) return isa<tir::ExprNode>(node) || isa<relax::GlobalVar>(node) ? node : nullptr;
    auto known = ready_.find(var);
    return known == ready_.end() ? node : NodeRef(known->second);
  };
  return cast<relax::ExprNode>(rewriteNodes(expr, Into::Parts, renew, [](const NodeRef& node) { return node; }));
}

}  // namespace rx::transform
