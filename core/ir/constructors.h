// The constructors of the algebraic data types of a module, by the numbers that they have where a program runs.
#pragma once

#include <vector>

#include "core/ir/module.h"

namespace rx::relay {
struct Constructor;
}

namespace rx::ir {

/// All of them, type by type as the module lists its types: the number of a constructor in a program is its place here,
/// so that the number alone says which one it is. The pointers live as long as the module.
std::vector<const relay::Constructor*> constructorsOf(const IRModule& module);

}  // namespace rx::ir
