// Gradients of operators of networks, and of products.
#include <array>

#include "core/relay/layout.h"
#include "core/relay/passes/op_gradients_shared.h"

namespace rx::relay::gradients {

static Expr sumAlong(const Expr& x, const NodeRef& axis) {
  return callOp("sum", {x}, {{"axis", axis}, {"keepdims", ir::boolAttr(true)}});
}
static NodeRef axisOf(const Call& c, int64_t fallback) {
  return ir::intArrayAttr(std::array{intAttrOf(c, "axis", fallback)});
}
Gradients softmaxGrad(const Call& c, const Expr& self, const Expr& grad) {
  return {mul(sub(grad, sumAlong(mul(grad, self), axisOf(c, -1))), self)};
}
Gradients logSoftmaxGrad(const Call& c, const Expr& self, const Expr& grad) {
  return {sub(grad, mul(sumAlong(grad, axisOf(c, -1)), unary("exp", self)))};
}

// Products.

/// Those of a product whose operands may be turned, which `op` can do.
static Gradients turnedProductGrad(const char* op, const Call& c, const Expr& grad) {
  const Expr &a = c.args[0], &b = c.args[1];
  const bool turnsA = intAttrOf(c, "transpose_a") != 0, turnsB = intAttrOf(c, "transpose_b") != 0;
  const auto product = [&](const Expr& x, const Expr& y, bool turnsX, bool turnsY) {
    return callOp(op, {x, y}, {{"transpose_a", ir::boolAttr(turnsX)}, {"transpose_b", ir::boolAttr(turnsY)}});
  };
  return {collapsed(turnsA ? product(b, grad, turnsB, true) : product(grad, b, false, !turnsB), a),
          collapsed(turnsB ? product(grad, a, true, turnsA) : product(a, grad, !turnsA, false), b)};
}
Gradients matmulGrad(const Call& c, const Expr&, const Expr& grad) { return turnedProductGrad("nn.matmul", c, grad); }
Gradients batchMatmulGrad(const Call& c, const Expr&, const Expr& grad) {
  return turnedProductGrad("nn.batch_matmul", c, grad);
}
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

// Convolutions and pools.

/// Padding before and behind rows and columns: top, left, bottom, right.
static std::optional<std::array<int64_t, 4>> paddingOf(const Call& c) {
  const auto given = intsAttrOf(c, "padding");
  if (!given) return std::nullopt;
  if (given->size() == 1) return std::array{given->at(0), given->at(0), given->at(0), given->at(0)};
  if (given->size() == 2) return std::array{given->at(0), given->at(1), given->at(0), given->at(1)};
  if (given->size() == 4) return std::array{given->at(0), given->at(1), given->at(2), given->at(3)};
  return std::nullopt;
}
Gradients conv2dGrad(const Call& c, const Expr& self, const Expr& grad) {
  const auto data = extentsOf(c.args[0]), weight = extentsOf(c.args[1]), result = extentsOf(self);
  const auto strides = intsAttrOf(c, "strides"), dilation = intsAttrOf(c, "dilation");
  const auto padding = paddingOf(c);
  const std::string_view out = textAttrOf(c, "out_layout");
  const bool isPlain = textAttrOf(c, "data_layout") == "NCHW" && textAttrOf(c, "kernel_layout") == "OIHW" &&
                       (out.empty() || out == "NCHW");
  if (!isPlain || !data || !weight || !result || !strides || !dilation || !padding) return {};
  if (weight->at(0) != result->at(1)) return {};  // several filters for each channel, in an axis of their own
  std::vector<int64_t> missing;                   // rows and columns that no window reached
  for (size_t i = 0; i < 2; ++i) {
    const int64_t reach = (weight->at(2 + i) - 1) * dilation->at(i) + 1;
    missing.push_back(data->at(2 + i) -
                      ((result->at(2 + i) - 1) * strides->at(i) + reach - padding->at(i) - padding->at(2 + i)));
  }
  const auto attr = [&](const char* name) { return attrOf(c, name); };
  return {callOp("nn.conv2d_transpose", {grad, c.args[1]},
                 {{"strides", attr("strides")},
                  {"padding", attr("padding")},
                  {"dilation", attr("dilation")},
                  {"groups", attr("groups")},
                  {"output_padding", ir::intArrayAttr(missing)}}),
          callOp("nn.conv2d_backward_weight", {grad, c.args[0]},
                 {{"strides", attr("strides")},
                  {"padding", attr("padding")},
                  {"dilation", attr("dilation")},
                  {"groups", attr("groups")},
                  {"channels", ir::intAttr(weight->at(0))},
                  {"kernel_size", ir::intArrayAttr(std::array{weight->at(2), weight->at(3)})}})};
}
Gradients maxPool2dGrad(const Call& c, const Expr&, const Expr& grad) {
  return {callOp("nn.max_pool2d_grad", {grad, c.args[0]}, c.attrs)};
}
Gradients avgPool2dGrad(const Call& c, const Expr&, const Expr& grad) {
  return {callOp("nn.avg_pool2d_grad", {grad, c.args[0]}, c.attrs)};
}
Gradients globalAvgPool2dGrad(const Call& c, const Expr&, const Expr& grad) {
  const auto data = extentsOf(c.args[0]);
  const auto layout = Layout::parse(textAttrOf(c, "layout"));
  if (!data || !layout || !layout->isOrderOf("NCHW")) return {};
  const double count = static_cast<double>(data->at(*layout->find('H')) * data->at(*layout->find('W')));
  return {div(broadcast(grad, c.args[0]), numberLike(count, c.args[0]))};
}

// Losses, which are means over a batch.

static Expr batchMean(const Call& c, const Expr& grad) {
  const auto extents = extentsOf(c.args[0]);
  return extents && !extents->empty() ? div(grad, numberLike(static_cast<double>(extents->front()), grad)) : nullptr;
}
Gradients crossEntropyGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], &y = c.args[1], mean = batchMean(c, grad);
  if (!mean) return {};
  return {neg(div(mul(mean, y), x)), neg(mul(mean, unary("log", x)))};
}
Gradients crossEntropyWithLogitsGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr mean = batchMean(c, grad);
  if (!mean) return {};
  return {neg(mul(mean, c.args[1])), neg(mul(mean, c.args[0]))};
}

}  // namespace rx::relay::gradients
