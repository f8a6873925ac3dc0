// The function behind every row of passes.def.
#pragma once

#include "core/lower/scope.h"

namespace rx::lower {

#define RX_FUNCTION_PASS(Name, function, options, help) \
  Result<tir::PrimFuncRef> function(const tir::PrimFuncRef& func, Scope& scope);
#define RX_MODULE_PASS(Name, function, options, help) \
  Result<ir::Module> function(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context);
#include "core/lower/passes.def"

}  // namespace rx::lower
