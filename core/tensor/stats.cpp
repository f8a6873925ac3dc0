#include "core/tensor/stats.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rx {

std::optional<TensorStats> tensorStats(const HostTensor& tensor, const CancelToken& token) {
  constexpr int64_t kPollEvery = 1 << 16;
  TensorStats stats;
  stats.count = tensor.count();
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  double sum = 0;
  if (!isStorable(tensor.dtype())) return stats;
  for (int64_t begin = 0; begin < stats.count; begin += kPollEvery) {
    if (token.cancelled()) return std::nullopt;
    const int64_t end = std::min(stats.count, begin + kPollEvery);
    for (int64_t i = begin; i < end; ++i) {
      const double value = tensor.at(i);
      if (std::isfinite(value)) {
        low = std::min(low, value);
        high = std::max(high, value);
        sum += value;
        continue;
      }
      (std::isnan(value) ? stats.nanCount : stats.infCount) += 1;
      if (stats.firstNonFinite < 0) stats.firstNonFinite = i;
    }
  }
  const int64_t finite = stats.count - stats.nanCount - stats.infCount;
  if (finite > 0) {
    stats.min = low;
    stats.max = high;
    stats.mean = sum / static_cast<double>(finite);
  }
  return stats;
}

Result<TensorDifference> compareTensors(const HostTensor& a, const HostTensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) {
    return fail("tensor.compare",
                fmt::format("{} of \"{}\" can not be compared with {} of \"{}\"", shapeText(a.shape()), a.dtype().str(),
                            shapeText(b.shape()), b.dtype().str()));
  }
  TensorDifference difference;
  for (int64_t i = 0; i < a.count(); ++i) {
    const double x = a.at(i);
    const double y = b.at(i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    double distance = std::fabs(x - y);
    if (!std::isfinite(distance)) {
      distance = std::numeric_limits<double>::infinity();
      if (difference.firstNonFinite < 0) difference.firstNonFinite = i;
    }
    if (distance > difference.maxAbsolute) {
      difference.maxAbsolute = distance;
      difference.index = i;
    }
  }
  return difference;
}

double roundingLimit(const HostTensor& expected) {
  const DataType dtype = expected.dtype();
  const double unit = dtype == DataType::Float(64)   ? 1e-9
                      : dtype == DataType::Float(32) ? 1e-5
                      : dtype.isFloat()              ? 2e-2
                                                     : 0;
  const TensorStats scale = tensorStats(expected).value_or(TensorStats{});
  return unit * std::max({1.0, std::fabs(scale.min), std::fabs(scale.max)});
}

}  // namespace rx
