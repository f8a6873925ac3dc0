// Survey: what a look at a whole tensor tells, at a bounded cost. A tensor of more elements than the budget is looked
// at in an even sample.
#pragma once

#include <optional>
#include <span>

#include "core/support/cancel.h"
#include "core/tensor/elements.h"

namespace rx {

/// Elements that a survey looks at; of more it takes a sample of that many.
inline constexpr int64_t kSurveyBudget = int64_t{1} << 20;

struct Survey {
  int64_t looked = 0;  ///< elements that were looked at, all or a sample
  int64_t nan = 0;     ///< of those
  int64_t positiveInf = 0;
  int64_t negativeInf = 0;
  int64_t zeros = 0;
  int64_t largest = -1;  ///< row-major index of the finite element of the largest magnitude, -1 without one
  double low = 0;        ///< ends of the histogram: the smallest and largest finite element
  double high = 0;
  std::vector<int64_t> bins;      ///< equally wide; of few integers one each; empty without finite elements
  std::vector<double> quantiles;  ///< of the finite elements, at the fractions that were asked for
};

/// Nothing when cancelled. `bins` is a wish: integers get no more than they have values.
std::optional<Survey> survey(const Elements& elements, int bins, std::span<const double> fractions,
                             const CancelToken& token = {});

/// What `findElement` looks for: an element that is not finite, or one from `low` to `high`.
struct ElementWish {
  bool nonFinite = true;
  double low = 0;
  double high = 0;
};
/// Elements that one search looks at before it says how far it is.
inline constexpr int64_t kSearchBudget = int64_t{1} << 24;

/// Where a search begins, and how far an earlier part of it went.
struct ElementSearch {
  int64_t from = -1;  ///< the element to start behind (before it when not `forward`)
  bool forward = true;
  int64_t looked = 0;  ///< elements that the parts before looked at
  int64_t budget = kSearchBudget;
};
struct FoundElement {
  int64_t index = -1;  ///< row-major, -1 where there was none so far
  int64_t looked = 0;  ///< elements that were looked at, those of earlier parts too: all of them at the end
};
/// The next such element in row-major order and around the end; `from` itself comes last. Ends at the budget: the next
/// part goes on at `looked`. Nothing when cancelled.
std::optional<FoundElement> findElement(const Elements& elements, const ElementWish& wish, const ElementSearch& search,
                                        const CancelToken& token = {});

}  // namespace rx
