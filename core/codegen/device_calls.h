// Which devices the functions of a program are called on.
#pragma once

#include "core/device/run/code.h"
#include "core/ir/module.h"

namespace rx::codegen {

/// For each PrimFunc, by its symbol, where its calls want their results: the numbers that allocations name. A function
/// whose calls give it no memory that is allocated in the same function is not among them.
std::vector<device::CalledOn> devicesOfCalls(const ir::IRModule& module);

}  // namespace rx::codegen
