// The function behind every row of passes.def.
#pragma once

#include "core/pass/pass.h"

namespace rx::transform {

#define RX_PASS(Name, function, options, contract, level, help) \
  Result<ir::Module> function(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context);
#include "core/transform/passes.def"

}  // namespace rx::transform
