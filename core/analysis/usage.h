// Which variables the value of a function, or an effect, depends on.
#pragma once

#include <unordered_set>

#include "core/ir/module.h"

namespace rx::analysis {

/// Variables of the function that its result, a match_cast or a call with effects needs, directly or through others.
/// `module` tells the purity of global functions and may be null.
std::unordered_set<const relax::Var*> liveVars(const relax::Function& function, const ir::IRModule* module);

}  // namespace rx::analysis
