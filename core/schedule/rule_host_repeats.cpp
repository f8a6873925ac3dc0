// host.Repeats: elements that are stored several times side by side, as a resize to the nearest does: a vector is read
// once, spread over as many vectors as each element is repeated, and stored in all rows that are alike.
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/schedule/host_rules.h"
#include "core/schedule/nest_parts.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Steps of an axis that are looked at, and how often an element may be repeated: each is code.
constexpr int64_t kMostSteps = 4096, kMostRepeats = 16;
constexpr int64_t kLeastLanes = 4, kMostLanes = 64;

/// One node whose operands are numbers, as a number.
NodeRef folded(const NodeRef& node) {
  if (const auto* real = as<FloatImm>(node)) {
    // As it is computed with.
    return real->dtype == DataType::Float(32) ? NodeRef(floatImm(static_cast<float>(real->value), real->dtype)) : node;
  }
  if (const auto* made = as<tir::Cast>(node)) return arith::cast(made->dtype, made->value);
  if (const auto* both = as<BinaryNode>(node)) {
    if (const PrimExpr value = arith::tryFold(both->kind(), both->a, both->b)) return value;
  }
  for (const auto& [name, round] : {std::pair(
                                        "floor", +[](double v) { return std::floor(v); }),
                                    std::pair(
                                        "ceil", +[](double v) { return std::ceil(v); })}) {
    const auto* call = lower::asCallOf(node, name);
    const auto* real = call ? as<FloatImm>(call->args[0]) : nullptr;
    if (real) return floatImm(round(real->value), real->dtype);
  }
  return node;
}

/// What the index is at each step of its only axis; none where it has another, or is not known.
std::vector<int64_t> valuesOf(const PrimExpr& index, const StageAxis& axis) {
  const auto vars = arith::freeVars(index);
  const auto steps = axis.steps();
  if (vars.size() != 1 || vars.front() != axis.var || !steps || *steps > kMostSteps) return {};
  std::vector<int64_t> values;
  for (int64_t step = 0; step < *steps; ++step) {
    const NodeRef value = rewriteNodes(
        index, Into::Parts,
        [&](const NodeRef& node) { return node == axis.var ? NodeRef(intImm(step, axis.var->dtype)) : nullptr; },
        folded);
    const auto number = asInt(refAs<ExprNode>(value));
    if (!number) return {};
    values.push_back(*number);
  }
  return values;
}

/// How often each value comes, all of them as often, one behind the other.
int64_t repeatsOf(std::span<const int64_t> values) {
  const auto first = std::find_if(values.begin(), values.end(), [&](int64_t each) { return each != values.front(); });
  const int64_t count = first - values.begin();
  if (count < 2 || count > kMostRepeats || static_cast<int64_t>(values.size()) % count != 0) return 1;
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] != values[i - i % static_cast<size_t>(count)]) return 1;
  return count;
}

/// The index that alone has the axis; nothing where none does, or several.
std::optional<size_t> onlyIndexOf(const BufferLoad& load, const Var& axis) {
  std::optional<size_t> found;
  for (size_t i = 0; i < load.indices.size(); ++i) {
    if (!goAlong(std::span(&load.indices[i], 1), axis)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

/// An axis along which elements repeat.
struct Repeated {
  const StageAxis* axis = nullptr;
  int64_t times = 1, first = 0;  ///< what is read at the first step
  PrimExpr elements;             ///< that are read, side by side
};

class Repeats {
 public:
  Repeats(const StageInput& input, const BufferLoad& load, Repeated lanes, Repeated rows, int64_t width)
      : stage_(input.stage), load_(load), lanes_(lanes), rows_(rows), width_(width), grain_(input.grainOfElements()) {}

  Stmt run() {
    std::vector<StageAxis> outer =
        axesWithout(stage_.axes, {lanes_.axis->var, rows_.axis ? rows_.axis->var : nullptr}).places;
    const StageAxis rows = rows_.axis ? StageAxis{rows_.axis->var, rows_.elements} : StageAxis{nullptr, nullptr};
    if (rows_.axis) outer.push_back(rows);
    return inBlock(stage_.name, grain_.over(outer, [&](const arith::VarMap& places, ForKind kind) {
      return lanePanels(lanes_.elements, width_, 1, kind,
                        [&](const auto& firsts) { return one(places, firsts.front()); });
    }));
  }

 private:
  DataType index() const { return lanes_.axis->var->dtype; }
  PrimExpr number(int64_t value) const { return arith::constantInt(index(), value); }

  /// A vector of elements, from this one on.
  Stmt one(arith::VarMap places, const PrimExpr& first) const {
    const PrimExpr row = rows_.axis ? arith::mul(places.at(rows_.axis->var.get()), number(rows_.times)) : nullptr;
    if (row) places[rows_.axis->var.get()] = row;
    std::vector<PrimExpr> from = indicesAt(load_.indices.span().first(load_.indices.size() - 1), places);
    from.push_back(placesFrom(arith::add(first, number(lanes_.first)), width_));
    const DataType wide = load_.dtype.withLanes(static_cast<int16_t>(width_));
    const VarRef read = make<Var>(Str("read"), wide);
    std::vector<Stmt> parts{make<Bind>(read, make<BufferLoad>(load_.buffer, Array<PrimExpr>(std::move(from)), wide))};
    std::vector<VarRef> spread;
    for (int64_t time = 0; time < lanes_.times; ++time) {
      std::vector<PrimExpr> lanes;
      for (int64_t lane = 0; lane < width_; ++lane)
        lanes.push_back(lower::int32((time * width_ + lane) / lanes_.times));
      spread.push_back(make<Var>(Str("spread"), wide));
      const std::vector<PrimExpr> vectors{read};
      parts.push_back(
          make<Bind>(spread.back(), make<Shuffle>(Array<PrimExpr>(vectors), Array<PrimExpr>(std::move(lanes)), wide)));
    }
    for (int64_t alike = 0; alike < rows_.times; ++alike) {
      if (row) places[rows_.axis->var.get()] = arith::add(row, number(alike));
      for (int64_t time = 0; time < lanes_.times; ++time) {
        places[lanes_.axis->var.get()] = arith::add(arith::mul(first, number(lanes_.times)), number(time * width_));
        std::vector<PrimExpr> to = indicesAt(stage_.indices, places);
        to.back() = placesFrom(to.back(), width_);
        parts.push_back(storeTo(stage_.buffer, std::move(to), spread[static_cast<size_t>(time)]));
      }
    }
    return seq(parts);
  }

  const Stage& stage_;
  const BufferLoad& load_;
  Repeated lanes_, rows_;
  int64_t width_;  ///< lanes of a vector
  ThreadGrain grain_;
};

/// How elements repeat along the axis that this index alone has; once each where they do not, or where they do not all
/// as often.
Repeated repeatedAlong(const PrimExpr& index, const StageAxis& axis) {
  const auto number = [&](int64_t value) { return arith::constantInt(axis.var->dtype, value); };
  if (axis.steps()) {
    const std::vector<int64_t> values = valuesOf(index, axis);
    const int64_t times = values.empty() ? 1 : repeatsOf(values);
    return times > 1 ? Repeated{&axis, times, values.front(), number(*axis.steps() / times)} : Repeated{};
  }
  // Of as many steps as a run finds: what the step is divided by, where that divides their number.
  const auto* quotient = as<FloorDiv>(index);
  const auto times = quotient && quotient->a == PrimExpr(axis.var) ? asInt(quotient->b) : std::nullopt;
  if (!times || *times < 2 || *times > kMostRepeats) return {};
  arith::Canon canon;
  if (!canon.canProveEqual(arith::floorMod(axis.extent, number(*times)), number(0))) return {};
  return {&axis, *times, 0, canon.simplify(arith::floorDiv(axis.extent, number(*times)))};
}

/// The axis along which whole rows repeat most; none where none do.
Repeated rowsOf(const Stage& stage, const BufferLoad& load, const StageAxis& last) {
  Repeated found;
  for (const StageAxis& axis : stage.axes) {
    const auto at = axis.var == last.var ? std::nullopt : onlyIndexOf(load, *axis.var);
    if (!at) continue;
    const Repeated here = repeatedAlong(load.indices[*at], axis);
    if (here.times > found.times) found = here;
  }
  return found;
}

}  // namespace

StageOutcome hostRepeats(const StageInput& input) {
  const Stage& stage = input.stage;
  if (stage.reduces()) return stageStays("it reduces");
  if (stage.axes.empty() || !stage.isCountable()) return stageStays(kNotCountable);
  const auto* load = as<BufferLoad>(stage.value);
  if (!load || load->predicate || load->buffer == stage.buffer || load->indices.empty())
    return stageStays("it does more than to move elements");
  const StageAxis& last = stage.axes.back();
  if (!isUnitStride(stage.indices, *last.var) || onlyIndexOf(*load, *last.var) != load->indices.size() - 1)
    return stageStays("its last axis is not that in whose order it reads and stores");
  const Repeated lanes = repeatedAlong(load->indices.back(), last);
  if (lanes.times == 1) return stageStays("no elements repeat side by side, all as often");
  const auto known = asInt(lanes.elements);
  const std::vector<int64_t> values = known ? valuesOf(load->indices.back(), last) : std::vector<int64_t>();
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] != lanes.first + static_cast<int64_t>(i) / lanes.times)
      return stageStays("the elements that repeat do not lie side by side");
  const DataType type = load->dtype;
  if (type.lanes != 1 || type.bits < 8) return stageStays("its elements are no whole bytes");
  const int64_t most = std::min({kMostLanes, input.vectors.lanes(type), known.value_or(kMostLanes)});
  if (most < kLeastLanes) return stageStays("it has too few elements in a row");
  const auto width = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(most)));
  Repeated rows = rowsOf(stage, *load, last);
  if (rows.times * lanes.times > kMostRepeats * 2) rows = {};
  StageOutcome outcome{Repeats(input, *load, lanes, rows, width).run(), false, {}};
  if (!known) outcome.onlyIf = arith::ge(lanes.elements, arith::constantInt(last.var->dtype, width));
  return outcome;
}

}  // namespace rx::schedule
