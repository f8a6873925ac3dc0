// Operators that join tensors, take them apart, or repeat their parts.
#include <algorithm>

#include "core/arith/fold.h"
#include "core/op/rules.h"
#include "core/relay/passes/to_relax_rules.h"
#include "core/relay/passes/to_relax_shared.h"

namespace rx::relay::translate {

using relax::Expr;

/// The operand is one tuple, whose tensors fit each other, as what only a run knows is taken to.
Expr joined(CallTranslation& t) {
  std::vector<Expr> parts = t.fields(0);
  const bool grids = t.call()->op == operatorNamed("meshgrid"), stacks = t.call()->op == operatorNamed("stack");
  if (!grids && !parts.empty()) {
    const Dims first = t.dims(parts[0]);
    const size_t own = stacks ? first.size() : t.axis("axis", first.size());
    for (Expr& part : parts) {
      Dims wanted = first;
      if (own < first.size()) wanted[own] = t.dims(part)[own];
      part = t.matched(part, wanted);
    }
  }
  return t.makeRow({t.tuple(parts)});
}

Expr split(CallTranslation& t) {
  const auto axis = static_cast<int64_t>(t.axis("axis", CallTranslation::rank(t.arg(0))));
  const auto places = t.numbers("indices_or_sections");
  if (!places) return t.refuse("indices_or_sections has to be a number or a list of them");
  const bool list = isa<ir::ArrayAttr>(t.attr("indices_or_sections"));
  return t.makeRow({t.arg(0), list ? ir::intArrayAttr(*places) : ir::intAttr(places->front()), ir::intAttr(axis)});
}

Expr tile(CallTranslation& t) { return t.makeRow({t.arg(0), t.attr("reps")}); }

Expr repeat(CallTranslation& t) {
  const Expr value = t.isNone("axis") ? t.make("flatten", {t.arg(0)}) : t.arg(0);
  const int64_t axis = t.isNone("axis") ? 0 : t.integer("axis");
  return t.makeRow({value, ir::intAttr(t.integer("repeats")), ir::intAttr(axis)});
}

Expr reverse(CallTranslation& t) { return t.makeRow({t.arg(0)}); }

Expr reverseSequence(CallTranslation& t) { return t.makeRow({t.arg(0), t.arg(1)}); }

namespace {

constexpr int64_t kFar = int64_t{1} << 40;

/// The bounds of a slice, a value for each axis: those that are not named are whole.
struct Bounds {
  std::vector<int64_t> begin, end, strides;
  bool sizes;
};

Bounds boundsOf(CallTranslation& t, size_t rank) {
  const auto begin = t.numbers("begin"), end = t.numbers("end"), strides = t.numbers("strides");
  const auto axes = t.numbers("axes");
  auto at = [](const std::optional<std::vector<int64_t>>& list, size_t i, int64_t fallback) {
    return list && i < list->size() ? (*list)[i] : fallback;
  };
  const bool sizes = t.text("slice_mode") == "size";
  Bounds out{std::vector<int64_t>(rank, 0), std::vector<int64_t>(rank, sizes ? -1 : kFar),
             std::vector<int64_t>(rank, 1), sizes};
  const size_t count = axes ? axes->size() : begin ? begin->size() : 0;
  for (size_t i = 0; i < count; ++i) {
    const int64_t given = axes ? (*axes)[i] : static_cast<int64_t>(i);
    const auto axis = static_cast<size_t>(given < 0 ? given + static_cast<int64_t>(rank) : given);
    out.strides[axis] = sizes ? 1 : at(strides, strides && strides->size() == 1 ? 0 : i, 1);
    const bool back = out.strides[axis] < 0;
    out.begin[axis] = at(begin, i, back ? kFar : 0);
    out.end[axis] = at(end, i, sizes ? -1 : back ? -kFar : kFar);
  }
  return out;
}

}  // namespace

/// By the operator of Relax, which takes constants; where a size is counted from what only a run knows, by a kernel.
Expr stridedSlice(CallTranslation& t) {
  Expr value = t.arg(0);
  const Dims dims = t.dims(value);
  Bounds bounds = boundsOf(t, dims.size());
  std::vector<int64_t> axes;
  for (size_t i = 0; i < dims.size(); ++i) {
    const bool whole = bounds.begin[i] == 0 && bounds.strides[i] == 1 && bounds.end[i] == (bounds.sizes ? -1 : kFar);
    const auto length = known(dims[i]);
    if (!whole && !length) {
      return slicedBy(t, t.vector(bounds.begin), t.vector(bounds.end), t.vector(bounds.strides), bounds.sizes);
    }
    if (whole) continue;
    axes.push_back(static_cast<int64_t>(i));
    if (bounds.sizes) bounds.end[i] = bounds.end[i] < 0 ? *length : bounds.begin[i] + bounds.end[i];
    if (bounds.end[i] == -kFar) bounds.end[i] = -*length - 1;
    if (bounds.end[i] == kFar) bounds.end[i] = *length;
    if (bounds.begin[i] == kFar) bounds.begin[i] = *length - 1;
  }
  if (axes.empty()) return value;
  auto listed = [&](const std::vector<int64_t>& all) {
    std::vector<int64_t> out;
    for (int64_t axis : axes) out.push_back(all[static_cast<size_t>(axis)]);
    return ir::intArrayAttr(out);
  };
  return t.makeRow({value, ir::intArrayAttr(axes), listed(bounds.begin), listed(bounds.end), listed(bounds.strides)});
}

Expr sliceLike(CallTranslation& t) {
  Expr value = t.arg(0), like = t.arg(1);
  const Dims dims = t.dims(value), target = t.dims(like);
  auto axes = t.numbers("axes");
  if (!axes || axes->empty()) {
    axes.emplace();
    for (size_t i = 0; i < std::min(dims.size(), target.size()); ++i) axes->push_back(static_cast<int64_t>(i));
  }
  for (int64_t axis : *axes) {
    const auto i = static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(dims.size()) : axis);
    if (!rx::relay::same(dims[i], target[i])) value = t.slice(value, i, dim(0), target[i]);
  }
  return value;
}

/// The data with the elements of a slice, whose bounds are tensors, replaced.
Expr stridedSet(CallTranslation& t) {
  return t.kernel("strided_set", t.args(), [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    const te::Tensor &data = in[0], &values = in[1], &begin = in[2], &end = in[3], &strides = in[4];
    const auto wide = [](const tir::PrimExpr& e) { return arith::cast(DataType::Int(64), e); };
    auto element = [&](const te::Indices& i) {
      te::Indices from(i);
      tir::PrimExpr inside = tir::intImm(1, DataType::Bool());
      for (size_t d = 0; d < data.rank(); ++d) {
        const auto given = tir::asInt(begin.dim(0));
        if (given && d >= static_cast<size_t>(*given)) continue;
        const te::Indices at{dim(static_cast<int64_t>(d))};
        const auto counted = [&](const te::Tensor& bound) {
          const tir::PrimExpr place = wide(bound(at)), length = data.dim(d);
          const tir::PrimExpr positive = op::ifThenElse(arith::lt(place, dim(0)), arith::add(place, length), place);
          return arith::max(arith::min(positive, length), dim(-1));
        };
        const tir::PrimExpr first = counted(begin), last = counted(end), step = wide(strides(at));
        const tir::PrimExpr forwards = arith::gt(step, dim(0));
        const tir::PrimExpr offset = arith::sub(i[d], first);
        const tir::PrimExpr between =
            op::ifThenElse(forwards, arith::logicalAnd(arith::ge(i[d], first), arith::lt(i[d], last)),
                           arith::logicalAnd(arith::le(i[d], first), arith::gt(i[d], last)));
        inside =
            arith::logicalAnd(inside, arith::logicalAnd(between, arith::eq(arith::floorMod(offset, step), dim(0))));
        from[d] = arith::floorDiv(offset, step);
      }
      return op::ifThenElse(inside, values(from), data(i));
    };
    return std::vector{l.graph.compute(data.dims(), element, {"strided_set"})};
  });
}

}  // namespace rx::relay::translate
