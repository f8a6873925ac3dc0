// Which devices the functions of a program are called on.
#pragma once

#include <map>
#include <set>
#include <string>

#include "core/ir/module.h"

namespace rx::codegen {

/// For each PrimFunc, by its symbol, where its calls want their results: the numbers that allocations name. A function
/// whose calls give it no memory that is allocated in the same function is not among them.
using CallDevices = std::map<std::string, std::set<int64_t>, std::less<>>;
CallDevices devicesOfCalls(const ir::IRModule& module);

}  // namespace rx::codegen
