#include "core/schedule/contraction.h"

#include <algorithm>
#include <cmath>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/statements.h"
#include "core/schedule/nest_parts.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// What moving one element costs beside a vector of products: out of order, and in order.
constexpr double kScattered = 1.5, kInOrder = 0.1;
/// Lanes of a vector that is reckoned with.
constexpr double kLanes = 16;
/// What computing one number that is spread costs, where it is more than a load.
constexpr double kUnpacked = 4;
/// Elements of a weight from which on it is laid out for all runs.
constexpr int64_t kLeastWeight = int64_t{1} << 12;

/// Whether the index takes one element for several steps of the axis, one behind the other.
bool isShared(const BufferLoad& load, const Var& axis) {
  return std::all_of(load.indices.begin(), load.indices.end(), [&](const PrimExpr& index) {
    const auto* quotient = as<FloorDiv>(index);
    return !lower::uses(index, &axis) || (quotient && quotient->a == PrimExpr(&axis) && asInt(quotient->b));
  });
}

/// Whether neighbouring steps of the axis are neighbours in what is read for them, or have elements in common.
bool inOrder(const PrimExpr& operand, const Var& axis) {
  bool all = true, any = false;
  walk(*operand, Into::Parts, [&](const Node& node) {
    const auto* load = as<BufferLoad>(&node);
    if (load && lower::uses(PrimExpr(load), &axis)) {
      const bool neighbours = isUnitStride(load->indices.span(), axis);
      any = any || neighbours;
      all = all && (neighbours || isShared(*load, axis));
    }
    all = all && &node != &axis;
    return all && !load;
  });
  return all && any;
}

/// The same for lanes along several axes: they are those of the last dimensions of what is read.
bool inOrder(const PrimExpr& operand, const std::vector<StageAxis>& lanes) {
  if (lanes.size() == 1) return inOrder(operand, *lanes.front().var);
  const auto* load = as<BufferLoad>(operand);
  return load && fillsLast(lanes, load->indices.span(), *load->buffer);
}

/// Whether `across` can be laid out for all runs: made of an element of one of the weights, in loops that are all
/// known.
bool isReady(const Contraction& roles, std::span<const BufferRef> weights) {
  const BufferLoad* load = onlyLoad(roles.across);
  if (!load || std::find(weights.begin(), weights.end(), load->buffer) == weights.end()) return false;
  const PrimExpr without =
      withLoads(roles.across, *load->buffer, [](const BufferLoad& each) { return arith::constant(each.dtype, 0); });
  if (!arith::freeVars(without).empty()) return false;
  std::vector<StageAxis> axes = roles.sums;
  axes.insert(axes.end(), roles.lanes.begin(), roles.lanes.end());
  for (const StageAxis& axis : roles.outer)
    if (lower::uses(roles.across, axis.var.get())) axes.push_back(axis);
  const auto elements = stepsOf(axes);
  bool again = false;
  walk(*roles.spread, Into::Parts, [&](const Node& node) {
    again = again || &node == load->buffer.get();
    return !again;
  });
  return elements && *elements >= kLeastWeight && !again;
}

/// With `across` in the lanes; nothing where it has none of its own.
std::optional<Contraction> inRoles(const Stage& stage, DataType type, const PrimExpr& spread, const PrimExpr& across,
                                   std::span<const BufferRef> weights) {
  Contraction made{arith::cast(type, spread), arith::cast(type, across), type, {}, {}, {}, {}};
  for (const StageAxis& axis : stage.axes) {
    const bool rows = lower::uses(spread, axis.var.get()), lanes = lower::uses(across, axis.var.get());
    (axis.reduces ? made.sums : rows == lanes ? made.outer : rows ? made.rows : made.lanes).push_back(axis);
  }
  if (made.lanes.empty()) return std::nullopt;
  const auto summed = [&](const PrimExpr& operand) {
    return !made.sums.empty() && inOrder(operand, *made.sums.back().var);
  };
  made.sumsInOrder = made.rows.empty() && summed(spread) && summed(across);
  made.acrossInOrder = inOrder(across, made.lanes);
  made.sharedInOrder = std::any_of(made.outer.begin(), made.outer.end(), [&](const StageAxis& axis) {
    return inOrder(spread, *axis.var) && inOrder(across, *axis.var);
  });
  made.acrossReady = isReady(made, weights);
  made.storedInOrder = made.lanes.size() == 1 && isUnitStride(stage.indices, *made.lanes.front().var);
  return made;
}

/// The vectors of products, and what is moved beside them, for one step of the outer axes.
double costOf(const Contraction& roles) {
  const auto steps = [](const std::vector<StageAxis>& axes) {
    double count = 1;
    for (const StageAxis& axis : axes) count *= static_cast<double>(axis.usualSteps());
    return count;
  };
  const double lanes = steps(roles.lanes), rows = steps(roles.rows);
  const double spread = onlyLoad(roles.spread) ? 0 : kUnpacked;
  return rows * steps(roles.sums) * (std::ceil(lanes / kLanes) + spread) +
         lanes * steps(roles.sums) *
             (roles.acrossReady     ? 0
              : roles.acrossInOrder ? kInOrder
                                    : kScattered) +
         lanes * rows * (roles.storedInOrder ? kInOrder : kScattered);
}

}  // namespace

std::optional<DataType> typeOfSums(DataType type) {
  if (type == DataType::Float(32) || type == DataType::Float(64) || type == DataType::Int(32)) return type;
  const bool half = type.bits == 16 && type.lanes == 1 && type.isFloat();
  return half ? std::optional(DataType::Float(32)) : std::nullopt;
}

const BufferLoad* onlyLoad(const PrimExpr& expr) {
  const BufferLoad* found = nullptr;
  bool single = true;
  walk(*expr, Into::Parts, [&](const Node& node) {
    const auto* load = as<BufferLoad>(&node);
    if (!load) return true;
    single = single && !found;
    found = load;
    return false;
  });
  return single ? found : nullptr;
}

std::optional<int64_t> stepsOfElement(const BufferLoad& load, const Var& axis) {
  std::optional<int64_t> found;
  for (const PrimExpr& index : load.indices) {
    if (!lower::uses(index, &axis)) continue;
    const auto* quotient = as<FloorDiv>(index);
    const auto divisor = quotient && quotient->a == PrimExpr(&axis) ? asInt(quotient->b) : std::nullopt;
    if (found || !(divisor || index == PrimExpr(&axis))) return std::nullopt;
    found = divisor.value_or(1);
  }
  return found;
}

std::optional<int64_t> numbersOfWord(const PrimExpr& matrix, const Var& axis) {
  int64_t least = 0;
  bool known = true;
  walk(*matrix, Into::Parts, [&](const Node& node) {
    const auto* load = as<BufferLoad>(&node);
    if (!load || !lower::uses(PrimExpr(load), &axis)) return known;
    const auto steps = stepsOfElement(*load, axis);
    known = known && steps;
    if (known) least = least == 0 ? *steps : std::min(least, *steps);
    return false;
  });
  return known && least > 0 ? std::optional(least) : std::nullopt;
}

Stmt fetchedElement(const PrimExpr& element) {
  const PrimExpr at = lower::intrinsic(DataType::Handle(), "address_of", {element});
  return lower::effect("prefetch", {at, lower::int32(0), lower::int32(3), lower::int32(1)});
}

Stmt fetched(const Contraction& roles, const arith::VarMap& places) {
  const Var &lane = *roles.lanes.front().var, &sum = *roles.sums.back().var;
  std::vector<Stmt> parts;
  walk(*roles.across, Into::Parts, [&](const Node& node) {
    const auto* load = as<BufferLoad>(&node);
    if (!load || !isUnitStride(load->indices.span(), lane) || !lower::uses(PrimExpr(load), &sum)) return !load;
    parts.push_back(fetchedElement(arith::substitute(PrimExpr(load), places)));
    return false;
  });
  return seq(parts);
}

std::optional<int64_t> stepsOf(std::span<const StageAxis> axes) {
  int64_t steps = 1;
  for (const StageAxis& axis : axes) {
    const auto extent = axis.steps();
    if (!extent || __builtin_mul_overflow(steps, *extent, &steps)) return std::nullopt;
  }
  return steps;
}

ContractionFinding findContraction(const Stage& stage, std::span<const BufferRef> weights) {
  if (!stage.reduces()) return {std::nullopt, "it adds nothing up"};
  const auto reduction = reductionOf(stage);
  const auto* product = reduction && reduction->kind == Kind::tir_Add ? as<Mul>(reduction->step) : nullptr;
  if (!product) return {std::nullopt, "it adds up no products"};
  const auto type = typeOfSums(stage.buffer->dtype);
  if (!type) return {std::nullopt, "its sums are no floats and no int32"};
  if (!isa<FloatImm>(stage.init) && !isa<IntImm>(stage.init)) return {std::nullopt, "its init is no number"};
  if (!stage.isCountable()) return {std::nullopt, kNotCountable};
  auto one = inRoles(stage, *type, product->a, product->b, weights);
  auto other = inRoles(stage, *type, product->b, product->a, weights);
  if (!one && !other) return {std::nullopt, "no operand has an axis of its own"};
  if (one && (!other || costOf(*one) <= costOf(*other))) return {std::move(one), {}};
  return {std::move(other), {}};
}

}  // namespace rx::schedule
