// Operators that make tensors.
#include "core/arith/fold.h"
#include "core/op/rules.h"
#include "core/relay/passes/to_relax_rules.h"
#include "core/relay/passes/to_relax_shared.h"

namespace rx::relay::translate {

using relax::Expr;

Expr filledWith(CallTranslation& t, const Dims& shape, DataType type) {
  return t.makeRow({CallTranslation::shape(shape), ir::typeAttr(type)});
}

Expr full(CallTranslation& t) { return t.full(t.resultDims(), t.cast(t.arg(0), t.resultDtype())); }

Expr fullLike(CallTranslation& t) { return t.full(t.resultDims(), t.cast(t.arg(1), t.resultDtype())); }

Expr filled(CallTranslation& t) { return filledWith(t, t.resultDims(), t.resultDtype()); }

/// A number of a tensor without dimensions, as a symbol where only a run knows it.
static Dim numberOf(CallTranslation& t, size_t i) {
  if (const auto known = t.constantNumbers(i)) return dim(known->front());
  return t.symbolsOf(t.reshape(t.arg(i), {dim(1)})).front();
}

Expr arange(CallTranslation& t) {
  const DataType type = t.resultDtype();
  const bool whole = CallTranslation::dtype(t.arg(0)).isIntegral();
  if (whole) {
    const Dim start = numberOf(t, 0), stop = numberOf(t, 1), step = numberOf(t, 2);
    return t.failed() ? t.arg(0) : t.makeRow({start, stop, step, ir::typeAttr(type)});
  }
  const auto start = t.constantReal(0), stop = t.constantReal(1), step = t.constantReal(2);
  if (!start || !stop || !step) return t.refuse("a range of real numbers needs constants");
  auto prim = [&](double value) { return make<relax::PrimValue>(tir::floatImm(value, DataType::Float(32))); };
  return t.makeRow({prim(*start), prim(*stop), prim(*step), ir::typeAttr(type)});
}

Expr oneHotOf(CallTranslation& t, const Dim& depth) {
  const Expr indices = t.arg(0);
  const auto rank = static_cast<int64_t>(CallTranslation::rank(indices));
  int64_t axis = t.integer("axis", -1);
  if (axis < 0) axis += rank + 1;
  const DataType counted = CallTranslation::dtype(indices);
  const Expr places = t.make("expand_dims", {indices, ir::intArrayAttr({&axis, 1})});
  Dims shape(static_cast<size_t>(rank) + 1, dim(1));
  shape[static_cast<size_t>(axis)] = depth;
  const Expr hit = t.make("equal", {places, t.reshape(t.range(depth, counted), shape)});
  const DataType type = t.resultDtype();
  return t.make("where", {hit, t.cast(t.arg(1), type), t.cast(t.arg(2), type)});
}

Expr oneHot(CallTranslation& t) { return oneHotOf(t, dim(t.integer("depth"))); }

/// What is above or below a diagonal, whose number is a tensor.
Expr trilu(CallTranslation& t) {
  const bool upper = t.flag("upper");
  return t.kernel("trilu", t.args(), [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    const te::Tensor& x = in[0];
    auto element = [&](const te::Indices& i) {
      const tir::PrimExpr k = arith::cast(DataType::Int(64), in[1]({}));
      const tir::PrimExpr row = i[x.rank() - 2], column = i[x.rank() - 1];
      const tir::PrimExpr diagonal = arith::add(row, k);
      const tir::PrimExpr kept = upper ? arith::ge(column, diagonal) : arith::le(column, diagonal);
      return op::ifThenElse(kept, x(i), arith::constantInt(x.dtype(), 0));
    };
    return std::vector{l.graph.compute(x.dims(), element, {"trilu"})};
  });
}

}  // namespace rx::relay::translate
