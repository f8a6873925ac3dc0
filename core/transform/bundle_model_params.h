// Parameters behind the first `num_input` ones as one tuple.
#pragma once

#include "core/build/module_context.h"
#include "core/support/result.h"

namespace rx::transform {

/// The function with its weights as fields of a last parameter `name`; a function that does not say `num_input` stays.
Result<relax::FunctionRef> bundleModelParams(const relax::FunctionRef& function, std::string_view name,
                                             build::ModuleContext& context);

}  // namespace rx::transform
