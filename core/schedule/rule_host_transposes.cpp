// host.Transposes: elements that are read in the order of one axis and stored in that of another: small squares are
// read by rows, turned in registers and stored by columns.
#include <algorithm>
#include <bit>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/new_buffer.h"
#include "core/lower/statements.h"
#include "core/schedule/host_rules.h"
#include "core/schedule/nest_parts.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Bits of a row of a square, and rows of it: wider registers turn no more elements with an instruction.
constexpr int64_t kMostBits = 256, kLeastSide = 4, kMostSide = 16;

/// An element that is read in the order of another axis than that in which it is stored.
struct Turned {
  Ref<BufferLoad> load;
  const StageAxis *from, *to;  ///< the axis in whose order it is read, and stored
};

const StageAxis* axisInOrder(const Stage& stage, std::span<const PrimExpr> indices) {
  for (const StageAxis& axis : stage.axes)
    if (isUnitStride(indices, *axis.var)) return &axis;
  return nullptr;
}

/// The only such element of the stage, where all others lie in the order of what is stored, or are the same along it.
std::optional<Turned> turnedOf(const Stage& stage, std::string& why) {
  const StageAxis* to = axisInOrder(stage, stage.indices);
  why = "it is not stored in the order of an axis";
  if (!to) return std::nullopt;
  why = "it reads no element, or more than one, in the order of another axis";
  std::optional<Turned> found;
  bool one = true;
  walk(*stage.value, Into::Parts, [&](const Node& node) {
    const auto* load = as<BufferLoad>(&node);
    one = one && &node != to->var.get();
    if (!load) return one && !isa<Buffer>(&node);
    const bool along = goAlong(load->indices.span(), *to->var);
    if (load->buffer == stage.buffer || load->predicate) one = false;
    if (!along || isUnitStride(load->indices.span(), *to->var)) return false;
    const StageAxis* from = axisInOrder(stage, load->indices.span());
    const bool again = found && arith::sameExprs(found->load->indices.span(), load->indices.span()) &&
                       found->load->buffer == load->buffer;
    one = one && from && (!found || again);
    if (from) found = Turned{Ref<BufferLoad>(load), from, to};
    return false;
  });
  if (!one || !found) return std::nullopt;
  // A condition may be what says that the element is there.
  walk(*stage.value, Into::Parts, [&](const Node& node) {
    one = one && !lower::asCallOf(NodeRef(&node), "if_then_else");
    return one && !isa<Buffer>(&node);
  });
  why = "it asks before it reads";
  return one ? found : std::nullopt;
}

/// Turns the rows of a square: in each step, halves of ever smaller squares change places.
std::vector<PrimExpr> turned(std::vector<PrimExpr> rows, std::vector<Stmt>& parts) {
  const auto side = static_cast<int64_t>(rows.size());
  for (int64_t half = side / 2; half > 0; half /= 2) {
    std::vector<PrimExpr> next = rows;
    for (int64_t row = 0; row < side; ++row) {
      const int64_t first = row & ~half;
      std::vector<PrimExpr> lanes;
      for (int64_t lane = 0; lane < side; ++lane) {
        const int64_t from = (lane & ~half) | (row & half);
        lanes.push_back(intImm((lane & half) ? side + from : from, DataType::Int(32)));
      }
      const std::vector<PrimExpr> both{rows[static_cast<size_t>(first)], rows[static_cast<size_t>(first | half)]};
      const VarRef var = make<Var>(Str("row"), both[0]->dtype);
      parts.push_back(
          make<Bind>(var, make<Shuffle>(Array<PrimExpr>(both), Array<PrimExpr>(std::move(lanes)), both[0]->dtype)));
      next[static_cast<size_t>(row)] = var;
    }
    rows = std::move(next);
  }
  return rows;
}

class Transposes {
 public:
  Transposes(const StageInput& input, Turned turned, int64_t side)
      : stage_(input.stage),
        turned_(std::move(turned)),
        side_(side),
        squares_(input.vectors.choices.squares),
        grain_(input.grainOfElements()) {}

  Stmt run() {
    const std::vector<StageAxis> outer = axesWithout(stage_.axes, {turned_.from->var, turned_.to->var}).places;
    return inBlock(stage_.name, grain_.over(outer, [&](const arith::VarMap& places, ForKind kind) {
      places_ = places;
      return lanePanels(turned_.from->extent, side_, squares_, kind, [&](const auto& froms) {
        return lanePanels(turned_.to->extent, side_, 1, ForKind::Serial, [&](const auto& tos) {
          std::vector<Stmt> squares;
          for (const PrimExpr& from : froms) squares.push_back(square(from, tos.front()));
          return seq(squares);
        });
      });
    }));
  }

 private:
  DataType index() const { return turned_.to->var->dtype; }
  PrimExpr number(int64_t value) const { return arith::constantInt(index(), value); }

  Stmt square(const PrimExpr& from, const PrimExpr& to) const {
    const DataType type = turned_.load->buffer->dtype;
    const BufferRef made = lower::newBuffer(
        Str("square"), type, Array<PrimExpr>(std::vector<PrimExpr>{number(side_), number(side_)}), "local");
    std::vector<Stmt> parts{make<AllocBuffer>(made)};
    std::vector<PrimExpr> rows;
    arith::VarMap places = places_;
    places[turned_.from->var.get()] = from;
    for (int64_t row = 0; row < side_; ++row) {
      places[turned_.to->var.get()] = arith::add(to, number(row));
      std::vector<PrimExpr> indices = indicesAt(turned_.load->indices.span(), places);
      indices.back() = placesFrom(indices.back(), side_);
      const DataType wide = type.withLanes(static_cast<int16_t>(side_));
      const VarRef var = make<Var>(Str("row"), wide);
      parts.push_back(
          make<Bind>(var, make<BufferLoad>(turned_.load->buffer, Array<PrimExpr>(std::move(indices)), wide)));
      rows.push_back(var);
    }
    rows = turned(std::move(rows), parts);
    for (int64_t row = 0; row < side_; ++row)
      parts.push_back(storeTo(made, {number(row), placesFrom(number(0), side_)}, rows[static_cast<size_t>(row)]));
    for (int64_t row = 0; row < side_; ++row) {
      places[turned_.from->var.get()] = arith::add(from, number(row));
      parts.push_back(steps(index(), "lane", side_, ForKind::Vectorized, [&](const PrimExpr& lane) {
        places[turned_.to->var.get()] = arith::add(to, lane);
        const PrimExpr value = withLoads(stage_.value, *turned_.load->buffer, [&](const BufferLoad& load) {
          const bool same = arith::sameExprs(load.indices.span(), turned_.load->indices.span());
          return same ? elementOf(made, {number(row), lane}) : PrimExpr(&load);
        });
        return storeAt(stage_, places, value);
      }));
    }
    return seq(parts);
  }

  const Stage& stage_;
  Turned turned_;
  /// Of a square, and how many are made beside each other: whole lines of memory are read, and those that are stored
  /// stay near until they are whole.
  int64_t side_, squares_;
  ThreadGrain grain_;
  arith::VarMap places_;
};

}  // namespace

StageOutcome hostTransposes(const StageInput& input) {
  const Stage& stage = input.stage;
  if (stage.reduces()) return stageStays("it reduces");
  if (stage.axes.size() < 2 || !stage.isCountable()) return stageStays(kNotCountable);
  std::string why;
  const auto found = turnedOf(stage, why);
  if (!found) return stageStays(std::move(why));
  const DataType type = found->load->buffer->dtype;
  if (type.lanes != 1 || type.bits < 8) return stageStays("its elements are no whole bytes");
  const int64_t side = std::clamp(std::min(input.vectors.bits, kMostBits) / type.bits, kLeastSide, kMostSide);
  PrimExpr fills;  ///< whether squares fit, where a run alone knows
  for (const StageAxis* axis : {found->from, found->to}) {
    if (axis->steps().value_or(side) < side) return stageStays("it has fewer rows or columns than a square");
    if (axis->steps()) continue;
    const PrimExpr fits = arith::ge(axis->extent, arith::constantInt(axis->var->dtype, side));
    fills = fills ? arith::logicalAnd(fills, fits) : fits;
  }
  StageOutcome outcome{Transposes(input, *found, side).run(), false, {}};
  outcome.onlyIf = fills;
  return outcome;
}

}  // namespace rx::schedule
