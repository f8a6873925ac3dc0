// ConditionBounds: what a condition says about the sets over which variables run, while it is in force.
#pragma once

#include <utility>
#include <vector>

#include "core/arith/int_set.h"

namespace rx::lower {

/// Domains of variables and the conditions that could not be turned into domains.
struct BoundedScope {
  arith::Domains domains;  ///< of variables that run
  arith::Domains hints;    ///< of free variables
  std::vector<tir::PrimExpr> pending;
};

/// While it lives, the scope's domains are narrowed by the condition; one that domains can not say is pending. Scopes
/// nest.
class ConditionBounds {
 public:
  ConditionBounds(const tir::PrimExpr& condition, BoundedScope& scope);
  ~ConditionBounds();
  ConditionBounds(const ConditionBounds&) = delete;
  ConditionBounds& operator=(const ConditionBounds&) = delete;

 private:
  BoundedScope& scope_;
  size_t pendingBefore_;
  struct Changed {
    const tir::Var* var;
    bool hint, fresh;
    arith::IntSet before;
  };
  std::vector<Changed> changed_;
};

}  // namespace rx::lower
