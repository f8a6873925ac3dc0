#include "core/lower/rewriter.h"

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/ir/node_fields.h"
#include "core/support/stack.h"

namespace rx::lower {

using namespace tir;

namespace {

/// What a sequence leaves out when it is rebuilt.
bool isNothing(const Stmt& statement) {
  const auto* evaluate = as<Evaluate>(statement);
  return evaluate && asInt(evaluate->value) == 0;
}

}  // namespace

Stmt Rewriter::rewrite(const Stmt& statement) {
  if (!statement) return nullptr;
  return withStack([&] { return visit(statement); });
}

PrimExpr Rewriter::rewrite(const PrimExpr& expr) {
  if (expressionsStay()) return expr;
  const NodeRef made = rewriteBelow(asNode(expr), Into::Parts);
  return made ? cast<ExprNode>(made) : expr;
}

Array<PrimExpr> Rewriter::rewrite(const Array<PrimExpr>& exprs) {
  std::vector<PrimExpr> changed;
  for (size_t i = 0; i < exprs.size(); ++i) {
    PrimExpr made = rewrite(exprs[i]);
    if (changed.empty() && made == exprs[i]) continue;
    if (changed.empty()) changed.assign(exprs.begin(), exprs.begin() + i);
    changed.push_back(std::move(made));
  }
  return changed.empty() ? exprs : Array<PrimExpr>(std::move(changed));
}

NodeRef Rewriter::before(const NodeRef& node) {
  return isa<Buffer>(node) ? NodeRef(use(refTo<Buffer>(node))) : enter(node);
}

BufferRef Rewriter::use(const BufferRef& buffer) {
  auto found = buffers_.find(buffer.get());
  return found == buffers_.end() ? buffer : found->second.second;
}

BufferRef Rewriter::define(const BufferRef& buffer) {
  auto shape = rewrite(buffer->shape), strides = rewrite(buffer->strides);
  PrimExpr offset = rewrite(buffer->elemOffset), data = rewrite(refTo<ExprNode>(buffer->data));
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

/// What the part of a statement becomes; null where it stays.
NodeRef Rewriter::part(const NodeRef& node, bool defines) {
  if (!isa<StmtNode>(node) && !(defines && isa<Buffer>(node))) {
    return expressionsStay() ? nullptr : rewriteBelow(node, Into::Parts);
  }
  NodeRef made = isa<Buffer>(node) ? NodeRef(define(refTo<Buffer>(node))) : rewrite(refTo<StmtNode>(node));
  return made == node ? nullptr : made;
}

Stmt Rewriter::sequence(const Ref<SeqStmt>& statement) {
  const Array<Stmt>& list = statement->seq;
  std::vector<Stmt> kept;
  const auto keep = [&](const Stmt& fresh) {
    const auto* nested = as<SeqStmt>(fresh);
    for (const Stmt& one : nested ? nested->seq.span() : std::span<const Stmt>(&fresh, 1)) {
      if (!isNothing(one)) kept.push_back(one);
    }
  };
  bool same = true;
  for (size_t i = 0; i < list.size(); ++i) {
    const Stmt fresh = rewrite(list[i]);
    if (same && fresh == list[i] && !isNothing(fresh)) continue;
    if (same) std::for_each(list.begin(), list.begin() + i, keep);
    same = false;
    keep(fresh);
  }
  return same ? Stmt(statement) : seq(kept);
}

Stmt Rewriter::parts(const Stmt& statement) {
  if (isa<SeqStmt>(statement)) return sequence(refTo<SeqStmt>(statement));
  const bool defines = isa<AllocBuffer>(statement) || isa<DeclBuffer>(statement) || isa<Block>(statement);
  if (const auto* block = as<Block>(statement)) {
    for (const auto& match : block->matchBuffers) define(match->buffer);
  }
  const NodeRef made = withEach(asNode(statement), Into::Parts,
                                [&](const NodeRef& node) { return node ? part(node, defines) : nullptr; });
  return made ? cast<StmtNode>(made) : statement;
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
