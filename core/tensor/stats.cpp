#include "core/tensor/stats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/tensor/element_block.h"
#include "core/tensor/tensor_error.h"

namespace rx {

namespace {

/// Elements that are looked at between two looks at the cancellation.
constexpr int64_t kBlock = 1 << 12;

/// What finite elements come to.
struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double sum = 0;

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
  }
};

/// Adds a block of elements in lanes that the processor takes at once; false, and nothing added, where its sum is not
/// finite, as it is where an element is not.
template <class T>
bool addBlock(const std::byte* data, int64_t count, Extent& extent) {
  constexpr int64_t kLanes = 8;
  T low[kLanes], high[kLanes];
  double sum[kLanes] = {};
  std::fill_n(low, kLanes, std::numeric_limits<T>::infinity());
  std::fill_n(high, kLanes, -std::numeric_limits<T>::infinity());
  Extent block;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    T values[kLanes];
    std::memcpy(values, data + i * static_cast<int64_t>(sizeof(T)), sizeof values);
    for (int64_t k = 0; k < kLanes; ++k) {
      low[k] = values[k] < low[k] ? values[k] : low[k];
      high[k] = values[k] > high[k] ? values[k] : high[k];
      sum[k] += static_cast<double>(values[k]);
    }
  }
  for (int64_t k = 0; k < kLanes; ++k) {
    block.low = std::min<double>(block.low, low[k]);
    block.high = std::max<double>(block.high, high[k]);
    block.sum += sum[k];
  }
  for (; i < count; ++i) {
    T value;
    std::memcpy(&value, data + i * static_cast<int64_t>(sizeof(T)), sizeof value);
    block.add(static_cast<double>(value));
  }
  if (!std::isfinite(block.sum)) return false;
  extent.low = std::min(extent.low, block.low);
  extent.high = std::max(extent.high, block.high);
  extent.sum += block.sum;
  return true;
}

}  // namespace

std::optional<TensorStats> tensorStats(const HostTensor& tensor, const CancelToken& token) {
  TensorStats stats;
  stats.count = tensor.count();
  if (!isStorable(tensor.dtype())) return stats;
  const bool single = tensor.dtype() == DataType::Float(32);
  Extent extent;
  std::array<double, kBlock> block;
  for (int64_t begin = 0; begin < stats.count; begin += kBlock) {
    if (token.cancelled()) return std::nullopt;
    const int64_t length = std::min(stats.count - begin, kBlock);
    if (single && addBlock<float>(tensor.data() + begin * tensor.elementBytes(), length, extent)) continue;
    readElements(tensor, begin, length, block.data());
    if (!single && addBlock<double>(reinterpret_cast<const std::byte*>(block.data()), length, extent)) continue;
    for (int64_t i = 0; i < length; ++i) {
      const double value = block[static_cast<size_t>(i)];
      if (std::isfinite(value)) {
        extent.add(value);
        continue;
      }
      (std::isnan(value) ? stats.nanCount : stats.infCount) += 1;
      if (stats.firstNonFinite < 0) stats.firstNonFinite = begin + i;
    }
  }
  const int64_t finite = stats.count - stats.nanCount - stats.infCount;
  if (finite > 0) {
    stats.min = extent.low;
    stats.max = extent.high;
    stats.mean = extent.sum / static_cast<double>(finite);
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

std::vector<int64_t> elementIndex(std::span<const int64_t> shape, int64_t element) {
  std::vector<int64_t> index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 0) continue;
    index[axis] = element % shape[axis];
    element /= shape[axis];
  }
  return index;
}

int64_t firstBeyondRounding(const HostTensor& got, const HostTensor& wanted) {
  RX_ASSERT(got.shape() == wanted.shape() && got.dtype() == wanted.dtype(), "two forms of tensors are compared");
  const double unit = roundingUnit(got.dtype());
  for (int64_t i = 0; i < got.count(); ++i)
    if (isApart(got, wanted, i, unit)) return i;
  return -1;
}

}  // namespace rx
