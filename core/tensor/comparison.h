// Comparison: how far two tensors of one shape are apart, by every measure at once.
#pragma once

#include <array>
#include <optional>

#include "core/support/cancel.h"
#include "core/tensor/elements.h"

namespace rx {

/// Elements that a comparison looks at; of more it takes a sample of that many.
inline constexpr int64_t kComparisonBudget = int64_t{1} << 22;

struct Comparison {
  /// The largest finite distance and where it is; -1 where all are 0.
  struct Worst {
    double distance = 0;
    int64_t index = -1;
  };
  int64_t looked = 0;
  int64_t different = 0;  ///< pairs that are not equal
  int64_t nonFinite = 0;  ///< of those, pairs with a side that is not finite
  int64_t firstNonFinite = -1;
  std::array<Worst, 3> worst;  ///< by Distance
  const Worst& of(Distance distance) const { return worst[static_cast<size_t>(distance)]; }
};

/// Fails as Elements::between does; nothing when cancelled.
Result<std::optional<Comparison>> compare(const HostTensor& left, const HostTensor& right,
                                          const CancelToken& token = {});

}  // namespace rx
