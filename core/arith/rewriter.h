// Rewriter: an expression rebuilt from its leaves, each node by the rules. Recursion goes by the depth of the
// expression, which Canon bounds.
#pragma once

#include <vector>

#include "core/arith/cache.h"
#include "core/arith/canon.h"
#include "core/arith/conditions.h"

namespace rx::arith {

/// It answers the conditions of rules itself, so that equality is decided by the walk at hand.
class Rewriter : private RuleFacts {
 public:
  explicit Rewriter(Canon& canon) : canon_(canon) {}
  ~Rewriter() override = default;
  Rewriter(const Rewriter&) = delete;
  Rewriter& operator=(const Rewriter&) = delete;

  virtual tir::PrimExpr visit(const tir::PrimExpr& expr);
  virtual void forget();
  /// Conditions that are taken literally, until leave() with the count before.
  void enter(const tir::PrimExpr& condition);
  size_t count() const { return literals_.size(); }
  void leave(size_t count) { literals_.resize(count); }

  Order compare(const tir::PrimExpr& expr, int64_t value);
  Order compare(const tir::PrimExpr& a, const tir::PrimExpr& b);

 protected:
  /// The steps that this walk takes beyond the usual ones.
  virtual CanonExtensions extensions() const { return canon_.extensions; }
  /// The node by the rules, its parts visited.
  tir::PrimExpr visitNode(const tir::PrimExpr& expr);

  Canon& canon_;

 private:
  ConstIntBound boundOf(const tir::PrimExpr& expr) override { return canon_.boundOf(expr); }
  ModularSet modularOf(const tir::PrimExpr& expr) override { return canon_.modularOf(expr); }
  bool isAtLeast(const tir::PrimExpr& expr, int64_t value) override { return canon_.isAtLeast(expr, value); }
  bool isBelow(const tir::PrimExpr& expr, int64_t value) override { return canon_.isBelow(expr, value); }
  bool isEqual(const tir::PrimExpr& expr, int64_t value) override { return compare(expr, value) == Order::Equal; }
  bool holds(const tir::PrimExpr& condition) override { return canon_.canProve(condition); }
  bool isPure(const tir::PrimExpr& expr) override { return canon_.isPure(expr); }
  bool writesNothing(const tir::PrimExpr& expr) override { return canon_.writesNothing(expr); }

  tir::PrimExpr visitParts(const tir::PrimExpr& expr);
  tir::PrimExpr visitBinary(const tir::PrimExpr& expr);
  tir::PrimExpr visitVar(const tir::PrimExpr& expr);
  tir::PrimExpr visitCall(const tir::PrimExpr& expr);
  tir::PrimExpr visitChoice(const tir::PrimExpr& expr);
  tir::PrimExpr visitSelect(const tir::PrimExpr& expr);
  tir::PrimExpr visitLet(const tir::PrimExpr& expr);
  tir::PrimExpr visitLogic(const tir::PrimExpr& expr);
  tir::PrimExpr logicUnderBranches(const tir::PrimExpr& expr);
  tir::PrimExpr visitComparison(const tir::PrimExpr& expr);
  tir::PrimExpr visitNotEqual(const tir::PrimExpr& expr);
  tir::PrimExpr visitLessOrEqual(const tir::PrimExpr& expr);

  tir::PrimExpr byRules(const tir::PrimExpr& node);
  tir::PrimExpr equalByRules(const tir::PrimExpr& node);
  tir::PrimExpr lessByRules(const tir::PrimExpr& node);
  tir::PrimExpr mergeOffsets(const tir::BinaryNode& less);
  tir::PrimExpr again(const tir::PrimExpr& expr);
  /// True or false where a literal condition says so, else null.
  tir::PrimExpr literal(const tir::PrimExpr& condition) const;
  /// The order of a variable and a constant where that of their difference is that of the variable's bounds.
  std::optional<Order> compareVariable(const tir::PrimExpr& var, const tir::PrimExpr& constant);
  Order compareProductAndSum(const tir::PrimExpr& a, const tir::PrimExpr& b);

  static constexpr int kMaxAgain = 5;
  std::vector<tir::PrimExpr> literals_;
  NodeCache<tir::PrimExpr> memo_[kMaxAgain + 1];  ///< by depth of again()
  int depth_ = 0;
};

/// A condition as a conjunction of disjunctions, each simplified with its neighbours (and_of_ors.cpp).
tir::PrimExpr simplifyAsAndOfOrs(const tir::PrimExpr& condition, Canon& canon);

}  // namespace rx::arith
