// Hoisting: conditions and bindings that a loop does not change, in front of it.
#pragma once

#include "core/ir/stmt.h"

namespace rx::lower {

/// What is hoisted, as bits with TVM's numbers.
struct HoistKinds {
  enum Conditional : int64_t { kBranch = 1, kChoice = 2, kBoolean = 4, kOverBlocks = 8 };
  enum Binding : int64_t { kRequired = 1, kBind = 2, kLet = 4 };
  int64_t conditionals;  ///< conditions of branches, of choices, sides of && and ||
  int64_t bindings;      ///< what hoisted conditions need, statements, expressions
};

/// Puts a branch around a loop for each condition in it that the loop does not change and that decides about its whole
/// body; both sides hold the loop where the condition has an else side. Bindings go before the loop. A loop that would
/// be doubled more than ten times keeps the rest of its conditions. The result is in single assignment.
tir::Stmt hoisted(const tir::Stmt& body, HoistKinds kinds);

}  // namespace rx::lower
