// BoundedWalk: a walk over a statement in the order in which it runs that knows, at every place, what loops, conditions
// and bindings around it say of variables.
#pragma once

#include "core/ir/stmt.h"
#include "core/lower/condition_bounds.h"

namespace rx::lower {

/// Conditions of branches are in force below them; what else counts, who collects says in treats(). Statements recurse
/// natively by their nesting, which readers bound, on stacks that grow; expressions do only by their choices.
class BoundedWalk {
 public:
  virtual ~BoundedWalk() = default;

 protected:
  /// Overridden for the kinds that matter: true where the statement is dealt with. Statements that only hold others and
  /// expressions are walked by the base; any other that is not dealt with is left out.
  virtual bool treats(const tir::Stmt& statement) = 0;
  /// The same for a part of an expression; one that is not dealt with is entered.
  virtual bool treats(const Node& node) = 0;

  void visit(const tir::Stmt& statement);
  /// The expression and all in it; null is none.
  void expression(const tir::PrimExpr& root);
  /// Runs `body` where the condition is in force.
  template <class Body>
  void under(const tir::PrimExpr& condition, Body body) {
    const ConditionBounds bounds(condition, scope_);
    body();
  }

  BoundedScope scope_;

 private:
  void entered(const tir::Stmt& statement);
};

}  // namespace rx::lower
