// Which variables the value of a function, or an effect, depends on.
#pragma once

#include "core/ir/module.h"
#include "core/support/pointer_map.h"

namespace rx::analysis {

/// Those that are in it have an entry.
using VarSet = PointerMap<relax::Var, bool>;

/// Variables of the function that its result, a match_cast or a call with effects needs, directly or through others.
/// `module` tells the purity of global functions and may be null.
VarSet liveVars(const relax::Function& function, const ir::IRModule* module);

}  // namespace rx::analysis
