// Operators that give elements another shape or order.
#include <algorithm>

#include "core/arith/fold.h"
#include "core/op/rules.h"
#include "core/relay/passes/to_relax_rules.h"

namespace rx::relay::translate {

using relax::Expr;

Expr reshape(CallTranslation& t) {
  const Dims shape = t.resultDims();
  return t.reshape(t.arg(0), shape);
}

Expr squeeze(CallTranslation& t) {
  const auto axes = t.numbers("axis");
  if (!axes) return reshape(t);
  return t.makeRow({t.arg(0), ir::intArrayAttr(*axes)});
}

Expr transpose(CallTranslation& t) {
  const auto axes = t.numbers("axes");
  if (axes && !axes->empty()) return t.permute(t.arg(0), *axes);
  return t.makeRow({t.arg(0)});
}

Expr broadcastTo(CallTranslation& t) {
  const Dims shape = t.resultDims();
  return t.makeRow({t.arg(0), CallTranslation::shape(shape)});
}

namespace {

/// Sums over the axes that broadcasting repeated, where only a run knows which they are: where the smaller shape has 1.
Expr collapseUnknown(CallTranslation& t, const Expr& data, const Dims& shape) {
  return t.kernel("collapse_sum", {data}, [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    const te::Tensor& x = in[0];
    const te::Shape out = l.shapeArg(CallTranslation::shape(shape));
    const size_t extra = x.rank() - out.size();
    std::vector<te::IterRef> axes;
    for (size_t d = 0; d < x.rank(); ++d) {
      const tir::PrimExpr whole = x.dim(d);
      const bool kept = d >= extra && rx::relay::same(out[d - extra], whole);
      const tir::PrimExpr count = d < extra ? whole
                                  : kept    ? dim(1)
                                            : op::ifThenElse(arith::eq(out[d - extra], dim(1)), whole, dim(1));
      axes.push_back(te::reduceAxis(count, "k" + std::to_string(d)));
    }
    auto body = [&](const te::Indices& i) {
      te::Indices at;
      for (size_t d = 0; d < x.rank(); ++d) {
        const tir::PrimExpr k = te::varOf(axes[d]);
        at.push_back(d < extra ? k : arith::add(i[d - extra], k));
      }
      return te::sum(x(at), axes);
    };
    return std::vector{l.graph.compute(out, body, {"collapse_sum"})};
  });
}

}  // namespace

Expr collapseSum(CallTranslation& t) {
  Expr data = t.arg(0);
  const Dims from = t.dims(data);
  const Dims shape = t.resultDims();
  if (t.failed()) return data;
  const size_t extra = from.size() - std::min(shape.size(), from.size());
  bool sure = true, changed = extra > 0;
  for (size_t i = 0; i < shape.size() && i + extra < from.size(); ++i) {
    const bool fits = rx::relay::same(shape[i], from[i + extra]);
    changed = changed || !fits;
    sure = sure && (fits || isOne(shape[i]));
  }
  if (!changed) return data;
  return sure ? t.makeRow({data, CallTranslation::shape(shape)}) : collapseUnknown(t, data, shape);
}

Expr shapeOf(CallTranslation& t) {
  const DataType type = t.typeAttr("dtype", DataType::Int(32));
  if (const auto known = CallTranslation::constantDims(t.arg(0))) return t.vector(*known, type);
  return t.cast(t.make("shape_to_tensor", {t.makeRow({t.arg(0)})}), type);
}

Expr sizeOf(CallTranslation& t) { return t.cast(t.makeRow({t.arg(0)}), t.typeAttr("dtype", DataType::Int(32))); }

}  // namespace rx::relay::translate
