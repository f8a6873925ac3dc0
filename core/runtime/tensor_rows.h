// The rows of a tensor along one of its axes, for builtins that sort, search or compare along it.
#pragma once

#include <optional>

#include "core/support/result.h"
#include "core/tensor/host_tensor.h"

namespace rx::vm {

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
    for (size_t d = static_cast<size_t>(given) + 1; d < tensor.shape().size(); ++d) rows.stride *= tensor.shape()[d];
    rows.count = rows.extent ? tensor.count() / rows.extent : 0;
    return rows;
  }
};

}  // namespace rx::vm
