// ScopedRewriter: a rewriter that knows, at every place, what loops, launches, bindings and conditions around it say.
#pragma once

#include "core/arith/analyzer.h"
#include "core/arith/iter_map.h"
#include "core/ir/relax.h"
#include "core/lower/checked_rewriter.h"

namespace rx::lower {

/// What a pass overrides must call the base for the kinds of statements and expressions that it does not treat itself.
class ScopedRewriter : public CheckedRewriter {
 public:
  /// Sizes of the function's buffers count as not negative.
  explicit ScopedRewriter(const tir::PrimFunc& function);

 protected:
  arith::Analyzer analyzer;

  tir::Stmt visit(const tir::Stmt& statement) override;
  NodeRef enter(const NodeRef& node) override;
  /// The indices in the shortest form that the loops and conditions around allow.
  std::vector<tir::PrimExpr> shortest(std::span<const tir::PrimExpr> indices);

 private:
  void range(const tir::VarRef& var, const tir::PrimExpr& min, const tir::PrimExpr& extent);
  tir::Stmt loop(const Ref<tir::For>& statement);
  tir::Stmt branch(const Ref<tir::IfThenElse>& statement);
  tir::Stmt launch(const Ref<tir::AttrStmt>& statement);
  tir::Stmt binding(const Ref<tir::Bind>& statement);
  NodeRef choice(const Ref<tir::Call>& call);
  NodeRef choice(const Ref<tir::Select>& select);
  /// The expression where `condition` holds; `counts` for the iterators too.
  tir::PrimExpr under(const tir::PrimExpr& condition, const tir::PrimExpr& expr, bool counts);

  std::vector<arith::IterRange> iters_;
  std::vector<tir::PrimExpr> conditions_;
  /// What was shortened at the present place: buffers of one shape are often indexed alike.
  struct Shortened {
    std::vector<tir::PrimExpr> from, to;
  };
  std::vector<Shortened> shortened_;
};

}  // namespace rx::lower
