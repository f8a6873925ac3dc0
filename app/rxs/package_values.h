// Values as packages take and give them: tensors, one after the other.
#pragma once

#include <span>
#include <vector>

#include "core/ir/relax.h"
#include "core/runtime/value.h"

namespace rx::cli {

/// Appends a tensor for each item of a tuple, a vector for a shape, one element for a number. Nests as deep as the type
/// of the function. Fails with export.unsupported for any other value.
Result<Unit> addTensors(const vm::Value& value, std::vector<Ref<HostTensor>>& out);

/// The value of that type whose tensors stand at the front of `tensors`, which moves on. Fails with export.run where
/// they end too early or are not of the type.
Result<vm::Value> takeValue(const relax::StructInfo& info, std::span<const Ref<HostTensor>>& tensors);

}  // namespace rx::cli
