// IndexTypes: a Rewriter that changes the integer types of indices and keeps what they are computed from well typed.
#pragma once

#include "core/lower/checked_rewriter.h"

namespace rx::lower {

/// Indices, extents, shapes and comparisons in conditions are places of indices; a pass says what becomes of
/// variables, constants and conversions there. What is computed from operands of two types takes the wider one.
class IndexTypes : public CheckedRewriter {
 protected:
  /// A variable anywhere; null = as remapped so far.
  virtual tir::VarRef variable(const tir::VarRef& var) = 0;
  virtual tir::PrimExpr constant(const Ref<tir::IntImm>& number) = 0;
  /// A conversion whose value was rewritten.
  virtual tir::PrimExpr conversion(const Ref<tir::Cast>& node, tir::PrimExpr value) = 0;
  /// Are comparisons in conditions places of indices?
  virtual bool comparesIndices() const { return true; }
  /// Type of the offset of a buffer that had one of type `given` and begins where its data does.
  virtual DataType offsetType(DataType given) const = 0;
  /// The operands of `given` came out as a and b, of two types.
  virtual tir::PrimExpr mixed(const Ref<tir::BinaryNode>& given, const tir::PrimExpr& a, const tir::PrimExpr& b);
  /// Is the present place one of indices?
  bool indexed() const { return indexed_; }

  tir::Stmt visit(const tir::Stmt& statement) override;
  NodeRef enter(const NodeRef& node) override;
  NodeRef leave(const NodeRef& node) override;
  tir::BufferRef define(const tir::BufferRef& buffer) override;

  /// The expression as in a place of indices.
  tir::PrimExpr indexOf(const tir::PrimExpr& expr);
  /// The present identity of a variable.
  tir::VarRef remapped(const tir::VarRef& var) const;
  void remap(const tir::VarRef& from, tir::VarRef to) { vars_[from.get()] = {from, std::move(to)}; }
  bool isRemapped(const tir::VarRef& var) const { return vars_.contains(var.get()); }
  /// The same variable with another type.
  static tir::VarRef typed(const tir::VarRef& var, DataType type);

 private:
  tir::VarRef use(const tir::VarRef& var);
  using CheckedRewriter::use;
  tir::PrimExpr conditionOf(const tir::PrimExpr& expr);
  Array<tir::PrimExpr> indicesOf(const Array<tir::PrimExpr>& exprs);
  Ref<tir::Range> rangeOf(const Ref<tir::Range>& range);
  Ref<tir::BufferRegion> regionOf(const Ref<tir::BufferRegion>& region);
  tir::Stmt loop(const Ref<tir::For>& loop);
  tir::Stmt bind(const Ref<tir::Bind>& bind);
  tir::Stmt launch(const Ref<tir::AttrStmt>& attribute);
  tir::Stmt store(const Ref<tir::BufferStore>& store);
  tir::Stmt realize(const Ref<tir::BlockRealize>& realize);
  tir::Stmt block(const Ref<tir::Block>& block);
  NodeRef choice(const Ref<tir::ExprNode>& node);
  NodeRef call(const tir::Call& call, const NodeRef& same);

  bool indexed_ = false;
  bool condition_ = false;
  std::unordered_map<const Node*, std::pair<tir::VarRef, tir::VarRef>> vars_;
  std::vector<NodeRef> open_;  ///< nodes that were entered and not left, as they came
};

}  // namespace rx::lower
