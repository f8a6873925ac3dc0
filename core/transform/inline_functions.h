// The bodies of functions in the place of their calls.
#pragma once

#include "core/pass/pass.h"

namespace rx::transform {

/// Functions by the names that they have in a module. None calls itself.
using InlinedFunctions = std::unordered_map<std::string_view, relax::FunctionRef>;

/// The module without these functions, each of whose calls is its body. `pass` is whose name new bindings' origins
/// carry.
Result<ir::Module> inlineFunctions(const ir::Module& module, Str pass, const InlinedFunctions& functions,
                                   const pass::PassContext& context);

}  // namespace rx::transform
