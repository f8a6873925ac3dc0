// Statistics of a tensor: what a debugger shows beside a value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/support/cancel.h"
#include "core/tensor/host_tensor.h"

namespace rx {

/// min, max and mean are those of the finite elements, and 0 where there are none.
struct TensorStats {
  int64_t count = 0;
  double min = 0;
  double max = 0;
  double mean = 0;
  int64_t nanCount = 0;
  int64_t infCount = 0;
  int64_t firstNonFinite = -1;  ///< row-major index, -1 when all are finite
  bool finite() const { return nanCount == 0 && infCount == 0; }
};

/// One pass over the elements; nothing when cancelled.
std::optional<TensorStats> tensorStats(const HostTensor& tensor, const CancelToken& token = {});

/// The largest absolute difference and where it is. Equal infinities and NaN beside NaN differ by 0; any other pair
/// with a non-finite side differs by infinity.
struct TensorDifference {
  double maxAbsolute = 0;
  int64_t index = -1;           ///< of the largest difference, -1 when there is none
  int64_t firstNonFinite = -1;  ///< first element where one side is not finite and the other differs
};
/// Fails with tensor.compare when shapes or types differ.
Result<TensorDifference> compareTensors(const HostTensor& a, const HostTensor& b);
/// The largest absolute difference from an expected result that counts as rounding: by its element type, in proportion
/// to its largest element where that is more than 1.
double roundingLimit(const HostTensor& expected);

/// The index of a row-major element: (1, 2) of element 5 of a (2, 3) tensor.
std::vector<int64_t> elementIndex(std::span<const int64_t> shape, int64_t element);

/// The first element of `got` that is further from that of `wanted` than their type rounds: by 2e-2 in half precision
/// and below, 1e-4 in single, 1e-7 in double precision, absolute and in proportion; other types have to be equal. NaN
/// is equal to NaN. -1 where there is none. Both have the same shape and type.
int64_t firstBeyondRounding(const HostTensor& got, const HostTensor& wanted);

}  // namespace rx
