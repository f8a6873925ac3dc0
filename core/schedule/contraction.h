// Sums of products: which of their axes are rows, lanes and sums of a block of registers.
#pragma once

#include "core/schedule/stage.h"

namespace rx::schedule {

/// A stage that adds up products. Each row takes one number of `spread` for a vector of `across`.
struct Contraction {
  tir::PrimExpr spread, across;
  std::vector<StageAxis> outer;  ///< of both operands, or of neither
  std::vector<StageAxis> rows;   ///< of `spread` alone; may be empty
  std::vector<StageAxis> lanes;  ///< of `across` alone
  std::vector<StageAxis> sums;
  /// Steps of the only lane axis are next to each other in memory, in what is read and what is written.
  bool acrossInOrder = false, storedInOrder = false;
  /// Both operands lie in the order of the last sum, and one of them is a vector: a sum at a time reads all in order.
  bool sumsInOrder = false;
  /// `across` is an element of a weight, of known size, which is worth to be laid out once for all runs.
  bool acrossReady = false;
};

/// The operands in the roles that cost less; or why it is none.
struct ContractionFinding {
  std::optional<Contraction> found;
  std::string_view why;
};
/// `weights`: buffers that hold the same in all runs, and that nothing but this stage reads.
ContractionFinding findContraction(const Stage& stage, std::span<const tir::BufferRef> weights = {});

/// The number of steps of all these axes; nothing where one is no number.
std::optional<int64_t> stepsOf(std::span<const StageAxis> axes);

}  // namespace rx::schedule
