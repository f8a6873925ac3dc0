// Loops that do nothing but add products up, as most of what a network computes, recognised: for who does them at once.
#pragma once

#include <optional>
#include <vector>

#include "core/lower/loop_nest.h"

namespace rx::lower {

/// Loops, one in the other, in which each step adds a product to an element, out[..] += left[..] * right[..], in
/// float32 and without predicates. Their variables begin at constants, and nothing else in an index or an extent
/// changes in them, fails, or depends on what memory holds.
struct ProductLoops {
  struct Operand {
    tir::BufferRef buffer;
    Array<tir::PrimExpr> indices;
    std::vector<std::vector<int64_t>> steps;  ///< by index, by loop: what a step adds to the index

    /// Whether a step of this loop goes to another element.
    bool moves(size_t loop) const;
  };
  std::vector<Ref<tir::For>> loops;  ///< from the outermost
  Operand out, left, right;
  /// What an element is before its first product, once; what it holds, where that is nothing.
  std::optional<float> begin;
};

/// Nothing where the loops are others.
std::optional<ProductLoops> productLoops(const tir::For& outermost);

}  // namespace rx::lower
