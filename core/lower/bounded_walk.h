// BoundedWalk: a walk over a statement in the order in which it runs that knows, at every place, what loops, conditions
// and bindings around it say of variables.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>

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
    conditions_.emplace_back(condition);
    body();
    conditions_.pop_back();
    inForce_ = std::min(inForce_, conditions_.size());
  }

  /// The scope at the present place. Conditions narrow it when it is first asked for below them: most hold nothing that
  /// matters.
  BoundedScope& scope();

 private:
  struct Condition {
    explicit Condition(const tir::PrimExpr& e) : expr(e) {}
    const tir::PrimExpr expr;
    std::optional<ConditionBounds> bounds;
  };
  void entered(const tir::Stmt& statement);

  BoundedScope scope_;
  std::deque<Condition> conditions_;  ///< around the present place
  size_t inForce_ = 0;                ///< so many of them have narrowed the scope
};

}  // namespace rx::lower
