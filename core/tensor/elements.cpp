#include "core/tensor/elements.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "core/tensor/element_block.h"

namespace rx {
namespace {

/// A floating-point number as an integer in the order of the numbers, so that neighbours differ by 1.
int64_t ordered(DataType dtype, double value) {
  if (const FloatFormat* format = smallFloatFormat(dtype)) {
    const uint32_t bits = encodeFloat(*format, value);
    const uint32_t sign = format->hasSign ? uint32_t{1} << (format->bits - 1) : 0;
    return bits & sign ? -static_cast<int64_t>(bits & ~sign) : static_cast<int64_t>(bits);
  }
  if (dtype.bits == 32) {
    const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
    return bits >> 31 ? -static_cast<int64_t>(bits & 0x7fffffffu) : static_cast<int64_t>(bits);
  }
  const auto bits = std::bit_cast<uint64_t>(value);
  return bits >> 63 ? -static_cast<int64_t>(bits & ~(uint64_t{1} << 63)) : static_cast<int64_t>(bits);
}

/// Exact where the integers of float64 are further apart than an int64 holds.
double between(int64_t a, int64_t b) {
  const auto low = static_cast<uint64_t>(std::min(a, b)), high = static_cast<uint64_t>(std::max(a, b));
  return static_cast<double>(high - low);
}

}  // namespace

double distanceOf(Distance distance, DataType dtype, double left, double right) {
  if (left == right || (std::isnan(left) && std::isnan(right))) return 0;
  if (!std::isfinite(left) || !std::isfinite(right)) return std::numeric_limits<double>::infinity();
  const double apart = std::fabs(left - right);
  switch (distance) {
    case Distance::Absolute:
      return apart;
    case Distance::Relative:
      return apart / std::max(std::fabs(left), std::fabs(right));
    case Distance::Ulp:
      if (!dtype.isFloat()) return apart;
      return between(ordered(dtype, left), ordered(dtype, right));
  }
  return apart;
}

Result<Elements> Elements::between(const HostTensor& left, const HostTensor& right, Distance distance) {
  if (left.shape() != right.shape())
    return fail("tensor.compare", fmt::format("a tensor of shape {} can not be compared with one of shape {}",
                                              shapeText(left.shape()), shapeText(right.shape())));
  for (const HostTensor* side : {&left, &right})
    if (!isStorable(side->dtype()))
      return fail("tensor.compare", fmt::format("elements of \"{}\" are no numbers", side->dtype().str()));
  Elements elements(left);
  elements.right_ = &right;
  elements.distance_ = distance;
  return elements;
}

void Elements::read(int64_t begin, int64_t count, double* out) const {
  if (!right_) return readElements(left_, begin, count, out);
  for (int64_t i = 0; i < count; ++i) out[i] = at(begin + i);
}

double Elements::rightAt(int64_t i) const {
  const double value = right_->at(i);
  if (right_->dtype() == left_.dtype() || !left_.dtype().isFloat()) return value;
  std::array<std::byte, 8> rounded{};
  writeElement(left_.dtype(), rounded.data(), value);
  return readElement(left_.dtype(), rounded.data());
}

}  // namespace rx
