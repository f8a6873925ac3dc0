// What a kernel may write.
#pragma once

#include <vector>

#include "core/ir/relax.h"

namespace rx::tir {

/// For each parameter, whether the body may write the memory behind it: a store through its buffer or a view of that,
/// or its pointer among the arguments of a call that may write through it.
std::vector<bool> writtenParams(const PrimFunc& function);

}  // namespace rx::tir
