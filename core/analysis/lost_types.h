// What the types of a module said before a pass and do not say after it.
#pragma once

#include "core/ir/module.h"
#include "core/support/diagnostic.h"

namespace rx::analysis {

/// A warning (pass.lost-type) for each binding that is the same as before, by name and origin, and whose StructInfo
/// knows less: of a shape only the rank, of a rank nothing, no data type, no tensor. Functions that are the same object
/// are not looked at.
std::vector<Diagnostic> lostTypes(const ir::IRModule& before, const ir::IRModule& after);

}  // namespace rx::analysis
