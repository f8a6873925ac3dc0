// The passes of Relay to Relay, and what is well formed.
#pragma once

#include <span>
#include <vector>

#include "core/pass/pass.h"

namespace rx::relay {

std::span<const pass::PassRow> passRows();

/// What TVM would refuse of a module that could be read: variables bound twice, or not at all.
std::vector<Diagnostic> wellFormed(const ir::Module& module);

}  // namespace rx::relay
