// Rewriter: the walk of the passes that need to know where they are. Statements are rewritten from the outside in, in
// the order in which they run; expressions bottom-up and without native recursion. Statements recurse natively by their
// nesting, which readers bound, on stacks that grow.
#pragma once

#include <unordered_map>

#include "core/arith/equal.h"
#include "core/ir/node_rewriter.h"
#include "core/ir/stmt.h"

namespace rx::lower {

/// A pass overrides what it cares about; everything else is rebuilt from its rewritten parts, and unchanged parts stay
/// the same objects. One object rewrites one body.
class Rewriter : private NodeRewriter {
 public:
  /// What stands in place of the statement; null stays null.
  tir::Stmt rewrite(const tir::Stmt& statement);
  tir::PrimExpr rewrite(const tir::PrimExpr& expr);
  Array<tir::PrimExpr> rewrite(const Array<tir::PrimExpr>& exprs);

 protected:
  /// Overridden to treat kinds of statements differently; call parts() for the rest.
  virtual tir::Stmt visit(const tir::Stmt& statement) { return parts(statement); }
  /// Whether expressions may change at the present place, but for buffers that were replaced; where not, they are not
  /// walked.
  virtual bool changesExpressions() const { return true; }
  /// Before an expression (or a range, a region, an iteration variable): a replacement that is not entered, or null.
  virtual NodeRef enter(const NodeRef&) { return nullptr; }
  /// After its parts: what stands in its place, null for the node itself.
  virtual NodeRef leave(const NodeRef& /*node*/) { return nullptr; }
  NodeRef left(const NodeRef& node) {
    NodeRef value = leave(node);
    return value ? value : node;
  }
  /// The same for who has to know what the node was before.
  virtual NodeRef rebuilt(const NodeRef& /*old*/, const NodeRef& node) { return leave(node); }

  /// The statement with its parts rewritten. Sequences lose their no-ops and are flat.
  tir::Stmt parts(const tir::Stmt& statement);
  /// A buffer where it is defined: its shape, strides and offset are rewritten, and uses that follow get the new one.
  virtual tir::BufferRef define(const tir::BufferRef& buffer);
  /// From here on uses of `from` become `to`.
  void replace(const tir::BufferRef& from, tir::BufferRef to) { buffers_[from.get()] = {from, std::move(to)}; }
  /// What a use of the buffer becomes.
  virtual tir::BufferRef use(const tir::BufferRef& buffer);

 private:
  NodeRef before(const NodeRef& node) final;
  NodeRef after(const NodeRef& old, const NodeRef& made) final { return rebuilt(old, made); }
  NodeRef part(const NodeRef& node, bool defines);
  bool expressionsStay() const { return buffers_.empty() && !changesExpressions(); }
  tir::Stmt sequence(const Ref<tir::SeqStmt>& statement);
  /// Old and new; the old one is kept alive for its address.
  std::unordered_map<const Node*, std::pair<tir::BufferRef, tir::BufferRef>> buffers_;
};

/// The statement with variables replaced, in buffers that it defines too; the same one when none occurs.
tir::Stmt substitute(const tir::Stmt& statement, const arith::VarMap& map);

}  // namespace rx::lower
