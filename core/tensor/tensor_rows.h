// The rows of a tensor along one of its axes, for who sorts, searches or compares along it; and its strides.
#pragma once

#include <cmath>
#include <optional>

#include "core/support/result.h"
#include "core/tensor/host_tensor.h"

namespace rx {

/// Elements from one step along an axis to the next: tensors are compact.
inline int64_t strideOf(const HostTensor& tensor, size_t axis) {
  int64_t stride = 1;
  for (size_t i = tensor.shape().size(); --i > axis;) stride *= tensor.shape()[i];
  return stride;
}

/// The order of floats along a row: not-a-number is the largest.
inline bool isLess(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

/// Element j of row r is at base(r) + j * stride; at(j, r) by its slice j, which has one element of each row.
struct TensorRows {
  int64_t extent = 1;
  int64_t stride = 1;
  int64_t count = 1;
  int64_t base(int64_t row) const { return row / stride * stride * extent + row % stride; }
  int64_t at(int64_t slice, int64_t row) const { return base(row) + slice * stride; }

  /// Without an axis the whole tensor is one row. A negative one counts from the end. Fails with vm.axis.
  static Result<TensorRows> of(const HostTensor& tensor, std::optional<int64_t> axis) {
    if (!axis) return TensorRows{tensor.count(), 1, 1};
    const int64_t given = *axis < 0 ? *axis + tensor.rank() : *axis;
    if (given < 0 || given >= tensor.rank())
      return fail("vm.axis", fmt::format("axis {} of a tensor {}", *axis, shapeText(tensor.shape())));
    TensorRows rows;
    rows.extent = tensor.shape()[static_cast<size_t>(given)];
    rows.stride = strideOf(tensor, static_cast<size_t>(given));
    rows.count = rows.extent ? tensor.count() / rows.extent : 0;
    return rows;
  }
};

}  // namespace rx
