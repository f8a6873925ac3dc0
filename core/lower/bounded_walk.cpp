#include "core/lower/bounded_walk.h"

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/support/stack.h"

namespace rx::lower {

using namespace tir;

BoundedScope& BoundedWalk::scope() {
  for (; inForce_ < conditions_.size(); ++inForce_) {
    Condition& next = conditions_[inForce_];
    next.bounds.emplace(next.expr, scope_);
  }
  return scope_;
}

void BoundedWalk::visit(const Stmt& statement) {
  withStack([&] { entered(statement); });
}

void BoundedWalk::entered(const Stmt& statement) {
  if (treats(statement)) return;
  if (const auto* list = as<SeqStmt>(statement)) {
    for (const Stmt& part : list->seq) visit(part);
  } else if (const auto* branch = as<IfThenElse>(statement)) {
    expression(branch->condition);
    under(branch->condition, [&] { visit(branch->thenCase); });
    if (branch->elseCase) under(make<Not>(branch->condition), [&] { visit(branch->elseCase); });
  } else if (const auto* loop = as<While>(statement)) {
    expression(loop->condition);
    visit(loop->body);
  } else if (const auto* evaluate = as<Evaluate>(statement)) {
    expression(evaluate->value);
  } else if (const auto* check = as<AssertStmt>(statement)) {
    expression(check->condition);
  }
}

void BoundedWalk::expression(const PrimExpr& root) {
  if (!root) return;
  walk(*root, Into::Parts, [&](const Node& node) {
    if (treats(node)) return false;
    if (const Call* call = asCallOf(NodeRef(&node), "if_then_else")) {
      expression(call->args[0]);
      withStack([&] {
        under(call->args[0], [&] { expression(call->args[1]); });
        under(make<Not>(call->args[0]), [&] { expression(call->args[2]); });
      });
      return false;
    }
    return isa<ExprNode>(&node);
  });
}

}  // namespace rx::lower
