// What of functions depends on their weights alone: those are the parameters behind the first `num_input` ones.
#pragma once

#include <unordered_set>

#include "core/ir/module.h"
#include "core/support/result.h"

namespace rx::transform {

/// Variables and symbols alike.
using VarSet = std::unordered_set<const Node*>;

struct LiftPlan {
  Array<relax::VarRef> params;             ///< the weights
  std::vector<relax::Binding> computable;  ///< bindings that need no other parameters, in order
  VarSet needsWeights;                     ///< weights, and what of the bindings depends on one
  VarSet neededLater;                      ///< what the rest of the function reads

  /// What is computed beforehand and read later: weights as they are, then bindings.
  std::vector<relax::VarRef> outputs() const;
};

/// One plan for the weights of several functions, and what stands in it for the variables of each of them.
struct SharedPlan : LiftPlan {
  std::unordered_map<const Node*, NodeRef> shared;
  /// Symbols of the weights that are read later and that no output tells.
  std::vector<tir::VarRef> symbols() const;
};

struct FunctionPlan : LiftPlan {
  relax::FunctionRef function;
  size_t inputs = 0;  ///< how many parameters are no weights
  std::vector<tir::VarRef> symbols() const;
};

/// The bindings that all functions compute alike. Refuses functions whose weights differ.
Result<SharedPlan> sharedPlan(const std::vector<relax::FunctionRef>& functions);
/// Of one function; with a shared plan only what that holds is computed beforehand, and what the function reads later
/// is noted there.
FunctionPlan planOf(const relax::FunctionRef& function, SharedPlan* shared);

}  // namespace rx::transform
