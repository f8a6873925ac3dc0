// Gradients of operators of neural networks.
#include "core/op/rules.h"
#include "core/transform/calls.h"
#include "core/transform/gradient_rules.h"

namespace rx::transform {

namespace {

using relax::Expr;
using Query = GradientQuery;
using Maker = GradientMaker;

NodeRef attrOf(const Query& q, std::string_view name) { return ir::attrOf(q.call.attrs, name); }
NodeRef axisList(const Query& q) { return ir::intArrayAttr(std::vector<int64_t>{op::intAttr(q.call, "axis")}); }

Result<Partials> softmax(const Query& q) {
  Maker m(q);
  const Expr share = m.sum(m.mul(q.grad, q.value), axisList(q), true);
  return m.done({m.mul(m.sub(q.grad, share), q.value)});
}
Result<Partials> logSoftmax(const Query& q) {
  Maker m(q);
  const Expr probability = m.call("relax.exp", {q.value});
  return m.done({m.sub(q.grad, m.mul(m.sum(q.grad, axisList(q), true), probability))});
}
Result<Partials> crossEntropy(const Query& q) {
  Maker m(q);
  const std::vector<tir::PrimExpr> dims = m.dimsOf(m.arg(0));
  Expr grad = q.grad;
  if (dims.size() > 1) grad = m.div(grad, m.scalar(static_cast<double>(m.number(dims[0])), grad));
  return m.done({m.mul(m.neg(grad), m.arg(1)), m.mul(m.neg(grad), m.arg(0))});
}
Result<Partials> nllLoss(const Query& q) {
  Maker m(q);
  std::vector<Expr> args{q.grad};
  args.insert(args.end(), q.call.args.begin(), q.call.args.end());
  Partials partials(q.call.args.size());
  partials[0] = m.call("relax.grad.nll_loss_backward", std::move(args),
                       {{"reduction", attrOf(q, "reduction")}, {"ignore_index", attrOf(q, "ignore_index")}});
  return m.done(std::move(partials));
}

Result<Partials> pool(const Query& q, std::string_view backward) {
  Maker m(q);
  return m.done({m.call(backward, {q.grad, m.arg(0)},
                        {{"pool_size", attrOf(q, "pool_size")},
                         {"strides", attrOf(q, "strides")},
                         {"padding", attrOf(q, "padding")},
                         {"dilation", attrOf(q, "dilation")},
                         {"ceil_mode", attrOf(q, "ceil_mode")},
                         {"count_include_pad", attrOf(q, "count_include_pad")},
                         {"layout", attrOf(q, "layout")},
                         {"out_layout", attrOf(q, "out_layout")}})});
}
Result<Partials> maxPool(const Query& q) { return pool(q, "relax.grad.max_pool2d_backward"); }
Result<Partials> avgPool(const Query& q) { return pool(q, "relax.grad.avg_pool2d_backward"); }

/// The sizes and attributes of a convolution, as numbers.
struct ConvSizes {
  std::vector<int64_t> data, weight, result;  ///< in the order NCHW and OIHW
  std::vector<int64_t> strides, padding, dilation;
  int64_t groups;
};

std::vector<int64_t> numbers(Maker& m, const std::vector<tir::PrimExpr>& dims) {
  std::vector<int64_t> out;
  for (const tir::PrimExpr& dim : dims) out.push_back(m.number(dim));
  out.resize(4, 1);
  return out;
}

Expr dataGradient(Maker& m, const Query& q, const ConvSizes& sizes) {
  std::vector<int64_t> missing;
  for (size_t i = 0; i < 2; ++i) {
    const int64_t reached =
        (sizes.result[2 + i] - 1) * sizes.strides[i] - sizes.padding[i] - sizes.padding[2 + i] + sizes.weight[2 + i];
    missing.push_back(sizes.data[2 + i] - reached);
  }
  return m.call("relax.nn.conv2d_transpose", {q.grad, m.arg(1)},
                {{"strides", attrOf(q, "strides")},
                 {"padding", attrOf(q, "padding")},
                 {"output_padding", ir::intArrayAttr(missing)},
                 {"dilation", attrOf(q, "dilation")},
                 {"groups", attrOf(q, "groups")},
                 {"data_layout", ir::strAttr("NCHW")},
                 {"kernel_layout", ir::strAttr("IOHW")},
                 {"out_layout", ir::strAttr("NCHW")},
                 {"out_dtype", attrOf(q, "out_dtype")}});
}

/// The groups as further images.
Expr ungrouped(Maker& m, const ConvSizes& sizes) {
  auto shape = [](const std::vector<int64_t>& dims) {
    std::vector<tir::PrimExpr> values;
    for (int64_t dim : dims) values.push_back(tir::intImm(dim));
    return Expr(make<relax::ShapeExpr>(Array<tir::PrimExpr>(std::move(values))));
  };
  const auto& d = sizes.data;
  const int64_t groups = sizes.groups, channels = d[1] / groups;
  Expr data = m.call("relax.reshape", {m.arg(0), shape({d[0], groups, channels, d[2], d[3]})});
  data = m.call("relax.permute_dims", {data}, {{"axes", ir::intArrayAttr(std::vector<int64_t>{1, 0, 2, 3, 4})}});
  return m.call("relax.reshape", {data, shape({d[0] * groups, channels, d[2], d[3]})});
}

Expr weightGradient(Maker& m, const Query& q, const ConvSizes& sizes) {
  const Expr data = sizes.groups == 1 ? m.arg(0) : ungrouped(m, sizes);
  const Expr grad = m.call("relax.nn.conv2d", {data, q.grad},
                           {{"strides", attrOf(q, "dilation")},
                            {"padding", attrOf(q, "padding")},
                            {"dilation", attrOf(q, "strides")},
                            {"groups", attrOf(q, "groups")},
                            {"data_layout", ir::strAttr("CNHW")},
                            {"kernel_layout", ir::strAttr("IOHW")},
                            {"out_layout", ir::strAttr("CNHW")},
                            {"out_dtype", attrOf(q, "out_dtype")}});
  bool larger = false;
  for (size_t i = 0; i < 2; ++i) {
    const int64_t reach =
        sizes.data[2 + i] - (sizes.result[2 + i] - 1) * sizes.strides[i] - 1 + sizes.padding[i] + sizes.padding[2 + i];
    const int64_t length = reach / sizes.dilation[i] + 1;
    if (length < sizes.weight[2 + i]) m.refuse("the window is larger than what it slides over");
    larger = larger || length > sizes.weight[2 + i];
  }
  if (!larger) return grad;
  auto prims = [](const std::vector<int64_t>& values) {
    std::vector<Expr> items;
    for (int64_t value : values) items.push_back(primInt(value));
    std::vector<relax::StructInfo> types;
    for (const Expr& item : items) types.push_back(item->sinfo);
    return Expr(make<relax::Tuple>(Array<Expr>(std::move(items)), relax::tupleSinfo(Array<relax::StructInfo>(types))));
  };
  const auto& w = sizes.weight;
  return m.call("relax.strided_slice", {grad, prims({0, 1, 2, 3}), prims({0, 0, 0, 0}),
                                        prims({w[0], sizes.data[1] / sizes.groups, w[2], w[3]})});
}

Result<Partials> conv2d(const Query& q) {
  Maker m(q);
  if (op::strAttr(q.call, "data_layout") != "NCHW" || op::strAttr(q.call, "kernel_layout") != "OIHW" ||
      op::strAttr(q.call, "out_layout") != "NCHW") {
    m.refuse("only the layouts NCHW and OIHW have one");
    return m.done({});
  }
  const ConvSizes sizes{numbers(m, m.dimsOf(m.arg(0))), numbers(m, m.dimsOf(m.arg(1))), numbers(m, m.dimsOf(q.value)),
                        op::ints(q.call, "strides"),    op::ints(q.call, "padding"),    op::ints(q.call, "dilation"),
                        op::intAttr(q.call, "groups")};
  return m.done({dataGradient(m, q, sizes), weightGradient(m, q, sizes)});
}

constexpr GradientRow kRows[] = {
    {"relax.nn.softmax", softmax},
    {"relax.nn.log_softmax", logSoftmax},
    {"relax.nn.cross_entropy_with_logits", crossEntropy},
    {"relax.nn.nll_loss", nllLoss},
    {"relax.nn.conv2d", conv2d},
    {"relax.nn.max_pool2d", maxPool},
    {"relax.nn.avg_pool2d", avgPool},
};

}  // namespace

std::span<const GradientRow> nnGradients() { return kRows; }

}  // namespace rx::transform
