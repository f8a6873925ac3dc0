// Weights of a module: which parameters they are, and they themselves as constants.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/module.h"
#include "core/tensor/npy.h"

namespace rx::compile {

/// Of the parameters of a function the first `count` are inputs, which each call brings, and the others weights.
struct InputCount {
  std::string function;
  int64_t count = 0;
};
/// Reads "FUNCTION=N"; fails with pass.num-input where it is no such text.
Result<InputCount> readInputCount(std::string_view text);
/// The module whose functions say so with `num_input`, in the place of what they said: whatever tells inputs and
/// weights apart goes by it. Functions keep their bodies. Fails with pass.num-input where a function has not so many
/// parameters, or none would be an input.
Result<ir::Module> withInputCounts(const ir::Module& module, const std::vector<InputCount>& counts);

/// The module with these tensors in the place of the parameters of those names of a function, which takes them no more:
/// what they alone decide is computed when the module is compiled. Fails with pass.parameter, pass.unknown-function.
Result<ir::Module> withWeights(const ir::Module& module, std::string_view function,
                               const std::vector<NamedTensor>& weights);

}  // namespace rx::compile
