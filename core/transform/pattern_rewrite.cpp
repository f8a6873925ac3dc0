#include "core/transform/pattern_rewrite.h"

#include "core/analysis/purity.h"
#include "core/build/mutator.h"
#include "core/ir/structural_equal.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"

namespace rx::transform {

namespace {

class GroupRewriter : public build::Mutator, public Earlier {
 public:
  GroupRewriter(Str pass, build::ModuleContext& context, const ir::IRModule* module, const GroupRewrite& rewrite)
      : Mutator(std::move(pass), &context), module_(module), rewrite_(rewrite) {}

  Ref<relax::Call> callOf(const relax::Expr& expr, std::string_view op) const override {
    const auto* var = as<relax::Var>(expr);
    auto bound = var ? earlier_.find(var) : earlier_.end();
    return transform::callOf(bound == earlier_.end() ? expr : bound->second, op);
  }

 protected:
  void visitBlock(const relax::BlockRef& block) override {
    auto outer = std::exchange(earlier_, {});
    Mutator::visitBlock(block);
    earlier_ = std::move(outer);
  }
  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    relax::Expr value = visit(binding->value);
    const auto* call = as<relax::Call>(value);
    // Nothing is moved over a branch or an effect.
    if (isa<relax::If>(value) || (call && analysis::isImpureCall(*call, module_))) {
      earlier_.clear();
      return rebind(binding, value);
    }
    if (auto ready = call ? callWithInfo(Ref<relax::Call>(call), builder) : nullptr) {
      value = ready;
      if (relax::Expr now = rewrite_(*ready, *this)) return rebind(binding, now);
    }
    rebind(binding, value);
    // What was rewritten in this round is looked at in the next.
    if (const auto* var = as<relax::Var>(mapped(binding->var))) earlier_[var] = value;
  }

 private:
  const ir::IRModule* module_;
  const GroupRewrite& rewrite_;
  std::unordered_map<const relax::Var*, relax::Expr> earlier_;
};

}  // namespace

Result<relax::FunctionRef> rewriteGroups(const relax::FunctionRef& function, Str pass, build::ModuleContext& context,
                                         const ir::IRModule* module, const pass::PassContext& passContext,
                                         const GroupRewrite& rewrite) {
  relax::FunctionRef now = function;
  while (true) {
    if (passContext.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    RX_TRY(next, GroupRewriter(pass, context, module, rewrite).rewrite(now));
    if (next == now || structuralEqual(next, now)) return now;
    RX_TRY(clean, withoutRemnants(next, context, module));
    if (structuralEqual(clean, now)) return now;
    now = clean;
  }
}

}  // namespace rx::transform
