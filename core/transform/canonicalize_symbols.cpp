// The first half of CanonicalizeBindings: a match_cast says what its symbols are where the shape of its value is known;
// from there on they give way to that, and often the match_cast itself says nothing any more.
#include <fmt/format.h>

#include "core/build/mutator.h"
#include "core/op/sinfo_text.h"
#include "core/transform/cleanup.h"
#include "core/transform/symbol_binding.h"

namespace rx::transform {

namespace {

class SymbolCanonicalizer : public build::Mutator {
 public:
  explicit SymbolCanonicalizer(build::ModuleContext& context) : Mutator("CanonicalizeBindings", &context) {
    changesSymbols = true;
  }

 protected:
  tir::PrimExpr visitPrimExpr(const tir::PrimExpr& expr) override {
    if (known_.empty()) return expr;
    tir::PrimExpr now = arith::substitute(expr, known_);
    return now == expr ? expr : builder.context().analyzer().simplify(now);
  }

  relax::FunctionRef visitFunction(const relax::FunctionRef& function) override {
    const arith::VarMap outer = known_;
    relax::FunctionRef result = Mutator::visitFunction(function);
    known_ = outer;
    return result;
  }

  void visitMatchCast(const Ref<relax::MatchCast>& binding) override {
    for (const auto& [symbol, value] : symbolValues(binding->var->sinfo, binding->value->sinfo)) {
      const tir::PrimExpr now = visitPrimExpr(value);
      auto [at, fresh] = known_.emplace(symbol.get(), now);
      if (!fresh && builder.context().analyzer().canProve(make<tir::NE>(at->second, now))) {
        contradiction(*binding, symbol, at->second, now);
      }
    }
    Mutator::visitMatchCast(binding);
  }

  relax::Expr visitIf(const Ref<relax::If>& node) override {
    relax::Expr cond = visit(node->cond);
    const arith::VarMap outer = known_;
    // In a branch more may be known of a shape than after it: each gives back what was known of both.
    const relax::StructInfo wanted = visitStructInfo(node->sinfo);
    relax::SeqRef yes = visitBranch(node->trueBranch, wanted, "then_branch_with_dyn");
    known_ = outer;
    relax::SeqRef no = visitBranch(node->falseBranch, wanted, "else_branch_with_dyn");
    known_ = outer;
    if (cond == node->cond && yes == node->trueBranch && no == node->falseBranch) return node;
    auto* made = new relax::If(cond, yes, no);
    made->span = node->span;
    return relax::Expr(made);
  }

 private:
  relax::SeqRef visitBranch(const relax::SeqRef& branch, const relax::StructInfo& wanted, const char* name) {
    relax::SeqRef plain = visitSeq(branch);
    if (plain == branch || !wanted || op::sameStructInfo(plain->sinfo, wanted)) return plain;
    builder.beginSeq();
    for (const relax::BlockRef& block : plain->blocks) {
      if (block->isDataflow()) builder.beginDataflow();
      for (const relax::Binding& binding : block->bindings) builder.emitBinding(binding);
      if (block->isDataflow()) builder.endDataflow();
    }
    return builder.endSeq(builder.emitMatchCast(plain->body, wanted, Str(name)));
  }

  void contradiction(const relax::MatchCast& binding, const tir::VarRef& symbol, const tir::PrimExpr& before,
                     const tir::PrimExpr& now) {
    builder.report(
        errorAt(binding.span, "pass.match-cast",
                fmt::format("{} is {} by an earlier match_cast, and {} by that of {}: both can not hold",
                            symbol->name.view(), op::primText(before), op::primText(now), binding.var->name.view())));
  }

  arith::VarMap known_;
};

}  // namespace

Result<relax::FunctionRef> canonicalizeSymbols(const relax::FunctionRef& function, build::ModuleContext& context) {
  return SymbolCanonicalizer(context).rewrite(function);
}

}  // namespace rx::transform
