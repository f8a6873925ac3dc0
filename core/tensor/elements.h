// Elements: the numbers that a view looks at, those of a tensor or what two tensors differ by.
#pragma once

#include "core/tensor/host_tensor.h"

namespace rx {

/// How far two numbers are apart. Equal numbers and NaN beside NaN differ by 0; any other pair with a side that is not
/// finite differs by infinity.
enum class Distance : uint8_t {
  Absolute,
  Relative,  ///< to the larger magnitude of the two
  Ulp,       ///< numbers of the left's type that lie between; of integers the plain difference
};

double distanceOf(Distance distance, DataType dtype, double left, double right);

/// A tensor, or the distance of two of the same shape. Both outlive it.
class Elements {
 public:
  explicit Elements(const HostTensor& tensor) : left_(tensor) {}
  /// Fails with tensor.compare where the shapes differ. The types may: the right's numbers are rounded to the left's.
  static Result<Elements> between(const HostTensor& left, const HostTensor& right, Distance distance);

  const std::vector<int64_t>& shape() const { return left_.shape(); }
  int64_t count() const { return left_.count(); }
  /// The element type of what at() answers; float64 for distances.
  DataType dtype() const { return right_ ? DataType::Float(64) : left_.dtype(); }
  double at(int64_t i) const {
    return right_ ? distanceOf(distance_, left_.dtype(), left_.at(i), rightAt(i)) : left_.at(i);
  }
  /// Elements `begin` to `begin + count`; of a tensor by itself much faster than one by one.
  void read(int64_t begin, int64_t count, double* out) const;

 private:
  double rightAt(int64_t i) const;
  const HostTensor& left_;
  const HostTensor* right_ = nullptr;
  Distance distance_ = Distance::Absolute;
};

}  // namespace rx
