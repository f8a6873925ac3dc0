// Gradients of reductions, of operators that move tensors, and of matrix products.
#include <numeric>

#include "core/op/rules.h"
#include "core/transform/gradient_rules.h"

namespace rx::transform {

namespace {

using relax::Expr;
using Query = GradientQuery;
using Maker = GradientMaker;

NodeRef attrOf(const Query& q, std::string_view name) { return ir::attrOf(q.call.attrs, name); }

/// The adjoint of a reduction with the reduced dimensions as ones. Reduced over all, it has none and broadcasts anyway.
Expr widened(Maker& m, const Query& q, const Expr& grad) {
  const auto axes = op::intsOrNone(q.call, "axis");
  if (op::boolAttr(q.call, "keepdims") || !axes || axes->empty()) return grad;
  return m.axisCall("relax.expand_dims", grad, *axes);
}
/// How many elements are reduced to one.
double reducedCount(Maker& m, const Query& q) {
  const std::vector<tir::PrimExpr> dims = m.dimsOf(m.arg(0));
  std::vector<int64_t> axes = op::intsOrNone(q.call, "axis").value_or(std::vector<int64_t>());
  if (axes.empty() && !op::intsOrNone(q.call, "axis")) {
    axes.resize(dims.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  double count = 1;
  const auto rank = static_cast<int64_t>(dims.size());
  for (int64_t axis : axes) {
    const int64_t at = axis < 0 ? axis + rank : axis;
    if (at >= 0 && at < rank) count *= static_cast<double>(m.number(dims[static_cast<size_t>(at)]));
  }
  return count;
}

Result<Partials> sum(const Query& q) {
  Maker m(q);
  return m.done({m.call("relax.broadcast_to", {widened(m, q, q.grad), m.shapeOf(m.arg(0))})});
}
Result<Partials> mean(const Query& q) {
  Maker m(q);
  const Expr share = m.div(q.grad, m.scalar(reducedCount(m, q), q.grad));
  return m.done({m.call("relax.broadcast_to", {widened(m, q, share), m.shapeOf(m.arg(0))})});
}
Result<Partials> variance(const Query& q) {
  Maker m(q);
  const Expr& x = m.arg(0);
  const double count = reducedCount(m, q);
  const Expr own = m.mul(m.scalar(2.0 / count, x), x);
  const Expr all = m.mul(m.scalar(2.0 / count / count, x), m.sum(x, attrOf(q, "axis"), true));
  return m.done({m.mul(widened(m, q, q.grad), m.sub(own, all))});
}

Result<Partials> permuteDims(const Query& q) {
  Maker m(q);
  NodeRef back = ir::nullAttr();
  if (const auto axes = op::intsOrNone(q.call, "axes"); axes && !axes->empty()) {
    std::vector<int64_t> order(axes->size());
    for (size_t i = 0; i < axes->size(); ++i) order[static_cast<size_t>((*axes)[i])] = static_cast<int64_t>(i);
    back = ir::intArrayAttr(order);
  }
  return m.done({m.call("relax.permute_dims", {q.grad}, {{"axes", back}})});
}
Result<Partials> concat(const Query& q) {
  Maker m(q);
  const auto axis = op::intOrNone(q.call, "axis");
  const auto* tuple = as<relax::TupleStructInfo>(m.arg(0)->sinfo);
  if (!axis || !tuple) {
    m.refuse("tensors are joined flat, or are not known one by one");
    return m.done({});
  }
  std::vector<NodeRef> starts;
  tir::PrimExpr start = tir::intImm(0);
  for (size_t i = 0; i + 1 < tuple->items.size(); ++i) {
    const Array<tir::PrimExpr>* dims = op::dimsOf(tuple->items[i]);
    const int64_t at = dims && *axis < 0 ? *axis + static_cast<int64_t>(dims->size()) : *axis;
    if (!dims || at < 0 || at >= static_cast<int64_t>(dims->size())) {
      m.refuse("a shape is not known");
      return m.done({});
    }
    start = tir::intImm(m.number(arith::add(start, (*dims)[static_cast<size_t>(at)])));
    starts.push_back(ir::intAttr(*tir::asInt(start)));
  }
  return m.done({m.call(
      "relax.split", {q.grad},
      {{"indices_or_sections", ir::arrayAttr(Array<NodeRef>(std::move(starts)))}, {"axis", ir::intAttr(*axis)}})});
}
Result<Partials> split(const Query& q) {
  Maker m(q);
  return m.done({m.call("relax.concat", {q.grad}, {{"axis", attrOf(q, "axis")}})});
}
Result<Partials> expandDims(const Query& q) {
  Maker m(q);
  return m.done({m.call("relax.squeeze", {q.grad}, {{"axis", attrOf(q, "axis")}})});
}
Result<Partials> reshape(const Query& q) {
  Maker m(q);
  return m.done({m.call("relax.reshape", {q.grad, m.shapeOf(m.arg(0))}), nullptr});
}
Result<Partials> broadcastTo(const Query& q) {
  Maker m(q);
  return m.done({m.call("relax.collapse_sum_to", {q.grad, m.shapeOf(m.arg(0))}), nullptr});
}

Result<Partials> cumulativeSum(const Query& q) {
  Maker m(q);
  const NodeRef axis = attrOf(q, "axis");
  const auto along = op::intOrNone(q.call, "axis");
  const NodeRef axes = along ? ir::intArrayAttr(std::vector<int64_t>{*along}) : ir::nullAttr();
  const Expr rest = m.sub(m.sum(q.grad, axes, true), m.call("relax.cumsum", {q.grad}, {{"axis", axis}}));
  const Expr grad =
      along ? m.add(rest, q.grad)
            : m.call("relax.reshape", {m.add(rest, m.call("relax.flatten", {q.grad})), m.shapeOf(m.arg(0))});
  const auto* tensor = as<relax::TensorStructInfo>(m.arg(0)->sinfo);
  const DataType type = tensor ? tensor->dtype : DataType::Void();
  return m.done({m.call("relax.astype", {grad}, {{"dtype", ir::typeAttr(type)}})});
}
Result<Partials> take(const Query& q) {
  Maker m(q);
  return m.done(
      {m.call("relax.grad.take_backward", {q.grad, m.arg(0), m.arg(1)}, {{"axis", attrOf(q, "axis")}}), nullptr});
}

Expr transposed(Maker& m, const Expr& tensor, size_t rank) {
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[rank - 1], axes[rank - 2]);
  return m.call("relax.permute_dims", {tensor}, {{"axes", ir::intArrayAttr(axes)}});
}

Result<Partials> matmul(const Query& q) {
  Maker m(q);
  const Expr &a = m.arg(0), &b = m.arg(1);
  const size_t rankA = m.dimsOf(a).size(), rankB = m.dimsOf(b).size();
  if (rankA == 0 || rankB == 0) return m.done({nullptr, nullptr});
  auto product = [&](const Expr& x, const Expr& y) { return m.call("relax.matmul", {x, y}); };
  Expr gradA, gradB;
  if (rankA > 1 && rankB > 1) {
    gradA = product(q.grad, transposed(m, b, rankB));
    gradB = product(transposed(m, a, rankA), q.grad);
  } else if (rankB > 1) {
    const Expr grad = m.axisCall("relax.expand_dims", q.grad, {-2});
    gradA = product(grad, transposed(m, b, rankB));
    gradB = product(m.axisCall("relax.expand_dims", a, {1}), grad);
  } else if (rankA > 1) {
    const Expr grad = m.axisCall("relax.expand_dims", q.grad, {-1});
    gradA = product(grad, m.axisCall("relax.expand_dims", b, {0}));
    gradB = m.axisCall("relax.squeeze", product(transposed(m, a, rankA), grad), {-1});
  } else {
    gradA = m.mul(q.grad, b);
    gradB = m.mul(q.grad, a);
  }
  return m.done({m.fit(gradA, a), m.fit(gradB, b)});
}

constexpr GradientRow kRows[] = {
    {"relax.sum", sum},
    {"relax.mean", mean},
    {"relax.variance", variance},
    {"relax.permute_dims", permuteDims},
    {"relax.concat", concat},
    {"relax.split", split},
    {"relax.expand_dims", expandDims},
    {"relax.reshape", reshape},
    {"relax.broadcast_to", broadcastTo},
    {"relax.cumsum", cumulativeSum},
    {"relax.take", take},
    {"relax.matmul", matmul},
};

}  // namespace

std::span<const GradientRow> tensorGradients() { return kRows; }

}  // namespace rx::transform
