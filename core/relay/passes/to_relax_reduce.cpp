// Operators over axes: reductions, running sums, orders; and products of matrices.
#include <algorithm>
#include <numeric>

#include "core/arith/fold.h"
#include "core/op/rules.h"
#include "core/relay/passes/to_relax_rules.h"
#include "core/relay/passes/to_relax_shared.h"

namespace rx::relay::translate {

using relax::Expr;

namespace {

/// The axes of a reduction in their order; all where none are named.
std::vector<int64_t> axesOf(CallTranslation& t) {
  const auto rank = static_cast<int64_t>(CallTranslation::rank(t.arg(0)));
  const auto named = t.numbers("axis");
  std::vector<int64_t> out;
  for (int64_t i = 0; i < rank; ++i) {
    const bool listed = !named || std::any_of(named->begin(), named->end(),
                                              [&](int64_t axis) { return (axis < 0 ? axis + rank : axis) == i; });
    if (listed != t.flag("exclude")) out.push_back(i);
  }
  return out;
}

Expr reduced(CallTranslation& t, std::string_view op, const Expr& value) {
  return t.make(op, {value, ir::intArrayAttr(axesOf(t)), ir::boolAttr(t.flag("keepdims"))});
}

}  // namespace

Expr reduce(CallTranslation& t) { return reduced(t, t.row().relax, t.arg(0)); }

Expr reduceTruth(CallTranslation& t) {
  const Expr number = t.cast(t.arg(0), DataType::Int(8));
  return t.cast(reduced(t, t.row().relax, number), DataType::Bool());
}

/// Over one axis: several are joined first.
Expr argReduce(CallTranslation& t) {
  Expr value = t.arg(0);
  const Dims dims = t.dims(value);
  const std::vector<int64_t> axes = axesOf(t);
  std::vector<int64_t> order;
  Dims joined;
  for (int64_t i = 0; i < static_cast<int64_t>(dims.size()); ++i) {
    if (std::find(axes.begin(), axes.end(), i) != axes.end()) continue;
    order.push_back(i);
    joined.push_back(dims[static_cast<size_t>(i)]);
  }
  Dim length = dim(1);
  for (int64_t axis : axes) {
    order.push_back(axis);
    length = mul(length, dims[static_cast<size_t>(axis)]);
  }
  joined.push_back(length);
  const auto last = static_cast<int64_t>(joined.size()) - 1;
  if (!std::is_sorted(order.begin(), order.end())) value = t.permute(value, order);
  if (axes.size() != 1) value = t.reshape(value, joined);
  const bool fromEnd = t.flag("select_last_index");
  if (fromEnd) value = t.make("flip", {value, ir::intAttr(last)});
  const DataType type = t.resultDtype();
  Expr found = t.cast(t.makeRow({value, ir::intAttr(last)}), type);
  if (fromEnd) {
    const Expr most = t.cast(t.full({}, t.make("size", {t.range(length, type)})), type);
    found = t.make("subtract", {t.make("subtract", {most, t.scalar(1, type)}), found});
  }
  return t.flag("keepdims") ? t.reshape(found, t.resultDims()) : found;
}

Expr variance(CallTranslation& t) {
  const Expr difference = t.make("subtract", {t.arg(0), t.arg(1)});
  const Expr square = t.make("multiply", {difference, difference});
  if (!t.flag("unbiased")) return reduced(t, "mean", square);
  Expr value = t.arg(0);
  const Dims dims = t.dims(value);
  Dim count = dim(1);
  for (int64_t axis : axesOf(t)) count = mul(count, dims[static_cast<size_t>(axis)]);
  const auto known = rx::relay::known(count);
  if (!known) return t.refuse("an unbiased variance needs to know how many elements there are");
  const auto divisor = static_cast<double>(std::max<int64_t>(*known - 1, 0));
  return t.make("divide", {reduced(t, "sum", square), t.scalar(divisor, CallTranslation::dtype(value))});
}

Expr scan(CallTranslation& t) {
  const bool flat = t.isNone("axis");
  const Expr value = flat ? t.make("flatten", {t.arg(0)}) : t.arg(0);
  const int64_t axis = flat ? 0 : t.integer("axis");
  return t.makeRow({value, ir::intAttr(axis), ir::typeAttr(t.resultDtype()), ir::boolAttr(t.flag("exclusive"))});
}

Expr einsum(CallTranslation& t) { return t.makeRow({t.tuple(t.fields(0))}); }

Expr argsort(CallTranslation& t) {
  return t.makeRow({t.arg(0), ir::intAttr(t.integer("axis", -1)), ir::boolAttr(!t.flag("is_ascend")),
                    ir::typeAttr(t.resultDtype())});
}

Expr sorted(CallTranslation& t) {
  return t.makeRow({t.arg(0), ir::intAttr(t.integer("axis", -1)), ir::boolAttr(!t.flag("is_ascend"))});
}

Expr topkOf(CallTranslation& t, const Dim& k) {
  Expr data = t.arg(0);
  const size_t axis = t.axis("axis", CallTranslation::rank(data));
  const auto given = known(k);
  const auto count = given && *given < 1 ? std::optional<int64_t>(-1) : given;  // all
  const auto* several = as<TupleType>(t.call()->sinfo);
  const auto* indices = as<TensorType>(several ? Type(several->items.back()) : typeOf(t.call()));
  const bool values = t.text("ret_type") == "values";
  const Expr best = t.makeRow({t.arg(0), ir::intAttr(count ? *count : -1), ir::intAttr(static_cast<int64_t>(axis)),
                               ir::strAttr(Str(t.text("ret_type"))), ir::boolAttr(!t.flag("is_ascend")),
                               ir::typeAttr(values || !indices ? DataType::Int(32) : indices->dtype)});
  if (count) return best;
  const Dim end = op::ifThenElse(arith::lt(k, dim(1)), t.dims(data)[axis], k);
  if (!several) return t.slice(best, axis, dim(0), end);
  return t.tuple({t.slice(t.item(best, 0), axis, dim(0), end), t.slice(t.item(best, 1), axis, dim(0), end)});
}

Expr topk(CallTranslation& t) { return topkOf(t, dim(t.integer("k"))); }

/// How many numbers of a sorted row come before a value.
Expr searchSorted(CallTranslation& t) {
  const bool right = t.flag("right");
  const DataType type = t.resultDtype();
  return t.kernel("searchsorted", t.args(), [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    const te::Tensor &row = in[0], &values = in[1];
    const te::IterRef k = te::reduceAxis(row.dim(row.rank() - 1), "k");
    auto count = [&](const te::Indices& i) {
      te::Indices at(i.begin(), i.begin() + static_cast<ptrdiff_t>(row.rank()) - 1);
      at.push_back(te::varOf(k));
      const tir::PrimExpr passed = right ? arith::le(row(at), values(i)) : arith::lt(row(at), values(i));
      return te::sum(arith::cast(type, passed), {k});
    };
    return std::vector{l.graph.compute(values.dims(), count, {"searchsorted"})};
  });
}

namespace {

Expr lastTwoSwapped(CallTranslation& t, const Expr& value) {
  std::vector<int64_t> axes(CallTranslation::rank(value));
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return t.permute(value, axes);
}

}  // namespace

Expr product(CallTranslation& t, std::vector<NodeRef> args, std::vector<op::Keyword> given) {
  const DataType type = t.resultDtype();
  const bool narrow = type == DataType::BFloat16();
  given.push_back({"out_dtype", ir::typeAttr(narrow ? DataType::Float(32) : type)});
  return t.cast(t.makeRow(std::move(args), std::move(given)), type);
}

Expr dense(CallTranslation& t) { return product(t, {t.arg(0), lastTwoSwapped(t, t.arg(1))}); }

Expr packedDense(CallTranslation& t) {
  const Expr weight = inLayout(t, t.arg(1), t.text("weight_layout"), "NC");
  return t.failed() ? weight : product(t, {t.arg(0), lastTwoSwapped(t, weight)});
}

Expr matmul(CallTranslation& t) {
  std::vector<Expr> sides = {t.arg(0), t.arg(1)};
  if (t.flag("transpose_a")) sides[0] = lastTwoSwapped(t, sides[0]);
  if (t.flag("transpose_b")) sides[1] = lastTwoSwapped(t, sides[1]);
  if (CallTranslation::rank(sides[0]) > 2) t.align(sides, 2);
  return product(t, {sides[0], sides[1]});
}

}  // namespace rx::relay::translate
