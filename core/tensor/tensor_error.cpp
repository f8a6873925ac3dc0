#include "core/tensor/tensor_error.h"

#include <cmath>
#include <limits>

#include "core/support/assert.h"

namespace rx {

double roundingUnit(DataType dtype) {
  if (!dtype.isFloat()) return 0;
  return dtype.bits == 64 ? 1e-7 : dtype.bits == 32 ? 1e-4 : 2e-2;
}

TensorError tensorError(const HostTensor& got, const HostTensor& wanted, std::optional<double> limit) {
  RX_ASSERT(got.shape() == wanted.shape() && got.dtype() == wanted.dtype(), "two forms of tensors are compared");
  TensorError error;
  error.count = wanted.count();
  error.identical = got.identical(wanted);
  if (error.identical) return error;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double unit = limit.value_or(roundingUnit(wanted.dtype()));
  for (int64_t i = 0; i < error.count; ++i) {
    const double x = got.at(i), y = wanted.at(i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const bool finite = std::isfinite(x) && std::isfinite(y);
    const double distance = finite ? std::fabs(x - y) : kInfinity;
    const double relative = finite && y != 0 ? distance / std::fabs(y) : kInfinity;
    if (distance > error.maxAbsolute) error.maxAbsolute = distance, error.worst = i;
    if (relative > error.maxRelative) error.maxRelative = relative;
    if (!(distance <= unit + unit * std::fabs(y))) ++error.off;
  }
  return error;
}

}  // namespace rx
