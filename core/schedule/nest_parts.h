// The parts that nests of vectors are put together from.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/arith/equal.h"
#include "core/schedule/stage.h"

namespace rx::schedule {

/// One element of a buffer.
tir::PrimExpr elementOf(const tir::BufferRef& buffer, std::vector<tir::PrimExpr> indices);
tir::Stmt storeTo(const tir::BufferRef& buffer, std::vector<tir::PrimExpr> indices, tir::PrimExpr value);
/// a * b + c, rounded once.
tir::PrimExpr fusedMultiplyAdd(tir::PrimExpr a, tir::PrimExpr b, tir::PrimExpr c);
/// The expression with `made(load)` in the place of each load of the buffer.
tir::PrimExpr withLoads(const tir::PrimExpr& expr, const tir::Buffer& buffer,
                        const std::function<tir::PrimExpr(const tir::BufferLoad&)>& made);

/// What indices come to where axes stand for these places.
std::vector<tir::PrimExpr> indicesAt(std::span<const tir::PrimExpr> indices, const arith::VarMap& places);
/// Stores a value, which is of axes as well, where the stage stores at these places.
tir::Stmt storeAt(const Stage& stage, const arith::VarMap& places, const tir::PrimExpr& value);
/// The axes without those of these variables: those of places, and those that are reduced.
struct OtherAxes {
  std::vector<StageAxis> places, reduced;
};
OtherAxes axesWithout(std::span<const StageAxis> axes, std::initializer_list<tir::VarRef> taken);

/// Makes what one step does, at this place.
using StepMaker = std::function<tir::Stmt(const tir::PrimExpr& place)>;
/// A loop of so many steps; a single step stands alone.
tir::Stmt steps(DataType index, std::string_view name, int64_t count, tir::ForKind kind, const StepMaker& make);
/// The same of a number that a run may alone know.
tir::Stmt steps(std::string_view name, const tir::PrimExpr& count, tir::ForKind kind, const StepMaker& make);
/// So many steps as vectors: loops of whole vectors, unrolled, and of what is left.
tir::Stmt vectorSteps(DataType index, int64_t count, int64_t lanes, const StepMaker& make);
/// Makes what lane `lane` of the vector that begins with step `first` does.
using VectorMaker = std::function<tir::Stmt(const tir::PrimExpr& first, const tir::PrimExpr& lane)>;
/// The same, where it matters in which vector a step is.
tir::Stmt vectorParts(DataType index, int64_t count, int64_t lanes, const VectorMaker& make);
/// Makes what lanes do, by the first lane of each of some whole vectors.
using PanelMaker = std::function<tir::Stmt(const std::vector<tir::PrimExpr>& firsts)>;
/// Lanes that fill a vector at least, in panels of so many vectors and what is left: one panel, or where a run alone
/// knows the number of lanes, vector by vector. The last vector ends where the lanes do: what lies in the one before it
/// too is made twice, and must come out the same. `kind`: of the loop over whole panels.
tir::Stmt lanePanels(const tir::PrimExpr& lanes, int64_t perVector, int64_t vectors, tir::ForKind kind,
                     const PanelMaker& made);
/// The places of so many lanes that lie side by side, from the first on.
tir::PrimExpr placesFrom(const tir::PrimExpr& first, int64_t lanes);
/// A loop over the lanes of each of these vectors; `made` gets the lane in the panel, and its place.
tir::Stmt panelVectors(const std::vector<tir::PrimExpr>& firsts, int64_t perVector,
                       const std::function<tir::Stmt(const tir::PrimExpr& lane, const tir::PrimExpr& place)>& made);
/// Loops over axes, from the outside, with new variables; `make` gets what the axes stand for.
tir::Stmt overAxes(std::span<const StageAxis> axes, const std::function<tir::Stmt(const arith::VarMap& places)>& make);
/// The outermost loop of a nest as one whose steps threads share; anything else as it is.
tir::Stmt inParallel(const tir::Stmt& nest);

}  // namespace rx::schedule
