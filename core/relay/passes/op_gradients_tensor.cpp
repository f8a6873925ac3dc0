// Gradients of operators that move, choose, join and reduce elements.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "core/relay/passes/op_gradients_shared.h"

namespace rx::relay::gradients {

static int64_t countOf(std::span<const int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>());
}

// Functions that move elements.

Gradients collapseGrad(const Call& c, const Expr&, const Expr& grad) {
  return {broadcast(grad, c.args[0]), zeros(c.args[1])};
}
Gradients broadcastGrad(const Call& c, const Expr&, const Expr& grad) {
  return {collapsed(grad, c.args[0]), zeros(c.args[1])};
}
Gradients broadcastToGrad(const Call& c, const Expr&, const Expr& grad) { return {collapsed(grad, c.args[0])}; }
Gradients reshapeGrad(const Call& c, const Expr&, const Expr& grad) {
  return {callOp("reshape_like", {grad, c.args[0]})};
}
Gradients reshapeLikeGrad(const Call& c, const Expr&, const Expr& grad) {
  return {callOp("reshape_like", {grad, c.args[0]}), zeros(c.args[1])};
}
Gradients castGrad(const Call& c, const Expr&, const Expr& grad) { return {callOp("cast_like", {grad, c.args[0]})}; }
Gradients castLikeGrad(const Call& c, const Expr&, const Expr& grad) {
  return {callOp("cast_like", {grad, c.args[0]}), zeros(c.args[1])};
}
Gradients transposeGrad(const Call& c, const Expr&, const Expr& grad) {
  const TensorType* type = tensorOf(c.args[0]);
  const auto axes = intsAttrOf(c, "axes");
  if (!type) return {};
  if (!axes) return {callOp("transpose", {grad})};
  std::vector<int64_t> back(axes->size());
  for (size_t i = 0; i < axes->size(); ++i)
    back[positiveAxis((*axes)[i], type->shape.size())] = static_cast<int64_t>(i);
  return {callOp("transpose", {grad}, {{"axes", ir::intArrayAttr(back)}})};
}

// Reductions.

/// The axes that a reduction goes over, in their order; nothing where the rank is not known.
static std::optional<std::vector<int64_t>> reducedAxes(const Call& c) {
  const TensorType* type = tensorOf(c.args[0]);
  if (!type) return std::nullopt;
  const auto given = intsAttrOf(c, "axis");
  std::vector<char> hit(type->shape.size(), given ? 0 : 1);
  for (const int64_t axis : given.value_or(std::vector<int64_t>())) {
    const size_t at = positiveAxis(axis, hit.size());
    if (at >= hit.size()) return std::nullopt;
    hit[at] = 1;
  }
  const bool others = given && intAttrOf(c, "exclude") != 0;
  std::vector<int64_t> axes;
  for (size_t i = 0; i < hit.size(); ++i)
    if ((hit[i] != 0) != others) axes.push_back(static_cast<int64_t>(i));
  return axes;
}
static double countAlong(std::span<const int64_t> extents, std::span<const int64_t> axes) {
  double count = 1;
  for (const int64_t axis : axes) count *= static_cast<double>(extents[static_cast<size_t>(axis)]);
  return count;
}
/// With the axes that a reduction dropped.
static Expr expanded(const Call& c, Expr grad, std::span<const int64_t> axes) {
  if (intAttrOf(c, "keepdims") != 0) return grad;
  for (const int64_t axis : axes) grad = callOp("expand_dims", {grad}, {{"axis", ir::intAttr(axis)}});
  return grad;
}
Gradients sumGrad(const Call& c, const Expr&, const Expr& grad) {
  const auto axes = reducedAxes(c);
  if (!axes) return {};
  return {broadcast(expanded(c, grad, *axes), c.args[0])};
}
Gradients meanGrad(const Call& c, const Expr&, const Expr& grad) {
  const auto axes = reducedAxes(c);
  const auto extents = extentsOf(c.args[0]);
  if (!axes || !extents) return {};
  return {div(broadcast(expanded(c, grad, *axes), c.args[0]), numberLike(countAlong(*extents, *axes), c.args[0]))};
}
Gradients prodGrad(const Call& c, const Expr& self, const Expr& grad) {
  const auto axes = reducedAxes(c);
  if (!axes) return {};
  return {mul(broadcast(expanded(c, grad, *axes), c.args[0]), div(expanded(c, self, *axes), c.args[0]))};
}
Gradients varianceGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], &mean = c.args[1];
  const auto axes = reducedAxes(c);
  const auto extents = extentsOf(x);
  if (!axes || !extents) return {};
  const double count = countAlong(*extents, *axes) - (intAttrOf(c, "unbiased") != 0 ? 1 : 0);
  const Expr slope = mul(broadcast(expanded(c, grad, *axes), x), mul(numberLike(2 / count, x), sub(x, mean)));
  return {slope, collapsed(neg(slope), mean)};
}

// Functions that choose elements.

/// Each element of the result adds to the one that it was, as `mode` says for places outside.
Gradients takeGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &data = c.args[0], &indices = c.args[1];
  const auto extents = extentsOf(data), picked = extentsOf(indices);
  if (!extents || !picked || intAttrOf(c, "batch_dims") != 0) return {};
  const auto axis = intsAttrOf(c, "axis");
  std::vector<int64_t> shape = axis ? *extents : std::vector{countOf(*extents)};
  const size_t at = axis ? positiveAxis(axis->front(), shape.size()) : 0;
  if (countOf(shape) == 0 || countOf(*picked) == 0) return {zeros(data), zeros(indices)};
  const Expr last = number(static_cast<double>(shape[at] - 1), DataType::Int(64));
  Expr places = cast(indices, DataType::Int(64));
  if (textAttrOf(c, "mode") == "clip")
    places = callOp("minimum", {callOp("maximum", {places, number(0, DataType::Int(64))}), last});
  if (textAttrOf(c, "mode") == "wrap")
    places = callOp("floor_mod", {places, number(static_cast<double>(shape[at]), DataType::Int(64))});
  std::vector<int64_t> spread(shape.size(), 1);
  shape[at] = spread[at] = countOf(*picked);
  places = callOp("broadcast_to", {reshape(places, spread)}, {{"shape", ir::intArrayAttr(shape)}});
  const Expr none = axis ? zeros(data) : reshape(zeros(data), {-1});
  const Expr sums = callOp("scatter_elements", {none, places, reshape(grad, shape)},
                           {{"axis", ir::intAttr(static_cast<int64_t>(at))}, {"reduction", ir::strAttr("add")}});
  return {axis ? sums : callOp("reshape_like", {sums, data}), zeros(indices)};
}
Gradients gatherNdGrad(const Call& c, const Expr&, const Expr& grad) {
  if (intAttrOf(c, "batch_dims") != 0) return {};
  const Expr &data = c.args[0], &indices = c.args[1];
  return {callOp("scatter_nd", {zeros(data), indices, grad}, {{"mode", ir::strAttr("add")}}), zeros(indices)};
}

// Functions that join tensors, or take one apart.

Gradients splitGrad(const Call& c, const Expr&, const Expr& grad) {
  return {callOp("concatenate", {grad}, {{"axis", ir::intAttr(intAttrOf(c, "axis"))}})};
}
static Expr splitAlong(const Expr& x, const NodeRef& sections, int64_t axis) {
  return callOp("split", {x}, {{"indices_or_sections", sections}, {"axis", ir::intAttr(axis)}});
}
Gradients concatenateGrad(const Call& c, const Expr&, const Expr& grad) {
  const auto* parts = as<TupleType>(typeOf(c.args[0]));
  const TensorType* whole = tensorOf(grad);
  if (!parts || !whole) return {};
  const size_t axis = positiveAxis(intAttrOf(c, "axis"), whole->shape.size());
  std::vector<int64_t> ends;
  for (const Type& part : parts->items) {
    const auto* tensor = as<TensorType>(part);
    const auto extent = tensor && axis < tensor->shape.size() ? known(tensor->shape[axis]) : std::nullopt;
    if (!extent) return {};
    ends.push_back((ends.empty() ? 0 : ends.back()) + *extent);
  }
  if (ends.size() < 2) return {tupleOf({grad})};
  ends.pop_back();  // where the last part ends
  return {splitAlong(grad, ir::intArrayAttr(ends), static_cast<int64_t>(axis))};
}
Gradients stackGrad(const Call& c, const Expr&, const Expr& grad) {
  const auto* parts = as<TupleType>(typeOf(c.args[0]));
  const TensorType* whole = tensorOf(grad);
  if (!parts || !whole) return {};
  const auto axis = static_cast<int64_t>(positiveAxis(intAttrOf(c, "axis"), whole->shape.size()));
  const auto count = static_cast<int64_t>(parts->items.size());
  const Expr apart = splitAlong(grad, ir::intAttr(count), axis);
  std::vector<Expr> items;
  for (int64_t i = 0; i < count; ++i)
    items.push_back(callOp("squeeze", {itemOf(apart, i)}, {{"axis", ir::intArrayAttr(std::array{axis})}}));
  return {tupleOf(std::move(items))};
}

// Functions that make tensors.

/// Of no argument at all.
Gradients nothingGrad(const Call&, const Expr&, const Expr&) { return {}; }
Gradients fullGrad(const Call&, const Expr&, const Expr& grad) { return {unary("sum", grad)}; }
Gradients fullLikeGrad(const Call& c, const Expr&, const Expr& grad) { return {zeros(c.args[0]), unary("sum", grad)}; }

}  // namespace rx::relay::gradients
