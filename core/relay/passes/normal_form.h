// The normal forms of a function: A-normal, with a name for every value, and that of basic blocks, with names for what
// several blocks use. Private to the passes.
#pragma once

#include "core/ir/relay.h"

namespace rx::relay {

enum class NormalForm : uint8_t { ANormal, BasicBlock };

/// The function with every value bound in the innermost scope of its uses.
FunctionRef toNormalForm(const FunctionRef& function, NormalForm form);

}  // namespace rx::relay
