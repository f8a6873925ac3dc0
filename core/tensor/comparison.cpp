#include "core/tensor/comparison.h"

#include <cmath>

#include "core/tensor/sample.h"

namespace rx {

Result<std::optional<Comparison>> compare(const HostTensor& left, const HostTensor& right, const CancelToken& token) {
  constexpr std::array kDistances = {Distance::Absolute, Distance::Relative, Distance::Ulp};
  constexpr int64_t kPollEvery = 1 << 16;
  std::vector<Elements> measures;
  for (const Distance distance : kDistances) {
    RX_TRY(elements, Elements::between(left, right, distance));
    measures.push_back(elements);
  }
  Comparison result;
  const Sample sample(left.count(), kComparisonBudget);
  result.looked = sample.size();
  for (int64_t k = 0; k < sample.size(); ++k) {
    if (k % kPollEvery == 0 && token.cancelled()) return std::optional<Comparison>();
    const int64_t i = sample[k];
    const double apart = measures.front().at(i);
    if (apart == 0) continue;
    ++result.different;
    if (!std::isfinite(apart)) {
      if (result.nonFinite++ == 0) result.firstNonFinite = i;
      continue;
    }
    for (size_t m = 0; m < measures.size(); ++m) {
      const double distance = m == 0 ? apart : measures[m].at(i);
      if (distance > result.worst[m].distance) result.worst[m] = {distance, i};
    }
  }
  return std::optional<Comparison>(result);
}

}  // namespace rx
