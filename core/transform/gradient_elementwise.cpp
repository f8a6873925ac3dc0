// Gradients of element-wise operators, comparisons and makers of constant tensors.
#include "core/transform/gradient_rules.h"

namespace rx::transform {

namespace {

using relax::Expr;
using Query = GradientQuery;
using Maker = GradientMaker;

template <size_t Args>
Result<Partials> none(const Query&) {
  return Partials(Args);
}

Result<Partials> add(const Query& q) {
  Maker m(q);
  return m.done({m.fit(q.grad, m.arg(0)), m.fit(q.grad, m.arg(1))});
}
Result<Partials> subtract(const Query& q) {
  Maker m(q);
  return m.done({m.fit(q.grad, m.arg(0)), m.fit(m.neg(q.grad), m.arg(1))});
}
Result<Partials> multiply(const Query& q) {
  Maker m(q);
  return m.done({m.fit(m.mul(q.grad, m.arg(1)), m.arg(0)), m.fit(m.mul(q.grad, m.arg(0)), m.arg(1))});
}
Result<Partials> divide(const Query& q) {
  Maker m(q);
  return m.done(
      {m.fit(m.div(q.grad, m.arg(1)), m.arg(0)), m.fit(m.div(m.mul(m.neg(q.grad), q.value), m.arg(1)), m.arg(1))});
}
Result<Partials> power(const Query& q) {
  Maker m(q);
  const Expr &x = m.arg(0), &y = m.arg(1);
  const Expr less = m.call("relax.power", {x, m.sub(y, m.scalar(1, y))});
  return m.done(
      {m.fit(m.mul(m.mul(q.grad, y), less), x), m.fit(m.mul(m.mul(q.grad, q.value), m.call("relax.log", {x})), y)});
}

/// Where `first` holds of both arguments the adjoint is not that of the first, where `second` does not of the second.
Result<Partials> chosen(const Query& q, std::string_view first, std::string_view second) {
  Maker m(q);
  const Expr &x = m.arg(0), &y = m.arg(1);
  const Expr zero = m.scalar(0, x);
  return m.done({m.fit(m.where(m.call(first, {x, y}), zero, q.grad), x),
                 m.fit(m.where(m.call(second, {x, y}), zero, q.grad), y)});
}
Result<Partials> maximum(const Query& q) { return chosen(q, "relax.less", "relax.greater_equal"); }
Result<Partials> minimum(const Query& q) { return chosen(q, "relax.greater_equal", "relax.less"); }

Result<Partials> absolute(const Query& q) {
  Maker m(q);
  const Expr one = m.scalar(1, m.arg(0));
  const Expr negative = m.call("relax.less", {m.arg(0), m.scalar(0, m.arg(0))});
  return m.done({m.mul(q.grad, m.where(negative, m.neg(one), one))});
}
Result<Partials> cosine(const Query& q) {
  Maker m(q);
  return m.done({m.mul(m.neg(q.grad), m.call("relax.sin", {m.arg(0)}))});
}
Result<Partials> sine(const Query& q) {
  Maker m(q);
  return m.done({m.mul(q.grad, m.call("relax.cos", {m.arg(0)}))});
}
Result<Partials> exponential(const Query& q) {
  Maker m(q);
  return m.done({m.mul(q.grad, q.value)});
}
Result<Partials> logarithm(const Query& q) {
  Maker m(q);
  return m.done({m.div(q.grad, m.arg(0))});
}
Result<Partials> negative(const Query& q) {
  Maker m(q);
  return m.done({m.neg(q.grad)});
}
Result<Partials> sigmoid(const Query& q) {
  Maker m(q);
  return m.done({m.mul(m.mul(q.grad, q.value), m.sub(m.scalar(1, m.arg(0)), q.value))});
}
Result<Partials> squareRoot(const Query& q) {
  Maker m(q);
  return m.done({m.div(m.mul(m.scalar(0.5, m.arg(0)), q.grad), q.value)});
}
Result<Partials> hyperbolicTangent(const Query& q) {
  Maker m(q);
  return m.done({m.mul(q.grad, m.sub(m.scalar(1, m.arg(0)), m.mul(q.value, q.value)))});
}
Result<Partials> relu(const Query& q) {
  Maker m(q);
  const Expr zero = m.scalar(0, m.arg(0));
  return m.done({m.where(m.call("relax.less", {m.arg(0), zero}), zero, q.grad)});
}
Result<Partials> silu(const Query& q) {
  Maker m(q);
  const Expr sigmoid = m.call("relax.sigmoid", {m.arg(0)});
  const Expr rest = m.sub(m.scalar(1, m.arg(0)), sigmoid);
  return m.done({m.mul(q.grad, m.add(sigmoid, m.mul(q.value, rest)))});
}
Result<Partials> where(const Query& q) {
  Maker m(q);
  return m.done(
      {nullptr, m.where(m.arg(0), q.grad, m.scalar(0, m.arg(1))), m.where(m.arg(0), m.scalar(0, m.arg(2)), q.grad)});
}
Result<Partials> conversion(const Query& q) {
  Maker m(q);
  const auto* tensor = as<relax::TensorStructInfo>(m.arg(0)->sinfo);
  const DataType type = tensor ? tensor->dtype : DataType::Void();
  return m.done({m.call("relax.astype", {q.grad}, {{"dtype", ir::typeAttr(type)}})});
}
Result<Partials> upperTriangle(const Query& q) {
  Maker m(q);
  Partials partials(q.call.args.size());
  partials[0] = m.call("relax.triu", {q.grad, m.arg(1)});
  return m.done(std::move(partials));
}

constexpr GradientRow kRows[] = {
    {"relax.add", add},
    {"relax.subtract", subtract},
    {"relax.multiply", multiply},
    {"relax.divide", divide},
    {"relax.power", power},
    {"relax.maximum", maximum},
    {"relax.minimum", minimum},
    {"relax.equal", none<2>},
    {"relax.greater", none<2>},
    {"relax.greater_equal", none<2>},
    {"relax.less", none<2>},
    {"relax.less_equal", none<2>},
    {"relax.not_equal", none<2>},
    {"relax.zeros_like", none<1>},
    {"relax.ones_like", none<1>},
    {"relax.full_like", none<2>},
    {"relax.zeros", none<1>},
    {"relax.ones", none<1>},
    {"relax.full", none<2>},
    {"relax.triu", upperTriangle},
    {"relax.abs", absolute},
    {"relax.cos", cosine},
    {"relax.exp", exponential},
    {"relax.log", logarithm},
    {"relax.negative", negative},
    {"relax.sigmoid", sigmoid},
    {"relax.sin", sine},
    {"relax.sqrt", squareRoot},
    {"relax.tanh", hyperbolicTangent},
    {"relax.where", where},
    {"relax.astype", conversion},
    {"relax.nn.relu", relu},
    {"relax.nn.silu", silu},
};

}  // namespace

std::span<const GradientRow> elementwiseGradients() { return kRows; }

}  // namespace rx::transform
