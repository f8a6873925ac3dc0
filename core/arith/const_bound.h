// Constant bounds of integer expressions with what is known of variables and of expressions in scope.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "core/arith/analyzer.h"
#include "core/arith/cache.h"
#include "core/arith/pattern.h"

namespace rx::arith {

class ConstBounds {
 public:
  /// `facts` narrow remainders, `inForce` is the number of those in force; both must outlive this.
  ConstBounds(RuleFacts& facts, const uint32_t& inForce) : facts_(facts), inForce_(inForce) {}

  ConstIntBound of(const tir::PrimExpr& expr);
  /// False where that was known of the variable.
  bool set(const tir::VarRef& var, ConstIntBound bound);
  /// What the condition says about expressions, until leave() with the count before.
  void enter(const tir::PrimExpr& condition);
  size_t count() const { return facts.size(); }
  /// No condition in force bounds anything but variables.
  bool onlyOfVariables() const {
    return std::all_of(facts.begin(), facts.end(), [](const Fact& fact) { return isa<tir::Var>(fact.expr); });
  }
  void leave(size_t count);
  void forget() { cache_.clear(); }

 private:
  struct Fact {
    tir::PrimExpr expr;
    ConstIntBound bound;
  };
  ConstIntBound compute(const tir::ExprNode& expr);
  ConstIntBound computeBinary(const tir::BinaryNode& node);
  ConstIntBound computeCall(const tir::Call& call);
  ConstIntBound computeCast(const tir::Cast& node);
  ConstIntBound remainder(const tir::BinaryNode& node, ConstIntBound a, ConstIntBound b, bool floor);
  void note(const tir::PrimExpr& expr, int64_t min, int64_t max);

  RuleFacts& facts_;
  const uint32_t& inForce_;
  std::unordered_map<const tir::Var*, std::pair<ConstIntBound, tir::VarRef>> vars_;
  std::vector<Fact> facts;
  NodeCache<ConstIntBound> cache_;
};

}  // namespace rx::arith
