#include "core/lower/rewriter.h"

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/support/stack.h"

namespace rx::lower {

using namespace tir;

namespace {

/// What a sequence leaves out when it is rebuilt.
bool isNothing(const Stmt& statement) {
  const auto* evaluate = as<Evaluate>(statement);
  return evaluate && asInt(evaluate->value) == 0;
}

bool isLeaf(const Node& node) {
  return isa<Var>(&node) || isa<IntImm>(&node) || isa<FloatImm>(&node) || isa<StringImm>(&node);
}

}  // namespace

Stmt Rewriter::rewrite(const Stmt& statement) {
  if (!statement) return nullptr;
  return withStack([&] { return visit(statement); });
}

PrimExpr Rewriter::rewrite(const PrimExpr& expr) {
  NodeRef result = rewriteNode(expr);
  return result ? cast<ExprNode>(result) : nullptr;
}

Array<PrimExpr> Rewriter::rewrite(const Array<PrimExpr>& exprs) {
  std::vector<PrimExpr> changed;
  bool differs = false;
  for (const PrimExpr& expr : exprs) {
    changed.push_back(rewrite(expr));
    differs = differs || changed.back() != expr;
  }
  return differs ? Array<PrimExpr>(std::move(changed)) : exprs;
}

NodeRef Rewriter::rewriteNode(const NodeRef& node) {
  if (!node) return nullptr;
  auto pre = [this](const NodeRef& part) -> NodeRef {
    if (auto buffer = refAs<Buffer>(part)) return use(buffer);
    NodeRef replaced = enter(part);
    if (!replaced) open_.push_back(part);
    return replaced;
  };
  auto post = [this](const NodeRef& part) {
    const NodeRef old = std::move(open_.back());
    open_.pop_back();
    return rebuilt(old, part);
  };
  if (isLeaf(*node)) {
    NodeRef replaced = pre(node);
    return replaced ? replaced : post(node);
  }
  return rewriteNodes(node, Into::Parts, pre, post);
}

BufferRef Rewriter::use(const BufferRef& buffer) {
  auto found = buffers_.find(buffer.get());
  return found == buffers_.end() ? buffer : found->second.second;
}

BufferRef Rewriter::define(const BufferRef& buffer) {
  auto shape = rewrite(buffer->shape), strides = rewrite(buffer->strides);
  PrimExpr offset = rewrite(buffer->elemOffset), data = rewrite(PrimExpr(buffer->data));
  if (shape.same(buffer->shape) && strides.same(buffer->strides) && offset == buffer->elemOffset &&
      data == buffer->data) {
    return use(buffer);
  }
  auto* copy = new Buffer(*buffer);
  copy->shape = std::move(shape);
  copy->strides = std::move(strides);
  copy->elemOffset = std::move(offset);
  if (isa<Var>(data)) copy->data = cast<Var>(data);
  BufferRef changed(copy);
  replace(buffer, changed);
  return changed;
}

NodeRef Rewriter::part(const NodeRef& node, bool defines) {
  if (!node) return nullptr;
  if (auto statement = refAs<StmtNode>(node)) return rewrite(statement);
  if (auto buffer = refAs<Buffer>(node); buffer && defines) return define(buffer);
  return rewriteNode(node);
}

Stmt Rewriter::sequence(const Ref<SeqStmt>& statement) {
  std::vector<Stmt> kept;
  bool same = true;
  for (const Stmt& old : statement->seq) {
    Stmt fresh = rewrite(old);
    same = same && fresh == old && !isNothing(old);
    const auto* nested = as<SeqStmt>(fresh);
    for (const Stmt& one : nested ? nested->seq.span() : std::span<const Stmt>(&fresh, 1)) {
      if (!isNothing(one)) kept.push_back(one);
    }
  }
  return same ? Stmt(statement) : seq(kept);
}

Stmt Rewriter::parts(const Stmt& statement) {
  if (auto list = refAs<SeqStmt>(statement)) return sequence(list);
  const bool defines = isa<AllocBuffer>(statement) || isa<DeclBuffer>(statement) || isa<Block>(statement);
  if (const auto* block = as<Block>(statement)) {
    for (const auto& match : block->matchBuffers) define(match->buffer);
  }
  std::vector<const Node*> children;
  appendChildren(*statement, Into::Parts, children);
  std::vector<NodeRef> rebuilt;
  rebuilt.reserve(children.size());
  for (const Node* child : children) rebuilt.push_back(part(NodeRef(child), defines));
  return cast<StmtNode>(withChildren(statement, Into::Parts, rebuilt));
}

namespace {

class Substituter : public Rewriter {
 public:
  explicit Substituter(const arith::VarMap& map) : map_(map) {}

 protected:
  NodeRef enter(const NodeRef& node) override {
    const auto* var = as<Var>(node);
    if (!var) return nullptr;
    auto found = map_.find(var);
    return found == map_.end() ? node : NodeRef(found->second);
  }

 private:
  const arith::VarMap& map_;
};

}  // namespace

Stmt substitute(const Stmt& statement, const arith::VarMap& map) {
  if (map.empty()) return statement;
  return Substituter(map).rewrite(statement);
}

}  // namespace rx::lower
