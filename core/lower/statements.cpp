#include "core/lower/statements.h"

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::lower {

using namespace tir;

bool isNoOp(const StmtNode& statement) {
  const auto* evaluate = as<Evaluate>(&statement);
  return evaluate && (isa<IntImm>(evaluate->value) || isa<FloatImm>(evaluate->value));
}

Stmt inOrder(std::span<const Stmt> statements) {
  std::vector<Stmt> kept;
  for (const Stmt& statement : statements) {
    if (const auto* inner = as<SeqStmt>(statement)) {
      for (const Stmt& part : inner->seq) {
        if (!isNoOp(*part)) kept.push_back(part);
      }
    } else if (statement && !isNoOp(*statement)) {
      kept.push_back(statement);
    }
  }
  return seq(kept);
}

Stmt withoutNoOps(const Ref<SeqStmt>& sequence) {
  for (const Stmt& statement : sequence->seq) {
    if (isa<SeqStmt>(statement) || isNoOp(*statement)) return inOrder(sequence->seq);
  }
  return sequence;
}

bool uses(const PrimExpr& expr, const Var* var) {
  if (!expr) return false;
  bool found = false;
  walk(*expr, Into::Parts, [&](const Node& node) {
    found = found || &node == var;
    return !found;
  });
  return found;
}

Stmt rewriteStatements(const Stmt& root, const std::function<Stmt(const Stmt&)>& change) {
  // Only statements hold statements.
  const auto stays = [](const NodeRef& node) { return isa<StmtNode>(node) ? nullptr : node; };
  NodeRef result = rewriteNodes(root, Into::Parts, stays, [&](const NodeRef& node) -> NodeRef {
    auto statement = refAs<StmtNode>(node);
    if (auto sequence = refAs<SeqStmt>(node)) statement = withoutNoOps(sequence);
    Stmt changed = change(statement);
    return changed ? changed : seq({});
  });
  return cast<StmtNode>(result);
}

}  // namespace rx::lower
