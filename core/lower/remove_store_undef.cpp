// RemoveStoreUndef: storing a value that is not defined is storing nothing.
#include <unordered_set>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/intrinsics.h"
#include "core/lower/pass_functions.h"
#include "core/support/stack.h"

namespace rx::lower {

using namespace tir;

namespace {

class UndefRemover : public CheckedRewriter {
 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* bind = as<Bind>(statement)) {
      if (!isUndefined(bind->value, statement->span)) return statement;
      undefined_.insert(bind->var.get());
      return removed(bind->value, statement);
    }
    if (const auto* store = as<BufferStore>(statement)) {
      for (const PrimExpr& index : store->indices) defined(index, statement->span);
      return isUndefined(store->value, statement->span) ? removed(store->value, statement) : statement;
    }
    return parts(statement);
  }

  NodeRef enter(const NodeRef& node) override {
    auto expr = refAs<ExprNode>(node);
    if (expr && isUndefined(expr, expr->span)) refuse("lower.undef", kElsewhere, expr->span);
    return node;
  }

 private:
  static constexpr const char* kElsewhere = "T.undef() is stored or bound to a variable, and nothing else";

  Stmt removed(const PrimExpr& value, const Stmt& statement) {
    if (effectOf(value) > op::TirEffect::Read) {
      refuse("lower.undef", "an expression with T.undef() has no effect besides", statement->span);
    }
    return seq({});
  }

  void defined(const PrimExpr& index, Span span) {
    if (isUndefined(index, span)) refuse("lower.undef", "T.undef() is no index", span);
  }

  /// Whether the value depends on T.undef(). What is loaded does not; the indices of loads must not.
  bool isUndefined(const PrimExpr& expr, Span span) {
    bool undefined = false;
    walk(*expr, Into::Parts, [&](const Node& node) {
      if (isa<Buffer>(&node)) return false;
      undefined = undefined || undefined_.contains(&node) || asCallOf(NodeRef(&node), "undef");
      const auto* load = as<BufferLoad>(&node);
      if (!load) return true;
      withStack([&] {
        for (const PrimExpr& index : load->indices) defined(index, span);
      });
      return false;
    });
    return undefined;
  }

  std::unordered_set<const Node*> undefined_;  ///< variables
};

}  // namespace

Result<PrimFuncRef> removeStoreUndef(const PrimFuncRef& func, Scope& scope) {
  Result<Stmt> body = UndefRemover().run(func->body);
  if (!body) return body.failure();
  return removeNoOp(withBody(func, *body), scope);
}

}  // namespace rx::lower
