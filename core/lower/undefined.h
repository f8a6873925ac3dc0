// What a piece of a body uses and does not define: what a function made of it has to be given.
#pragma once

#include <vector>

#include "core/ir/stmt.h"

namespace rx::lower {

struct Undefined {
  std::vector<tir::VarRef> vars;        ///< in the order of their first use; pointers of buffers included
  std::vector<tir::BufferRef> buffers;  ///< likewise
};

/// What is used in the statement and defined outside of it. A variable that is defined anywhere in the statement counts
/// as defined: each has one definition.
Undefined undefinedIn(const tir::Stmt& statement);

}  // namespace rx::lower
