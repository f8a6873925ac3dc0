// The base rewriter of passes over Relax functions.
//
// A pass derives from Mutator and overrides the visits that it cares for; every visit returns the node that stands in
// its place and emits what it needs through `builder`. Chains of bindings are walked in a loop; nesting continues on a
// larger stack when the present one runs low. Unchanged parts stay the same objects. What is emitted while a binding is
// visited inherits the origin of that binding, with the name of this pass.
#pragma once

#include <functional>
#include <memory>

#include "core/build/block_builder.h"

namespace rx::build {

class Mutator {
 public:
  /// `pass` is the name that new bindings' origins carry.
  explicit Mutator(Str pass, ModuleContext* module = nullptr);
  virtual ~Mutator() = default;

  /// The function rewritten and in normal form, or why not.
  Result<relax::FunctionRef> rewrite(const relax::FunctionRef& function);

  BlockBuilder builder;

  /// A pass that overrides visitPrimExpr says so here.
  bool changesSymbols = false;
  /// Whether a declared result gives way to a better deduced one.
  bool refineReturn = true;

 protected:
  /// Any expression. The result may be nested: emitting normalizes it.
  virtual relax::Expr visit(const relax::Expr& expr);
  virtual relax::Expr visitVar(const relax::VarRef& var);
  virtual relax::Expr visitConstant(const Ref<relax::Constant>& node) { return node; }
  virtual relax::Expr visitGlobalVar(const relax::GlobalVarRef& node) { return node; }
  virtual relax::Expr visitShapeExpr(const Ref<relax::ShapeExpr>& node);
  virtual relax::Expr visitPrimValue(const Ref<relax::PrimValue>& node);
  virtual relax::Expr visitTuple(const Ref<relax::Tuple>& node);
  virtual relax::Expr visitTupleGetItem(const Ref<relax::TupleGetItem>& node);
  virtual relax::Expr visitCall(const Ref<relax::Call>& call);
  virtual relax::Expr visitIf(const Ref<relax::If>& node);
  /// A function in a function; the outermost one too.
  virtual relax::FunctionRef visitFunction(const relax::FunctionRef& function);

  /// The body of a function, whose sequence is open already: visits the blocks and returns the value.
  virtual relax::Expr visitBody(const relax::SeqRef& body);
  /// Sequences of branches: opens a sequence, visits the blocks, closes it.
  virtual relax::SeqRef visitSeq(const relax::SeqRef& seq);
  virtual void visitBlock(const relax::BlockRef& block);
  virtual void visitBinding(const relax::Binding& binding);
  virtual void visitVarBinding(const Ref<relax::VarBinding>& binding);
  virtual void visitMatchCast(const Ref<relax::MatchCast>& binding);

  /// Hooks for symbolic expressions and StructInfo; by default they stay (visitStructInfo maps what visitPrimExpr and
  /// visitVar change, when a pass says that it changes symbols).
  virtual tir::PrimExpr visitPrimExpr(const tir::PrimExpr& expr) { return expr; }
  virtual relax::StructInfo visitStructInfo(const relax::StructInfo& info);
  /// Binds the (new) value in the place of `binding`: the same binding object when nothing changed; otherwise the
  /// variable keeps its name and kind and gets the value's StructInfo; later uses are mapped.
  void rebind(const Ref<relax::VarBinding>& binding, const relax::Expr& value);
  /// The same for a match_cast: the same binding where neither the value nor the StructInfo changed.
  void recast(const Ref<relax::MatchCast>& binding, const relax::Expr& value);
  /// From now on `from` stands for `to`.
  void mapVar(const relax::VarRef& from, relax::Expr to) { vars_.set(from.get(), std::move(to)); }
  /// What a variable stands for now, or the variable.
  relax::Expr mapped(const relax::VarRef& var) const;
  /// The value of a (new) variable bound in an open sequence, or null.
  relax::Expr valueOf(const relax::Expr& var) const;

  const Str& passName() const { return pass_; }

 private:
  /// All items from the first that differs on; none where all stay.
  std::vector<relax::Expr> visitItems(const Array<relax::Expr>& items);

  Str pass_;
  PointerMap<relax::Var, relax::Expr> vars_;
};

/// The function with what its body gives, erased to what its parameters define, as its result.
relax::FunctionRef withReturnOfBody(const relax::FunctionRef& function, op::InferContext& context);

/// Rewrites every Relax function of the module with one mutator made for it; fails with pass.cancelled.
Result<ir::Module> mutateFunctions(const ir::Module& module, const CancelToken& cancel,
                                   const std::function<std::unique_ptr<Mutator>(ModuleContext&)>& make);

/// Normal form with StructInfo of a whole module; declared results give way to better deduced ones.
Result<ir::Module> normalizeModule(const ir::Module& module, const CancelToken& cancel = {});

}  // namespace rx::build
