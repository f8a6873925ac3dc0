#include "core/tensor/survey.h"

#include <algorithm>
#include <cmath>

#include "core/tensor/sample.h"

namespace rx {
namespace {

constexpr int64_t kPollEvery = 1 << 16;
constexpr int64_t kBlock = 1 << 12;  // elements read at once

size_t binOf(const Survey& survey, double value) {
  const double width = survey.high - survey.low;
  const auto bins = static_cast<double>(survey.bins.size());
  // Halves, since the width of all of float64 is no float64.
  const double part = std::isfinite(width) ? (value - survey.low) / width
                                           : (value / 2 - survey.low / 2) / (survey.high / 2 - survey.low / 2);
  return static_cast<size_t>(std::clamp(std::floor(part * bins), 0.0, bins - 1));
}

void fillBins(Survey* survey, const std::vector<double>& finite, int wanted, bool integral) {
  double bins = survey->high > survey->low ? std::max(wanted, 1) : 1;
  if (integral) {
    // One bin an integer, each from half below it to half above it.
    const double values = survey->high - survey->low + 1;
    if (values <= bins) {
      bins = values;
      survey->low -= 0.5;
      survey->high += 0.5;
    }
  }
  survey->bins.assign(static_cast<size_t>(bins), 0);
  for (const double value : finite) ++survey->bins[bins > 1 ? binOf(*survey, value) : 0];
}

}  // namespace

std::optional<Survey> survey(const Elements& elements, int bins, std::span<const double> fractions,
                             const CancelToken& token) {
  Survey result;
  const Sample sample(elements.count(), kSurveyBudget);
  result.looked = sample.size();
  std::vector<double> finite;
  finite.reserve(static_cast<size_t>(sample.size()));
  double magnitude = -1;
  for (int64_t k = 0; k < sample.size(); ++k) {
    if (k % kPollEvery == 0 && token.cancelled()) return std::nullopt;
    const int64_t i = sample[k];
    const double value = elements.at(i);
    if (std::isnan(value)) {
      ++result.nan;
    } else if (std::isinf(value)) {
      ++(value > 0 ? result.positiveInf : result.negativeInf);
    } else {
      result.zeros += value == 0;
      finite.push_back(value);
      if (std::fabs(value) <= magnitude) continue;
      magnitude = std::fabs(value);
      result.largest = i;
    }
  }
  if (finite.empty()) return result;
  std::sort(finite.begin(), finite.end());
  result.low = finite.front();
  result.high = finite.back();
  for (const double fraction : fractions) {
    const double at = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(finite.size() - 1);
    result.quantiles.push_back(finite[static_cast<size_t>(std::lround(at))]);
  }
  fillBins(&result, finite, bins, elements.dtype().isIntegral());
  return result;
}

std::optional<FoundElement> findElement(const Elements& elements, const ElementWish& wish, const ElementSearch& search,
                                        const CancelToken& token) {
  const int64_t count = elements.count();
  const auto wanted = [&](double value) {
    return wish.nonFinite ? !std::isfinite(value) : value >= wish.low && value <= wish.high;
  };
  std::vector<double> block(static_cast<size_t>(std::min(count, kBlock)));
  FoundElement found{-1, std::clamp<int64_t>(search.looked, 0, count)};
  const int64_t end = std::min(count, found.looked + std::max<int64_t>(search.budget, 1));
  const int64_t from = search.forward || search.from >= 0 ? search.from : count;
  while (found.looked < end) {
    if (token.cancelled()) return std::nullopt;
    // The block ends where the tensor does: behind it the search goes on at the other end.
    const int64_t far = search.forward ? from + 1 + found.looked : from - 1 - found.looked;
    const int64_t next = (far % count + count) % count;
    const int64_t room = search.forward ? count - next : next + 1;
    const int64_t length = std::min({room, end - found.looked, kBlock});
    elements.read(search.forward ? next : next - length + 1, length, block.data());
    const auto last = block.begin() + length;
    const int64_t before =
        search.forward ? std::find_if(block.begin(), last, wanted) - block.begin()
                       : std::find_if(std::reverse_iterator(last), block.rend(), wanted) - std::reverse_iterator(last);
    if (before < length) {
      found.index = search.forward ? next + before : next - before;
      found.looked += before + 1;
      return found;
    }
    found.looked += length;
  }
  return found;
}

}  // namespace rx
