#include "core/tensor/tensor_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/support/assert.h"
#include "core/tensor/elements.h"

namespace rx {

double roundingUnit(DataType dtype) {
  if (!dtype.isFloat()) return 0;
  return dtype.bits == 64 ? 1e-7 : dtype.bits == 32 ? 1e-4 : 2e-2;
}

bool isApart(const HostTensor& got, const HostTensor& wanted, int64_t element, double unit) {
  if (unit == 0 && !got.dtype().isFloat()) return got.intAt(element) != wanted.intAt(element);
  const double x = got.at(element), y = wanted.at(element);
  if (x == y || (std::isnan(x) && std::isnan(y))) return false;
  return !std::isfinite(x) || !std::isfinite(y) || std::fabs(x - y) > unit + unit * std::fabs(y);
}

TensorError tensorError(const HostTensor& got, const HostTensor& wanted, std::optional<double> limit) {
  RX_ASSERT(got.shape() == wanted.shape() && got.dtype() == wanted.dtype(), "two forms of tensors are compared");
  TensorError error;
  error.count = wanted.count();
  error.limit = limit.value_or(roundingUnit(wanted.dtype()));
  error.identical = got.identical(wanted);
  if (error.identical) return error;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < error.count; ++i) {
    if (isApart(got, wanted, i, error.limit)) ++error.off;
    const double y = wanted.at(i), distance = distanceOf(Distance::Absolute, wanted.dtype(), got.at(i), y);
    if (distance == 0) continue;
    const double relative = y != 0 && std::isfinite(distance) ? distance / std::fabs(y) : kInfinity;
    if (distance > error.maxAbsolute) error.maxAbsolute = distance, error.worst = i;
    if (relative > error.maxRelative) error.maxRelative = relative;
    error.maxScaled = std::max(error.maxScaled, std::isfinite(distance) ? distance / (1 + std::fabs(y)) : kInfinity);
  }
  return error;
}

}  // namespace rx
