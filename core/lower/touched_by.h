// What a value flows into.
#pragma once

#include <unordered_set>

#include "core/ir/stmt.h"

namespace rx::lower {

/// The variables and the pointers of buffers in the statement whose values may depend on the variable, itself included.
/// Conditions of branches do not count: what is stored under them is the same for all values.
std::unordered_set<const tir::Var*> touchedBy(const tir::Stmt& statement, const tir::Var* var);

}  // namespace rx::lower
