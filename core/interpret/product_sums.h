// Sums of products at once: what the loops of a ProductSum do, in the order in which they do it for each element.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/interpret/program.h"
#include "core/interpret/view.h"

namespace rx::interpret {

struct SumNest {
  struct Loop {
    int64_t extent;            ///< 1 at least
    int64_t out, left, right;  ///< elements from a step to the next
    bool moves;                ///< whether it goes on to another element of the result; else `out` is 0
  };
  std::vector<Loop> loops;  ///< the outermost first
  float* out;               ///< these three: the elements of the first step; no result is an operand
  const float* left;
  const float* right;
  std::optional<float> begin;
  int64_t products;
  /// Instructions that the loops take for a product at least: three loads, product, sum, store, next.
  static constexpr int64_t kInstructions = 7;
  int64_t steps() const { return products * kInstructions; }
};

/// The nest of a ProductSum where it runs, its registers and buffers in `registers` and `views`. Nothing where its
/// loops have to be done one by one: they have no step, a step is outside of a buffer, or the result is an operand.
std::optional<SumNest> nestOf(const ProductSum& sum, std::span<const View> views, std::span<const Reg> registers);
/// Each element of the result gets its products in the order of the loops, each product and each sum rounded: what the
/// loops give one by one. Asks `goesOn` now and then; false where that says no.
bool sumProducts(const SumNest& nest, const std::function<bool()>& goesOn);

}  // namespace rx::interpret
