// Of what form all values of an integer expression are: coeff * k + base.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/arith/cache.h"
#include "core/arith/pattern.h"

namespace rx::arith {

class ModularSets {
 public:
  /// `inForce` is the number of the facts in force; both must outlive this.
  ModularSets(RuleFacts& facts, const uint32_t& inForce) : facts_(facts), inForce_(inForce) {}

  ModularSet of(const tir::PrimExpr& expr);
  void set(const tir::VarRef& var, ModularSet value);
  /// What the condition says about variables, until leave() with the count before.
  void enter(const tir::PrimExpr& condition);
  size_t count() const { return undo_.size(); }
  void leave(size_t count);
  void forget() { cache_.clear(); }

 private:
  struct Undo {
    tir::VarRef var;
    ModularSet before;
  };
  ModularSet compute(const tir::ExprNode& expr);
  ModularSet computeBinary(const tir::BinaryNode& node);
  ModularSet computeCall(const tir::Call& call);
  ModularSet quotient(const tir::PrimExpr& a, int64_t by, bool down);
  ModularSet remainder(const tir::PrimExpr& a, int64_t by, bool down);
  void narrow(const tir::VarRef& var, ModularSet to);

  RuleFacts& facts_;
  const uint32_t& inForce_;
  std::unordered_map<const tir::Var*, std::pair<ModularSet, tir::VarRef>> vars_;
  std::vector<Undo> undo_;
  NodeCache<ModularSet> cache_;
};

}  // namespace rx::arith
