#include "core/relay/op_gradients.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace rx::relay {

namespace {

using Gradients = std::vector<Expr>;

Expr add(const Expr& a, const Expr& b) { return callOp("add", {a, b}); }
Expr sub(const Expr& a, const Expr& b) { return callOp("subtract", {a, b}); }
Expr mul(const Expr& a, const Expr& b) { return callOp("multiply", {a, b}); }
Expr div(const Expr& a, const Expr& b) { return callOp("divide", {a, b}); }
Expr neg(const Expr& a) { return callOp("negative", {a}); }
Expr ones(const Expr& like) { return callOp("ones_like", {like}); }
Expr zeros(const Expr& like) { return callOp("zeros_like", {like}); }
Expr unary(const char* op, const Expr& a) { return callOp(op, {a}); }
Expr choose(const Expr& condition, const Expr& yes, const Expr& no) { return callOp("where", {condition, yes, no}); }
/// Summed over what broadcasting repeated.
Expr collapsed(const Expr& grad, const Expr& like) { return callOp("collapse_sum_like", {grad, like}); }
Expr broadcast(const Expr& grad, const Expr& like) { return callOp("broadcast_to_like", {grad, like}); }

Expr numberLike(double value, const Expr& like) {
  const TensorType* type = tensorOf(like);
  return number(value, type ? type->dtype : DataType::Float(32));
}

// Functions of one argument: grad times the derivative at x.

Gradients logGrad(const Call& c, const Expr&, const Expr& grad) { return {div(mul(grad, ones(c.args[0])), c.args[0])}; }
template <int kBase>
Gradients logOfBaseGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr& x = c.args[0];
  return {div(mul(grad, ones(x)), mul(unary("log", numberLike(kBase, x)), x))};
}
Gradients tanGrad(const Call& c, const Expr&, const Expr& grad) {
  return {div(grad, mul(unary("cos", c.args[0]), unary("cos", c.args[0])))};
}
Gradients cosGrad(const Call& c, const Expr&, const Expr& grad) {
  return {mul(grad, mul(neg(ones(c.args[0])), unary("sin", c.args[0])))};
}
Gradients sinGrad(const Call& c, const Expr&, const Expr& grad) { return {mul(grad, unary("cos", c.args[0]))}; }
Gradients coshGrad(const Call& c, const Expr&, const Expr& grad) { return {mul(grad, unary("sinh", c.args[0]))}; }
Gradients sinhGrad(const Call& c, const Expr&, const Expr& grad) { return {mul(grad, unary("cosh", c.args[0]))}; }
Gradients expGrad(const Call& c, const Expr&, const Expr& grad) { return {mul(grad, unary("exp", c.args[0]))}; }
Gradients acosGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], one = ones(x);
  return {mul(grad, div(neg(one), unary("sqrt", sub(one, mul(x, x)))))};
}
Gradients asinGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], one = ones(x);
  return {div(mul(grad, one), unary("sqrt", sub(one, mul(x, x))))};
}
Gradients acoshGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], one = ones(x);
  return {div(mul(grad, one), unary("sqrt", sub(mul(x, x), one)))};
}
Gradients asinhGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], one = ones(x);
  return {div(mul(grad, one), unary("sqrt", add(one, mul(x, x))))};
}
Gradients atanGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], one = ones(x);
  return {div(mul(grad, one), add(one, mul(x, x)))};
}
Gradients atanhGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], one = ones(x);
  return {div(mul(grad, one), sub(one, mul(x, x)))};
}
Gradients sqrtGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr& x = c.args[0];
  const Expr half = numberLike(0.5, x);
  return {mul(mul(grad, half), callOp("power", {x, neg(half)}))};
}
Gradients rsqrtGrad(const Call& c, const Expr& self, const Expr& grad) {
  return {mul(mul(grad, numberLike(-0.5, c.args[0])), div(self, c.args[0]))};
}
Gradients sigmoidGrad(const Call&, const Expr& self, const Expr& grad) {
  return {mul(mul(grad, self), sub(ones(self), self))};
}
Gradients tanhGrad(const Call&, const Expr& self, const Expr& grad) {
  return {mul(grad, sub(ones(self), mul(self, self)))};
}
Gradients erfGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr& x = c.args[0];
  return {mul(mul(numberLike(2 / std::sqrt(std::numbers::pi), x), unary("exp", neg(mul(x, x)))), grad)};
}
Gradients reluGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], zero = zeros(x);
  return {choose(callOp("less", {x, zero}), zero, mul(ones(x), grad))};
}
Gradients absGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], zero = zeros(x), one = ones(x);
  return {choose(callOp("less", {x, zero}), mul(neg(one), grad), mul(one, grad))};
}
Gradients clipGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], zero = zeros(x);
  const Expr low = broadcast(numberLike(realAttrOf(c, "a_min"), x), x);
  const Expr high = broadcast(numberLike(realAttrOf(c, "a_max"), x), x);
  return {choose(callOp("less", {x, low}), zero, choose(callOp("less", {high, x}), zero, mul(ones(x), grad)))};
}
Gradients negativeGrad(const Call&, const Expr&, const Expr& grad) { return {neg(grad)}; }
Gradients copyGrad(const Call&, const Expr&, const Expr& grad) { return {grad}; }
/// Of a function that is flat, or whose argument gives its shape alone.
Gradients flatGrad(const Call& c, const Expr&, const Expr&) { return {zeros(c.args[0])}; }

// Functions of two arguments that broadcast.

Gradients addGrad(const Call& c, const Expr&, const Expr& grad) {
  return {collapsed(grad, c.args[0]), collapsed(grad, c.args[1])};
}
Gradients subtractGrad(const Call& c, const Expr&, const Expr& grad) {
  return {collapsed(grad, c.args[0]), collapsed(neg(grad), c.args[1])};
}
Gradients multiplyGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], &y = c.args[1];
  return {collapsed(mul(grad, y), x), collapsed(mul(grad, x), y)};
}
Gradients divideGrad(const Call& c, const Expr& self, const Expr& grad) {
  const Expr &x = c.args[0], &y = c.args[1];
  return {collapsed(div(grad, y), x), collapsed(neg(div(mul(grad, self), y)), y)};
}
/// `takes`: the comparison of x and y in which the result is x.
Gradients extremeGrad(const Call& c, const Expr& grad, const char* takes) {
  const Expr &x = c.args[0], &y = c.args[1], first = callOp(takes, {x, y}), none = zeros(grad);
  return {collapsed(choose(first, grad, none), x), collapsed(choose(first, none, grad), y)};
}
Gradients maximumGrad(const Call& c, const Expr&, const Expr& grad) { return extremeGrad(c, grad, "greater_equal"); }
Gradients minimumGrad(const Call& c, const Expr&, const Expr& grad) { return extremeGrad(c, grad, "less_equal"); }

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
std::optional<std::vector<int64_t>> reducedAxes(const Call& c) {
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
/// With the axes that a reduction dropped.
Expr expanded(const Call& c, Expr grad, std::span<const int64_t> axes) {
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
  double count = 1;
  for (const int64_t axis : *axes) count *= static_cast<double>((*extents)[static_cast<size_t>(axis)]);
  return {div(broadcast(expanded(c, grad, *axes), c.args[0]), numberLike(count, c.args[0]))};
}
Expr sumAlong(const Expr& x, const NodeRef& axis) {
  return callOp("sum", {x}, {{"axis", axis}, {"keepdims", ir::boolAttr(true)}});
}
NodeRef axisOf(const Call& c, int64_t fallback) { return ir::intArrayAttr(std::array{intAttrOf(c, "axis", fallback)}); }
Gradients softmaxGrad(const Call& c, const Expr& self, const Expr& grad) {
  return {mul(sub(grad, sumAlong(mul(grad, self), axisOf(c, -1))), self)};
}
Gradients logSoftmaxGrad(const Call& c, const Expr& self, const Expr& grad) {
  return {sub(grad, mul(sumAlong(grad, axisOf(c, -1)), unary("exp", self)))};
}

// Products.

Gradients denseGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &data = c.args[0], &weight = c.args[1];
  const auto dataExtents = extentsOf(data), weightExtents = extentsOf(weight);
  if (!dataExtents || !weightExtents || dataExtents->size() != 2 || weightExtents->size() != 2) return {};
  const auto dense = [](const Expr& a, const Expr& b, int64_t units) {
    return callOp("nn.dense", {a, b}, {{"units", ir::intAttr(units)}});
  };
  const auto turned = [](const Expr& x) { return callOp("transpose", {x}); };
  return {collapsed(dense(grad, turned(weight), (*weightExtents)[1]), data),
          collapsed(dense(turned(grad), turned(data), (*dataExtents)[1]), weight)};
}
Gradients biasAddGrad(const Call& c, const Expr&, const Expr& grad) {
  const NodeRef axis = axisOf(c, 1);
  return {collapsed(grad, c.args[0]), callOp("sum", {grad}, {{"axis", axis}, {"exclude", ir::boolAttr(true)}})};
}

constexpr OpGradientRow kRows[] = {
    {"abs", absGrad},
    {"acos", acosGrad},
    {"acosh", acoshGrad},
    {"add", addGrad},
    {"asin", asinGrad},
    {"asinh", asinhGrad},
    {"atan", atanGrad},
    {"atanh", atanhGrad},
    {"broadcast_to", broadcastToGrad},
    {"broadcast_to_like", broadcastGrad},
    {"cast", castGrad},
    {"clip", clipGrad},
    {"collapse_sum_like", collapseGrad},
    {"copy", copyGrad},
    {"cos", cosGrad},
    {"cosh", coshGrad},
    {"divide", divideGrad},
    {"erf", erfGrad},
    {"exp", expGrad},
    {"expand_dims", reshapeGrad},
    {"log", logGrad},
    {"log10", logOfBaseGrad<10>},
    {"log2", logOfBaseGrad<2>},
    {"maximum", maximumGrad},
    {"mean", meanGrad},
    {"minimum", minimumGrad},
    {"multiply", multiplyGrad},
    {"negative", negativeGrad},
    {"nn.batch_flatten", reshapeGrad},
    {"nn.bias_add", biasAddGrad},
    {"nn.dense", denseGrad},
    {"nn.log_softmax", logSoftmaxGrad},
    {"nn.relu", reluGrad},
    {"nn.softmax", softmaxGrad},
    {"ones_like", flatGrad},
    {"reshape", reshapeGrad},
    {"reshape_like", reshapeLikeGrad},
    {"rsqrt", rsqrtGrad},
    {"sigmoid", sigmoidGrad},
    {"sin", sinGrad},
    {"sinh", sinhGrad},
    {"sqrt", sqrtGrad},
    {"squeeze", reshapeGrad},
    {"subtract", subtractGrad},
    {"sum", sumGrad},
    {"tan", tanGrad},
    {"tanh", tanhGrad},
    {"transpose", transposeGrad},
    {"zeros_like", flatGrad},
};

}  // namespace

std::span<const OpGradientRow> opGradients() { return kRows; }

OpGradient gradientOf(std::string_view op) {
  const auto* row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const OpGradientRow& r) { return r.op == op; });
  return row == std::end(kRows) ? nullptr : row->of;
}

}  // namespace rx::relay
