// The functions of the pass rows, and how a pass goes over the functions of a module. Private to core/relay.
#pragma once

#include <functional>

#include "core/pass/pass.h"
#include "core/relay/infer.h"

namespace rx::relay {

#define RX_RELAY_PASS(Name, function, options, help) \
  Result<ir::Module> function(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context);
#include "core/relay/passes.def"

/// Rewrites the functions of Relay one by one; those that are compiled elsewhere (Compiler) or marked SkipOptimization
/// stay as they are.
Result<ir::Module> onFunctions(const ir::Module& module, pass::PassContext& context,
                               const std::function<Result<FunctionRef>(const FunctionRef&)>& rewrite);
/// The same, and types again: what a pass of functions ends with.
Result<ir::Module> onTypedFunctions(const ir::Module& module, pass::PassContext& context,
                                    const std::function<Result<FunctionRef>(const FunctionRef&)>& rewrite);

}  // namespace rx::relay
