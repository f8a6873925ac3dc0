// Weights as constants of a module.
#pragma once

#include <string_view>

#include "core/ir/module.h"
#include "core/tensor/npy.h"

namespace rx::compile {

/// The module with these tensors in the place of the parameters of those names of a function, which takes them no more:
/// what they alone decide is computed when the module is compiled. Fails with pass.parameter, pass.unknown-function.
Result<ir::Module> withWeights(const ir::Module& module, std::string_view function,
                               const std::vector<NamedTensor>& weights);

}  // namespace rx::compile
