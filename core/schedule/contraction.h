// Sums of products: which of their axes are rows, lanes and sums of a block of registers.
#pragma once

#include "core/schedule/stage.h"

namespace rx::schedule {

/// A stage that adds up products. Each row takes one number of `spread` for a vector of `across`.
struct Contraction {
  tir::PrimExpr spread, across;
  DataType type;                 ///< of the sums, and of both: float32 for float16 and bfloat16
  std::vector<StageAxis> outer;  ///< of both operands, or of neither
  std::vector<StageAxis> rows;   ///< of `spread` alone; may be empty
  std::vector<StageAxis> lanes;  ///< of `across` alone
  std::vector<StageAxis> sums;
  /// Steps of the lane axes, together one, are next to each other in memory: in what is read; and, where there is only
  /// one such axis, in what is written.
  bool acrossInOrder = false, storedInOrder = false;
  /// Both operands lie in the order of the last sum, and one of them is a vector: a sum at a time reads all in order.
  bool sumsInOrder = false;
  /// Both operands lie in the order of an axis that both have, as channels that do not mix do.
  bool sharedInOrder = false;
  /// `across` is made of an element of a weight alone, of known size, which is worth to be laid out once for all runs.
  bool acrossReady = false;
};

/// The operands in the roles that cost less; or why it is none.
struct ContractionFinding {
  std::optional<Contraction> found;
  std::string_view why;
};
/// `weights`: buffers that hold the same in all runs, and that nothing but this stage reads.
ContractionFinding findContraction(const Stage& stage, std::span<const tir::BufferRef> weights = {});

/// The only element that the expression reads; null where there is none, or are several.
const tir::BufferLoad* onlyLoad(const tir::PrimExpr& expr);
/// How many steps of the axis find the same element: the divisor in the only index that has the axis. One where that
/// is the axis itself, nothing where it is another expression.
std::optional<int64_t> stepsOfElement(const tir::BufferLoad& load, const tir::Var& axis);
/// The numbers in a word: the fewest steps for which an element is read. Nothing where what is read has another form.
std::optional<int64_t> numbersOfWord(const tir::PrimExpr& matrix, const tir::Var& axis);
/// Brings the line of memory that holds the element into the nearest cache.
tir::Stmt fetchedElement(const tir::PrimExpr& element);
/// Fetches what `across` reads in the order of the lanes, at these places, for a later step of the sum.
tir::Stmt fetched(const Contraction& roles, const arith::VarMap& places);
/// Sums that rules may make: of float32, float64 and int32, and where their order is free of float16 and bfloat16, in
/// float32.
/// The type in which they are made; nothing for others.
std::optional<DataType> typeOfSums(DataType type);

/// The number of steps of all these axes; nothing where one is no number.
std::optional<int64_t> stepsOf(std::span<const StageAxis> axes);

}  // namespace rx::schedule
