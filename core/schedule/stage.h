// Stages: the blocks of a kernel as rules for processors look at them: one nest of loops that stores one element a
// step.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/arith/equal.h"
#include "core/ir/stmt.h"
#include "core/schedule/choices.h"
#include "core/target/target.h"

namespace rx::schedule {

/// An axis of a stage; one of a single step is no axis.
struct StageAxis {
  tir::VarRef var;
  tir::PrimExpr extent;
  bool reduces = false;

  std::optional<int64_t> steps() const { return tir::asInt(extent); }
  /// What is reckoned with where only a run knows the number.
  int64_t usualSteps() const { return steps().value_or(kUsualSteps); }
  static constexpr int64_t kUsualSteps = 128;
};

/// The axis that the expression is; null where it is none of them.
const StageAxis* axisOf(std::span<const StageAxis> axes, const tir::PrimExpr& expr);

/// store[indices] = value for all places of the axes; where it reduces, store[indices] starts as `init` and `value`
/// reads it.
struct Stage {
  Str name;
  std::vector<StageAxis> axes;  ///< in the order of the block
  tir::BufferRef buffer;
  std::vector<tir::PrimExpr> indices;
  tir::PrimExpr value, init;  ///< init: null where nothing is reduced

  bool reduces() const { return init != nullptr; }
  /// Whether rules can count the steps: no axis is known to have none, and all are of one type.
  bool isCountable() const;
  /// About how many steps the axes have together that reduce, or the others.
  int64_t usualSteps(bool reducing) const;
};

/// The stages of a statement, one for each store of its block; none where it has another form: a block that is not
/// right below its loops, a predicate, other statements than names for values and stores, a store that reads what
/// another one writes, axes that are no loops from zero, an init at another place.
std::vector<Stage> stagesOf(const tir::Stmt& statement);
/// The only one; nothing where there is none, or several.
std::optional<Stage> stageOf(const tir::Stmt& statement);

/// The stores of a block that reduces several values together, as an arg-maximum does: each step makes all of them of
/// what was there before it. All are of the same axes and at the same indices. None where the statement has another
/// form.
std::vector<Stage> coupledStagesOf(const tir::Stmt& statement);

/// How a stage reduces: each step takes what is there and what the step brings.
struct StageReduction {
  Kind kind;           ///< of the binary operation
  tir::PrimExpr step;  ///< what a step brings
};
/// Nothing where the stage reduces in another form.
std::optional<StageReduction> reductionOf(const Stage& stage);

/// What rules say where they can not count, and those that need all sizes.
constexpr const char* kNotCountable = "the size of an axis is zero, or they are of several types";
constexpr const char* kOrderIsFixed = "sums are to be made in their order";
constexpr const char* kSizeNotKnown = "the size of an axis is not known";
/// The stage where a size is this number.
Stage atSize(const Stage& stage, const tir::VarRef& size, int64_t number);

/// The width and number of the vector registers of a target, and how sums are made in them.
struct VectorShape {
  int64_t bits = 128;
  int64_t registers = 16;
  bool fused = true;     ///< a product and a sum are one instruction
  bool inOrder = false;  ///< the steps of a sum are added up in their order
  /// What is added up in one or a few instructions: four products of bytes, an unsigned and a signed one each; two of
  /// bfloat16.
  bool byteDots = false, halfDots = false;
  bool byteTiles = false, halfTiles = false;  ///< the same by registers of tiles
  /// First data cache and second cache of a core, by which blocks are sized.
  int64_t cacheBytes[2] = {kUsualCaches[0], kUsualCaches[1]};
  static constexpr int64_t kUsualCaches[2] = {int64_t{48} << 10, int64_t{1} << 20};
  Choices choices = {};  ///< what rules are told to choose
  /// Threads that share the sums of a single place, each a part of them: how they round depends on this number.
  int64_t sumThreads = 1;
  int64_t lanes(DataType type) const { return std::max<int64_t>(bits / std::max<int64_t>(type.bits, 8), 1); }
};
/// Of a target that names no processor: what the processor that runs this has.
VectorShape vectorShapeOf(const target::Target& target);

/// Whether steps of the axis are steps of one element in the memory that the indices name.
bool isUnitStride(std::span<const tir::PrimExpr> indices, const tir::Var& axis);
/// Whether some of the indices go along the axis.
bool goAlong(std::span<const tir::PrimExpr> indices, const tir::Var& axis);
/// How many elements an access at these indices is of, about: the places of the axes that they use.
double elementsOf(const Stage& stage, std::span<const tir::PrimExpr> indices);
/// Whether the axes are the last indices, in this order, and fill those dimensions: together they are steps of one
/// element.
bool fillsLast(std::span<const StageAxis> axes, std::span<const tir::PrimExpr> indices, const tir::Buffer& buffer);
/// A block without axes around the statement, which says what it reads and writes: all of each buffer from outside.
tir::Stmt inBlock(Str name, tir::Stmt body);

}  // namespace rx::schedule
