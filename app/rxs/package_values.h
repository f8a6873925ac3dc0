// Values from what packages give: tensors, one after the other.
#pragma once

#include <span>
#include <vector>

#include "core/ir/relax.h"
#include "core/runtime/value.h"

namespace rx::cli {

/// The value of that type whose tensors stand at the front of `tensors`, which moves on. Fails with export.run where
/// they end too early or are not of the type.
Result<vm::Value> takeValue(const relax::StructInfo& info, std::span<const Ref<HostTensor>>& tensors);

}  // namespace rx::cli
