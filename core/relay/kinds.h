// Kinds: whether every type that a module states is one, and has as many arguments as its definition asks for.
#pragma once

#include <vector>

#include "core/ir/module.h"
#include "core/support/diagnostic.h"

namespace rx::relay {

/// relay.unknown-type and relay.kind, each at the variable, function or constructor that states the type.
std::vector<Diagnostic> kindErrors(const ir::IRModule& module);

}  // namespace rx::relay
