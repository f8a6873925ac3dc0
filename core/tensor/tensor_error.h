// How far a tensor is from the one that it should be.
#pragma once

#include <cstdint>
#include <optional>

#include "core/tensor/host_tensor.h"

namespace rx {

/// By how much values of a type may differ where they are computed in another order, absolute and in proportion: 2e-2
/// in half precision and below, 1e-4 in single, 1e-7 in double precision; 0 for other types.
double roundingUnit(DataType dtype);

/// Whether an element is further from the wanted one than a unit, absolute and in proportion; NaN is equal to NaN, and
/// numbers that are no floats have to be equal where the unit is 0. Both tensors have the same shape and type.
bool isApart(const HostTensor& got, const HostTensor& wanted, int64_t element, double unit);

/// Differences of all elements. NaN beside NaN and equal infinities differ by 0, any other pair with a side that is not
/// finite by infinity.
struct TensorError {
  double maxAbsolute = 0;
  double maxRelative = 0;  ///< of what was wanted; infinity where that is 0
  double maxScaled = 0;    ///< largest difference over 1 + |what was wanted|: over the limit where an element is off
  double limit = 0;        ///< that `maxScaled` is held to
  int64_t count = 0;       ///< elements
  int64_t off = 0;         ///< of them further apart than the limit
  int64_t worst = -1;      ///< index of the largest difference, -1 where there is none
  bool identical = false;  ///< the same in every bit
  bool within() const { return off == 0; }
};

/// `limit`: how far an element may be off, absolute and in proportion to what was wanted; nothing: roundingUnit of the
/// type. Both tensors have the same shape and type.
TensorError tensorError(const HostTensor& got, const HostTensor& wanted, std::optional<double> limit = {});

}  // namespace rx
