// What of a function can be computed before it is called.
#pragma once

#include <unordered_set>

#include "core/ir/relax.h"

namespace rx::analysis {

/// Variables that depend on weights alone: parameters behind the first `num_input` ones, and what is computed of them.
std::unordered_set<const relax::Var*> compileTimeVars(const relax::Function& function);

}  // namespace rx::analysis
