#include "core/tensor/slice.h"

#include <algorithm>
#include <cstring>

namespace rx {

Result<Ref<HostTensor>> sliced(const HostTensor& tensor, std::span<const std::optional<IndexRange>> ranges) {
  if (ranges.size() > tensor.shape().size()) return fail("tensor.shape", "the tensor has not that many axes");
  std::vector<IndexRange> all;
  std::vector<int64_t> shape;
  for (size_t axis = 0; axis < tensor.shape().size(); ++axis) {
    const IndexRange whole{0, tensor.shape()[axis]};
    all.push_back(axis < ranges.size() ? ranges[axis].value_or(whole) : whole);
    const IndexRange& range = all.back();
    if (range.begin < 0 || range.end < range.begin) return fail("tensor.shape", "a range ends before it begins");
    shape.push_back(range.end - range.begin);
  }
  RX_TRY(result, HostTensor::allocate(shape, tensor.dtype()));
  if (result->count() == 0) return result;
  if (shape.empty()) return tensor.copy();
  // A run of elements along the last axis is copied at once; the others are counted through.
  const size_t last = shape.size() - 1;
  const int64_t there = tensor.shape()[last] - all[last].begin;
  const int64_t run = std::clamp<int64_t>(there, 0, shape[last]);
  std::vector<int64_t> at(shape.size(), 0);
  for (int64_t to = 0; to < result->count(); to += shape[last]) {
    int64_t from = 0;
    bool inside = run > 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      const int64_t index = at[axis] + all[axis].begin;
      inside = inside && index < tensor.shape()[axis];
      from = from * tensor.shape()[axis] + index;
    }
    if (inside)
      std::memcpy(result->mutableData() + to * tensor.elementBytes(), tensor.data() + from * tensor.elementBytes(),
                  static_cast<size_t>(run * tensor.elementBytes()));
    for (size_t axis = last; axis-- > 0;) {
      if (++at[axis] < shape[axis]) break;
      at[axis] = 0;
    }
  }
  return result;
}

}  // namespace rx
