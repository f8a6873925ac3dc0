// What is well formed in Relay.
#pragma once

#include <vector>

#include "core/ir/module.h"
#include "core/support/diagnostic.h"

namespace rx::relay {

/// What TVM would refuse of a module that could be read: variables bound twice, or not at all, and what does not type.
std::vector<Diagnostic> wellFormed(const ir::Module& module);

}  // namespace rx::relay
