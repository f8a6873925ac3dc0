// Rules of the specification about a module as a whole (criteria 6.2 and 11). TVM checks neither: they are warnings.
#pragma once

#include "core/analysis/findings.h"
#include "core/ir/module.h"

namespace rx::analysis {

/// Warns where no function can be called from outside (relax.no-entry), and where a dataflow block calls a function
/// that calls back (relax.recursion-in-dataflow). A function on its own has nothing to be warned of.
void checkModuleRules(const ir::IRModule& module, Findings& findings);

}  // namespace rx::analysis
