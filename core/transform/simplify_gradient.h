// Transposed products, which gradients of matrix products are full of.
#pragma once

#include "core/build/module_context.h"
#include "core/support/result.h"

namespace rx::transform {

/// The function with transposed products as products of transposed factors, without factors that are transposed twice.
Result<relax::FunctionRef> simplifyGradient(const relax::FunctionRef& function, build::ModuleContext& context,
                                            const ir::IRModule* module);

}  // namespace rx::transform
