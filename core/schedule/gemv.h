// Products of a matrix and a vector: how rules find them and bring them to one form.
#pragma once

#include <optional>

#include "core/schedule/kernel_blocks.h"

namespace rx::schedule {

/// A kernel whose main block is such a product, what is behind it, and the vectors that it reads.
struct GemvKernel {
  BlockInfo main;
  std::optional<BlockInfo> epilogue;
  std::vector<tir::BufferRef> vectors;
};
/// The kernel's blocks inlined as far as they can; or why it is no such product.
struct GemvFinding {
  std::optional<GemvKernel> kernel;
  std::string_view why;
};
GemvFinding findGemv(Schedule& schedule);

/// Brings the loops of the main block to batches, places, sums and a group of them within one value. Gives whether the
/// matrix lies with its sums innermost; nothing where it can not be brought to that form.
Result<std::optional<bool>> normalizeGemv(Schedule& schedule, const BlockInfo& main);

}  // namespace rx::schedule
