// Values as tensors, for what takes and gives nothing else: the interface of packages.
#pragma once

#include <span>
#include <vector>

#include "core/runtime/value.h"

namespace rx::vm {

/// The tensors of the values in order: the items of tuples one after the other, a shape as a vector of int64, a number
/// as a tensor of one element; none for null. Fails with vm.form for what has no such form.
Result<std::vector<Ref<HostTensor>>> tensorsOf(std::span<const Value> values);

}  // namespace rx::vm
