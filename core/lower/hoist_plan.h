// The plan of hoisting: what goes in front of which loop.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/lower/hoist.h"

namespace rx::lower {

/// What can stand in front of one loop (or launch).
struct HoistedFromLoop {
  struct Condition {
    tir::PrimExpr condition;
    bool hasElse;
    std::vector<const Node*> needs;  ///< variables of bindings in the loop
  };
  struct Binding {
    tir::VarRef var;
    tir::PrimExpr value;
    bool enabled;  ///< by its own kind
  };
  std::vector<Condition> conditions;
  std::vector<Binding> bindings;
};

struct HoistPlan {
  std::unordered_map<const Node*, HoistedFromLoop> loops;  ///< by the statement
  std::unordered_set<const Node*> bindings;                ///< variables whose bindings leave their place
};

HoistPlan planHoisting(const tir::Stmt& body, HoistKinds kinds);

}  // namespace rx::lower
