// Many elements of one type at once.
#pragma once

#include "core/tensor/host_tensor.h"

namespace rx {

/// `count` elements of a tensor from `begin` on, each `stride` behind the last, into `out`; not range-checked. The type
/// is looked at once, not once an element.
void readElements(const HostTensor& tensor, int64_t begin, int64_t count, double* out, int64_t stride = 1);

}  // namespace rx
