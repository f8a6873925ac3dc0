// One rewriting for all calls of a function.
#pragma once

#include <functional>

#include "core/build/block_builder.h"

namespace rx::transform {

/// What stands in the place of a call whose arguments are rewritten already; null where the call stays.
using CallUpdate = std::function<relax::Expr(const relax::Call&, build::BlockBuilder&)>;
Result<relax::FunctionRef> rewriteCalls(const relax::FunctionRef& function, Str pass, build::ModuleContext& context,
                                        const CallUpdate& update);

}  // namespace rx::transform
