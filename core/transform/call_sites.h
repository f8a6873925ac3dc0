// One rewriting for all calls of a function.
#pragma once

#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/build/block_builder.h"

namespace rx::transform {

/// What stands in the place of a call whose arguments are rewritten already; null where the call stays.
using CallUpdate = std::function<relax::Expr(const relax::Call&, build::BlockBuilder&)>;
Result<relax::FunctionRef> rewriteCalls(const relax::FunctionRef& function, Str pass, build::ModuleContext& context,
                                        const CallUpdate& update);

/// Names of the functions that stand somewhere else than in front of their arguments, as in a closure: who calls them
/// there is not known, so that their parameters are to stay.
std::unordered_set<std::string_view> functionsAsValues(const ir::IRModule& module);

/// The calls of each kernel by call_tir, of kernels that are used in no other way; by its name.
using KernelCalls = std::unordered_map<std::string_view, std::vector<const relax::Call*>>;
KernelCalls plainKernelCalls(const ir::IRModule& module);

}  // namespace rx::transform
