#include "core/schedule/contraction.h"

#include <algorithm>
#include <cmath>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/statements.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// What moving one element costs beside a vector of products: out of order, and in order.
constexpr double kScattered = 1.5, kInOrder = 0.1;
/// Lanes of a vector that is reckoned with.
constexpr double kLanes = 16;
/// Elements of a weight from which on it is laid out for all runs.
constexpr int64_t kLeastWeight = int64_t{1} << 12;

bool inOrder(const PrimExpr& operand, const std::vector<StageAxis>& lanes) {
  const auto* load = as<BufferLoad>(operand);
  return load && lanes.size() == 1 && isUnitStride(load->indices.span(), *lanes.front().var);
}

/// Whether `across` can be laid out for all runs: an element of one of the weights, in loops that are all known.
bool isReady(const Contraction& roles, std::span<const BufferRef> weights) {
  const auto* load = as<BufferLoad>(roles.across);
  if (!load || std::find(weights.begin(), weights.end(), load->buffer) == weights.end()) return false;
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
std::optional<Contraction> inRoles(const Stage& stage, const PrimExpr& spread, const PrimExpr& across,
                                   std::span<const BufferRef> weights) {
  Contraction made{spread, across, {}, {}, {}, {}};
  for (const StageAxis& axis : stage.axes) {
    const bool rows = lower::uses(spread, axis.var.get()), lanes = lower::uses(across, axis.var.get());
    (axis.reduces ? made.sums : rows == lanes ? made.outer : rows ? made.rows : made.lanes).push_back(axis);
  }
  if (made.lanes.empty()) return std::nullopt;
  const auto summed = [&](const PrimExpr& operand) {
    const auto* load = as<BufferLoad>(operand);
    return load && !made.sums.empty() && isUnitStride(load->indices.span(), *made.sums.back().var);
  };
  made.sumsInOrder = made.rows.empty() && summed(spread) && summed(across);
  made.acrossInOrder = inOrder(across, made.lanes);
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
  return rows * steps(roles.sums) * std::ceil(lanes / kLanes) +
         lanes * steps(roles.sums) *
             (roles.acrossReady     ? 0
              : roles.acrossInOrder ? kInOrder
                                    : kScattered) +
         lanes * rows * (roles.storedInOrder ? kInOrder : kScattered);
}

}  // namespace

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
  const DataType type = stage.buffer->dtype;
  if (type != DataType::Float(32) && type != DataType::Float(64)) {
    return {std::nullopt, "its sums are no float32 or float64"};
  }
  if (!isa<FloatImm>(stage.init)) return {std::nullopt, "its init is no number"};
  if (!stage.isCountable()) return {std::nullopt, kNotCountable};
  auto one = inRoles(stage, product->a, product->b, weights), other = inRoles(stage, product->b, product->a, weights);
  if (!one && !other) return {std::nullopt, "no operand has an axis of its own"};
  if (one && (!other || costOf(*one) <= costOf(*other))) return {std::move(one), {}};
  return {std::move(other), {}};
}

}  // namespace rx::schedule
