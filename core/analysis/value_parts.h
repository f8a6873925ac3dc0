// A bound value taken apart as far as its own scope goes: variables, and the scopes in it.
#pragma once

#include <functional>

#include "core/ir/relax.h"

namespace rx::analysis {

/// Receives the parts of a value in the order of its text.
struct ValueParts {
  std::function<void(const relax::Var&)> variable;
  /// A branch: nothing of it is received, the receiver walks it where it wants to.
  std::function<void(const relax::SeqExpr&)> sequence;
  std::function<void(const relax::Function&)> function;  ///< local; as a branch
  std::function<bool(const relax::Call&)> enters = {};   ///< whether parts of a call count; empty: they do
};

/// Deep nests of scopes are safe: each is received with native stack to walk it.
void walkValue(const Node& value, const ValueParts& parts);

}  // namespace rx::analysis
