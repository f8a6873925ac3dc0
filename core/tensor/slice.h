// A part of a tensor, or a tensor with room behind it.
#pragma once

#include "core/tensor/host_tensor.h"

namespace rx {

/// Indices of an axis from `begin` to before `end`, neither negative.
struct IndexRange {
  int64_t begin = 0;
  int64_t end = 0;
};

/// The elements between indices of the first axes, all of the others; what lies behind the tensor's end is zero. Fails
/// with tensor.shape (more ranges than axes, a range that ends before it begins) or tensor.memory.
Result<Ref<HostTensor>> sliced(const HostTensor& tensor, std::span<const std::optional<IndexRange>> ranges);

}  // namespace rx
