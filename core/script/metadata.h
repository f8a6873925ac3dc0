// The metadata prologue of a text: constants as JSON in the form of TVM 0.22 and later.
#pragma once

#include <span>
#include <string>

#include "core/tensor/host_tensor.h"

namespace rx::script {

/// JSON of {"relax.expr.Constant": constants, "ffi.Tensor": tensors}, with `"` and `\` escaped for a Python string.
std::string metadataJson(std::span<const Ref<HostTensor>> constants, std::span<const Ref<HostTensor>> tensors);

}  // namespace rx::script
