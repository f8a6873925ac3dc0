// host.Reductions: sums, maxima and minima. Lanes go along the axis that lies in order in memory: where that is
// reduced, each lane has a share of it, and the shares meet in halves; else each lane has a place of its own.
#include <algorithm>
#include <bit>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/new_buffer.h"
#include "core/lower/statements.h"
#include "core/schedule/contraction.h"
#include "core/schedule/epilogue.h"
#include "core/schedule/host_rules.h"
#include "core/schedule/nest_parts.h"
#include "core/schedule/pieces.h"
#include "core/schedule/reduction_steps.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// The axis in whose order most is read, among those that fill a good part of a vector; else the one in whose order is
/// stored. Null where neither is there. `apart`: each lane has a place of its own.
const StageAxis* axisForLanes(const Stage& stage, const PrimExpr& step, int64_t perVector, bool apart) {
  const StageAxis* best = nullptr;
  double most = 0;
  for (const StageAxis& axis : stage.axes) {
    double count = 0;
    walk(*step, Into::Parts, [&](const Node& node) {
      const auto* load = as<BufferLoad>(&node);
      count += load && isUnitStride(load->indices.span(), *axis.var) ? elementsOf(stage, load->indices.span()) : 0;
      return !isa<Buffer>(&node);
    });
    if (axis.usualSteps() * 2 < perVector || count <= most || (apart && axis.reduces)) continue;
    most = count;
    best = &axis;
  }
  for (const StageAxis& axis : stage.axes) {
    if (!best && !axis.reduces && axis.usualSteps() * 2 >= perVector && isUnitStride(stage.indices, *axis.var))
      best = &axis;
  }
  return best;
}

class Reducer {
 public:
  Reducer(const StageInput& input, StageReduction reduction, const StageAxis& along)
      : stage_(input.stage),
        steps_(std::move(reduction), input.stage, input.vectors),
        along_(along),
        epilogue_(input.stage, input.behind),
        perVector_(input.vectors.lanes(steps_.type())),
        vectors_(input.vectors.choices.reducedVectors),
        sumThreads_(input.vectors.sumThreads),
        threads_(input.threads),
        grain_(input.grainOfElements()),
        inPartsFrom_(input.vectors.choices.elementsShared) {
    for (const StageAxis& axis : stage_.axes) {
      if (axis.var != along.var) (axis.reduces ? reduced_ : places_).push_back(axis);
    }
    if (input.ahead && takesEach(*input.ahead)) ahead_ = input.ahead;
  }
  bool tookBehind() const { return epilogue_.taken(); }
  bool tookAhead() const { return ahead_; }

  Stmt run() {
    if (isInParts()) return inBlock(stage_.name, inParts());
    return inBlock(stage_.name, grain_.over(places_, [&](const arith::VarMap& at, ForKind kind) {
      at_ = at;
      lanes_ = kind;
      return along_.reduces ? shares([&](const BufferRef& sums) { return epilogue_.store(at_, made(sums, number(0))); })
                            : ownPlaces();
    }));
  }

 private:
  DataType index() const { return along_.var->dtype; }

  /// The outermost axis that is reduced.
  StageAxis& outermost() { return reduced_.empty() ? along_ : reduced_.front(); }

  /// Whether threads share the sums of the only place.
  bool isInParts() {
    if (!threads_ || sumThreads_ < 2 || !places_.empty() || !along_.reduces || ahead_) return false;
    const auto steps = stepsOf(stage_.axes);
    return steps && *steps >= inPartsFrom_ && *outermost().steps() >= sumThreads_;
  }

  /// A part of the outermost axis for each thread; what they give meets in the order of the parts.
  Stmt inParts() {
    StageAxis& cut = outermost();
    const int64_t size = *cut.steps() / sumThreads_, count = (*cut.steps() + size - 1) / size;
    const PrimExpr extent = cut.extent;
    const BufferRef parts =
        lower::newBuffer(Str("parts"), steps_.type(), Array<PrimExpr>(std::vector<PrimExpr>{number(count)}));
    const Stmt each = inPieces(extent, {"part", size, ForKind::Parallel}, [&](const Piece& part) {
      cut.extent = number(part.count);
      cut_ = {cut.var.get(), part.first};
      const PrimExpr at = arith::Canon().simplify(arith::floorDiv(part.first, number(size)));
      return shares([&](const BufferRef& sums) { return storeTo(parts, {at}, elementOf(sums, {number(0)})); });
    });
    const BufferRef sums = newSums(1);
    const Stmt meet = steps(index(), "part", count, ForKind::Serial, [&](const PrimExpr& part) {
      return storeTo(sums, {number(0)}, steps_.met(elementOf(sums, {number(0)}), elementOf(parts, {part})));
    });
    return seq(std::vector<Stmt>{make<AllocBuffer>(parts), each, make<AllocBuffer>(sums), started(sums, 1), meet,
                                 epilogue_.store(at_, made(sums, number(0)))});
  }

  PrimExpr number(int64_t value) const { return arith::constantInt(index(), value); }
  /// A sum as the stage has it.
  PrimExpr made(const BufferRef& sums, const PrimExpr& lane) const { return steps_.made(elementOf(sums, {lane})); }

  PrimExpr stepAt(const arith::VarMap& reduced, const PrimExpr& along) const {
    arith::VarMap places = at_;
    places.insert(reduced.begin(), reduced.end());
    places[along_.var.get()] = along;
    if (cut_.first) places[cut_.first] = arith::add(cut_.second, places.at(cut_.first));
    return arith::substitute(steps_.step(), places);
  }

  /// Whether each step reads one element that `ahead` has made, all of them in the order of the only axis. What it
  /// makes is then stored and counted at once.
  bool takesEach(const Stage& ahead) const {
    if (stage_.axes.size() != 1 || !along_.reduces || ahead.reduces() || ahead.axes.size() != 1) return false;
    const StageAxis& axis = ahead.axes.front();
    if (!arith::sameExpr(axis.extent, along_.extent) || axis.var->dtype != index() ||
        ahead.buffer->dtype.bits != stage_.buffer->dtype.bits || !isUnitStride(ahead.indices, *axis.var))
      return false;
    const auto made = placed(ahead, along_.var);
    bool found = false, same = true;
    walk(*steps_.step(), Into::Parts, [&](const Node& node) {
      const auto* load = as<BufferLoad>(&node);
      if (load && load->buffer == ahead.buffer) {
        found = true;
        same = same && arith::sameExprs(load->indices.span(), made);
      }
      return !isa<Buffer>(&node);
    });
    return found && same;
  }

  /// Where `ahead` stores at a place of its axis.
  static std::vector<PrimExpr> placed(const Stage& ahead, const PrimExpr& place) {
    const arith::VarMap places{{ahead.axes.front().var.get(), place}};
    return indicesAt(ahead.indices, places);
  }

  /// The step, behind what makes its element, where that is inside.
  Stmt withAhead(const PrimExpr& place, const PrimExpr& inside, Stmt step) const {
    if (!ahead_) return step;
    const arith::VarMap places{{ahead_->axes.front().var.get(), place}};
    const Stmt made = storeTo(ahead_->buffer, placed(*ahead_, place), arith::substitute(ahead_->value, places));
    return seq(std::vector<Stmt>{inside ? make<IfThenElse>(inside, made) : made, std::move(step)});
  }

  /// Most places or shares at once. Shares meet in halves, which are whole vectors where their number is a power of
  /// two.
  int64_t width() const {
    const int64_t most = vectors_ * perVector_, count = std::min(most, along_.steps().value_or(most));
    if (!along_.reduces || count <= perVector_ || count == most) return count;
    return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(count)));
  }

  /// Makes so many steps of the axis from `first` on; where `end` is there, those before it.
  using PieceMaker = std::function<Stmt(const PrimExpr& first, int64_t count, const PrimExpr& end)>;

  /// The axis of the lanes in pieces of that width, and what is left: in one piece, or where a run alone knows how much
  /// it is in vectors and then in one piece that ends early, or in single steps.
  Stmt inOrder(bool endsEarly, const PieceMaker& made) const {
    std::vector<Stmt> parts;
    if (const auto extent = along_.steps()) {
      const int64_t whole = *extent / width(), rest = *extent % width();
      parts.push_back(steps(index(), "step", whole, lanes_, [&](const PrimExpr& step) {
        return made(arith::mul(step, number(width())), width(), nullptr);
      }));
      if (rest > 0) parts.push_back(made(number(whole * width()), rest, nullptr));
      return seq(parts);
    }
    PrimExpr from = number(0);
    for (const int64_t size : {width(), perVector_, int64_t{1}}) {
      if (size != width() && endsEarly) {
        const PrimExpr few = arith::le(along_.extent, arith::add(from, number(perVector_)));
        const Stmt left =
            make<IfThenElse>(few, made(from, perVector_, along_.extent), made(from, width(), along_.extent));
        parts.push_back(make<IfThenElse>(arith::lt(from, along_.extent), left));
        break;
      }
      const PrimExpr whole = arith::floorDiv(along_.extent, number(size));
      const PrimExpr count = arith::floorDiv(arith::sub(along_.extent, from), number(size));
      parts.push_back(steps("step", count, size == width() ? lanes_ : ForKind::Serial, [&](const PrimExpr& step) {
        return made(arith::add(from, arith::mul(step, number(size))), size, nullptr);
      }));
      from = arith::mul(whole, number(size));
    }
    return seq(parts);
  }

  /// All steps of the place; `stored` gets their sum, the first of these.
  Stmt shares(const std::function<Stmt(const BufferRef& sums)>& stored) const {
    const Stmt any = shares(width(), stored);
    if (along_.steps() || width() <= perVector_) return any;
    // Of a row that one vector holds the others are nothing that would have to meet.
    return make<IfThenElse>(arith::le(along_.extent, number(perVector_)), shares(perVector_, stored), any);
  }

  /// With so many of them; where they are fewer than usual, the axis has no more steps than that.
  Stmt shares(int64_t width, const std::function<Stmt(const BufferRef& sums)>& stored) const {
    const BufferRef sums = newSums(width);
    std::vector<Stmt> parts{make<AllocBuffer>(sums), started(sums, width)};
    const auto inPieces = [&](const PieceMaker& made) {
      return width < this->width() ? made(number(0), width, along_.extent) : inOrder(true, made);
    };
    parts.push_back(overAxes(reduced_, [&](const arith::VarMap& reduced) {
      return inPieces([&](const PrimExpr& first, int64_t count, const PrimExpr& end) {
        return vectorSteps(index(), count, perVector_, [&](const PrimExpr& lane) {
          const PrimExpr place = arith::add(first, lane);
          const PrimExpr inside = end ? arith::lt(place, end) : nullptr;
          const PrimExpr step = stepAt(reduced, place);
          return withAhead(place, inside, storeTo(sums, {lane}, steps_.grown(elementOf(sums, {lane}), step, inside)));
        });
      });
    }));
    for (int64_t left = width; left > 1;) {
      const int64_t half = (left + 1) / 2;
      parts.push_back(vectorSteps(index(), left - half, perVector_, [&](const PrimExpr& lane) {
        return storeTo(sums, {lane},
                       steps_.met(elementOf(sums, {lane}), elementOf(sums, {arith::add(lane, number(half))})));
      }));
      left = half;
    }
    parts.push_back(stored(sums));
    return seq(parts);
  }

  Stmt ownPlaces() const {
    if (along_.steps().value_or(0) < perVector_) {
      return inOrder(false, [&](const PrimExpr& first, int64_t count, const PrimExpr&) {
        return onePanel(count, [&](const LaneMaker& made) {
          return vectorSteps(index(), count, perVector_,
                             [&](const PrimExpr& lane) { return made(lane, arith::add(first, lane)); });
        });
      });
    }
    return lanePanels(along_.extent, perVector_, vectors_, lanes_, [&](const std::vector<PrimExpr>& firsts) {
      return onePanel(static_cast<int64_t>(firsts.size()) * perVector_,
                      [&](const LaneMaker& made) { return panelVectors(firsts, perVector_, made); });
    });
  }

  /// Makes what a lane of a panel does, at its place of the axis.
  using LaneMaker = std::function<Stmt(const PrimExpr& lane, const PrimExpr& place)>;
  Stmt onePanel(int64_t width, const std::function<Stmt(const LaneMaker&)>& everyLane) const {
    const BufferRef sums = newSums(width);
    const Stmt add = overAxes(reduced_, [&](const arith::VarMap& reduced) {
      return everyLane([&](const PrimExpr& lane, const PrimExpr& place) {
        return storeTo(sums, {lane}, steps_.grown(elementOf(sums, {lane}), stepAt(reduced, place)));
      });
    });
    const Stmt store = everyLane([&](const PrimExpr& lane, const PrimExpr& place) {
      arith::VarMap places = at_;
      places[along_.var.get()] = place;
      return epilogue_.store(places, made(sums, lane));
    });
    return seq(std::vector<Stmt>{make<AllocBuffer>(sums), started(sums, width), add, store});
  }

  BufferRef newSums(int64_t width) const {
    return lower::newBuffer(Str("sums"), steps_.type(), Array<PrimExpr>(std::vector<PrimExpr>{number(width)}), "local");
  }
  Stmt started(const BufferRef& sums, int64_t width) const {
    return vectorSteps(index(), width, perVector_,
                       [&](const PrimExpr& lane) { return storeTo(sums, {lane}, steps_.none()); });
  }

  const Stage& stage_;
  ReductionSteps steps_;
  StageAxis along_;
  Epilogue epilogue_;
  int64_t perVector_, vectors_;  ///< lanes of a vector, and vectors that are under way at once
  int64_t sumThreads_;           ///< that share the sums of a single place
  bool threads_;
  ThreadGrain grain_;
  int64_t inPartsFrom_;  ///< steps of a sum from which on threads share it
  std::vector<StageAxis> places_, reduced_;
  const Stage* ahead_ = nullptr;
  arith::VarMap at_;
  ForKind lanes_ = ForKind::Serial;           ///< of the loop over pieces of the axis of the lanes
  std::pair<const Var*, PrimExpr> cut_ = {};  ///< the axis that is cut into parts, and the first step of this part
};

}  // namespace

StageOutcome hostReductions(const StageInput& input) {
  const auto reduction = reductionOf(input.stage);
  if (!reduction || !hasShares(input.stage, reduction->kind)) return stageStays(kNoReduction);
  const auto type = typeOfSums(input.stage.buffer->dtype);
  if (!type) return stageStays("it is of no floats and no int32");
  if (input.widens(*type)) return stageStays(kOrderIsFixed);
  if (!input.stage.isCountable()) return stageStays(kNotCountable);
  const bool apart = input.vectors.inOrder && reduction->kind == Kind::tir_Add;
  const StageAxis* along = axisForLanes(input.stage, reduction->step, input.vectors.lanes(*type), apart);
  if (!along) return stageStays("no axis lies in order and fills a vector");
  Reducer reducer(input, *reduction, *along);
  const Stmt made = reducer.run();
  return {made, reducer.tookBehind(), {}, {}, {}, reducer.tookAhead()};
}

}  // namespace rx::schedule
