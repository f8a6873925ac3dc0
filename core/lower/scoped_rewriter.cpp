#include "core/lower/scoped_rewriter.h"

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/lower/with_parts.h"
#include "core/support/stack.h"

namespace rx::lower {

using namespace tir;

namespace {

/// The condition without a mark of being likely.
PrimExpr plain(const PrimExpr& condition) {
  const Call* call = asCallOf(condition, "likely");
  return call ? call->args[0] : condition;
}

}  // namespace

ScopedRewriter::ScopedRewriter(const PrimFunc& function) {
  for (const BufferRef& buffer : function.buffers) {
    if (!buffer) continue;
    for (const PrimExpr& size : buffer->shape) {
      if (auto var = refAs<Var>(size)) analyzer.markNonNegative(var);
    }
  }
}

void ScopedRewriter::range(const VarRef& var, const PrimExpr& min, const PrimExpr& extent) {
  analyzer.bind(var, Range(min, extent));
  iters_.push_back({var, min, extent});
  shortened_.clear();
}

Stmt ScopedRewriter::visit(const Stmt& statement) {
  if (auto node = refAs<For>(statement)) return loop(node);
  if (auto node = refAs<IfThenElse>(statement)) return branch(node);
  if (auto node = refAs<AttrStmt>(statement)) return launch(node);
  if (auto node = refAs<Bind>(statement)) return binding(node);
  if (auto block = refAs<Block>(statement)) {
    const size_t before = iters_.size();
    for (const Ref<IterVar>& axis : block->iterVars) range(axis->var, axis->dom->min, axis->dom->extent);
    Stmt made = parts(statement);
    iters_.resize(before);
    shortened_.clear();
    return made;
  }
  return parts(statement);
}

Stmt ScopedRewriter::loop(const Ref<For>& statement) {
  const size_t before = iters_.size();
  range(statement->loopVar, statement->min, statement->extent);
  Stmt made;
  if (isa<IntImm>(statement->extent)) {
    made = parts(statement);
  } else {
    const arith::Analyzer::Constraint runs(
        analyzer, arith::gt(statement->extent, arith::constantInt(statement->extent->dtype, 0)));
    made = parts(statement);
  }
  iters_.resize(before);
  shortened_.clear();
  return made;
}

Stmt ScopedRewriter::launch(const Ref<AttrStmt>& statement) {
  const auto* iter = as<IterVar>(statement->node);
  if (!iter || iter->threadTag.empty()) return parts(statement);
  const size_t before = iters_.size();
  range(iter->var, arith::constantInt(statement->value->dtype, 0), statement->value);
  Stmt made = parts(statement);
  iters_.resize(before);
  shortened_.clear();
  return made;
}

Stmt ScopedRewriter::binding(const Ref<Bind>& statement) {
  Stmt made = parts(statement);
  const PrimExpr& value = as<Bind>(made)->value;
  if (value->dtype.isIntegral() && effectOf(value) == op::TirEffect::Pure) analyzer.bind(statement->var, value);
  shortened_.clear();
  return made;
}

Stmt ScopedRewriter::branch(const Ref<IfThenElse>& statement) {
  const PrimExpr condition = rewrite(statement->condition);
  const PrimExpr real = plain(condition);
  Stmt yes, no;
  {
    const arith::Analyzer::Constraint holds(analyzer, real);
    conditions_.push_back(real);
    shortened_.clear();
    yes = rewrite(statement->thenCase);
    conditions_.pop_back();
  }
  shortened_.clear();
  if (statement->elseCase) {
    const arith::Analyzer::Constraint fails(analyzer, arith::logicalNot(real));
    no = rewrite(statement->elseCase);
  }
  shortened_.clear();
  if (const auto known = asInt(real)) {
    if (*known) return yes;
    return no ? no : Stmt(make<Evaluate>(intImm(0, DataType::Int(32))));
  }
  return withParts(*statement, condition, yes, no);
}

PrimExpr ScopedRewriter::under(const PrimExpr& condition, const PrimExpr& expr, bool counts) {
  const arith::Analyzer::Constraint holds(analyzer, condition);
  if (counts) conditions_.push_back(condition);
  shortened_.clear();
  PrimExpr made = withStack([&] { return rewrite(expr); });
  shortened_.clear();
  if (counts) conditions_.pop_back();
  return made;
}

NodeRef ScopedRewriter::enter(const NodeRef& node) {
  if (auto select = refAs<Select>(node)) return choice(select);
  if (asCallOf(node, "if_then_else")) return choice(refAs<Call>(node));
  return nullptr;
}

NodeRef ScopedRewriter::choice(const Ref<Call>& call) {
  const PrimExpr condition = rewrite(call->args[0]);
  const PrimExpr yes = under(condition, call->args[1], true);
  const PrimExpr no = under(make<Not>(condition), call->args[2], true);
  if (const auto known = asInt(condition)) return *known ? yes : no;
  if (condition == call->args[0] && yes == call->args[1] && no == call->args[2]) return left(call);
  auto* copy = new Call(*call);
  copy->args = {condition, yes, no};
  return left(NodeRef(copy));
}

NodeRef ScopedRewriter::choice(const Ref<Select>& select) {
  const PrimExpr condition = rewrite(select->condition);
  const PrimExpr yes = under(condition, select->trueValue, false);
  const PrimExpr no = under(arith::logicalNot(condition), select->falseValue, false);
  if (const auto known = asInt(condition)) return *known ? yes : no;
  if (condition == select->condition && yes == select->trueValue && no == select->falseValue) return left(select);
  auto* copy = new Select(*select);
  copy->condition = condition;
  copy->trueValue = yes;
  copy->falseValue = no;
  return left(NodeRef(copy));
}

std::vector<PrimExpr> ScopedRewriter::shortest(std::span<const PrimExpr> indices) {
  for (const Shortened& known : shortened_)
    if (arith::sameExprs(known.from, indices)) return known.to;
  PrimExpr predicate;
  for (const PrimExpr& condition : conditions_) {
    predicate = predicate ? arith::logicalAnd(predicate, condition) : condition;
  }
  std::vector<PrimExpr> made = arith::simplifyIndices({indices, iters_, predicate}, analyzer);
  shortened_.push_back({{indices.begin(), indices.end()}, made});
  return made;
}

}  // namespace rx::lower
