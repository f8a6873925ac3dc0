// Strides of shared memory that keep the threads of a warp in different memory banks.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/lower/copy_rules.h"

namespace rx::lower {

/// What the copies of a kernel say about each buffer in shared memory.
class BankPadding {
 public:
  /// Takes the accesses of a copy, whose loops are `around` it and in it.
  void take(const tir::Stmt& body, std::span<const Ref<tir::For>> around, const ThreadExtents& threads);
  /// The padding is a multiple of so many elements at least.
  void atLeast(const tir::BufferRef& buffer, int64_t elements);
  /// The buffer with strides, its rows padded for the fewest conflicts; the very same one where no access is known.
  tir::BufferRef padded(const tir::BufferRef& buffer) const;

 private:
  friend class WarpAccesses;
  /// For each dimension, the indices of the threads of one warp.
  using Places = std::vector<std::vector<int64_t>>;
  std::unordered_map<const tir::Buffer*, std::vector<Places>> accesses_;
  std::unordered_map<const tir::Buffer*, int64_t> least_;
};

}  // namespace rx::lower
