// Sums of products with a buffer that has zeros between its elements, as transposed convolutions of more than one step
// are written: the places of each remainder by the step meet other elements, and take the products of these alone.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "core/schedule/stage.h"

namespace rx::schedule {

/// What becomes of such a sum, and of the stages that it alone reads.
struct WithoutZeros {
  /// In their order, in the place of the sum; none where `why` says which condition failed, or the sum is no such one.
  std::vector<Stage> stages;
  /// Lays the other operand out with its lanes side by side; runs before them.
  std::optional<Stage> layout;
  std::vector<tir::BufferRef> own;   ///< what they hand on
  std::vector<tir::BufferRef> gone;  ///< what nobody uses any more
  std::vector<size_t> replaced;      ///< the stages that go, the sum among them
  std::string why;
};

/// `readers(buffer)`: the stages that read a buffer which nobody outside sees; nothing of another buffer. A statement
/// that is no stage counts as one.
WithoutZeros withoutZeros(std::span<const std::optional<Stage>> stages, size_t sum,
                          const std::function<std::optional<std::vector<size_t>>(const tir::BufferRef&)>& readers);

}  // namespace rx::schedule
