// Padding, dilation, and what moves blocks between the batch and space.
#include "core/arith/fold.h"
#include "core/op/rules.h"
#include "core/relay/passes/to_relax_rules.h"
#include "core/relay/passes/to_relax_shared.h"
#include "core/relay/relations_shared.h"

namespace rx::relay::translate {

using relax::Expr;

namespace {

struct Widths {
  Dims before, after;
};

std::optional<Widths> widthsOf(CallTranslation& t, const char* name) {
  const auto pairs = relation::pairsOf(t.attr(name));
  if (!pairs) return std::nullopt;
  Widths out;
  for (const auto& [before, after] : *pairs) {
    out.before.push_back(dim(before));
    out.after.push_back(dim(after));
  }
  return out;
}

/// The elements at places that `source` gives for each dimension: its index there, counted from the data's start.
Expr mirrored(CallTranslation& t, const Widths& widths,
              const std::function<tir::PrimExpr(tir::PrimExpr place, tir::PrimExpr length)>& source) {
  return t.kernel("pad", {t.arg(0)}, [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    const te::Tensor& x = in[0];
    te::Shape shape;
    for (size_t d = 0; d < x.rank(); ++d) {
      shape.push_back(arith::add(x.dim(d), arith::add(widths.before[d], widths.after[d])));
    }
    auto element = [&](const te::Indices& i) {
      te::Indices at;
      for (size_t d = 0; d < x.rank(); ++d) at.push_back(source(arith::sub(i[d], widths.before[d]), x.dim(d)));
      return x(at);
    };
    return std::vector{l.graph.compute(shape, element, {"pad"})};
  });
}

/// Reflected at the border; with the border itself again, or without.
tir::PrimExpr reflected(const tir::PrimExpr& place, const tir::PrimExpr& length, int64_t again) {
  const tir::PrimExpr low = arith::sub(dim(-again), place);
  const tir::PrimExpr high = arith::sub(arith::sub(arith::mul(dim(2), length), dim(2 - again)), place);
  return op::ifThenElse(arith::lt(place, dim(0)), low, op::ifThenElse(arith::ge(place, length), high, place));
}

}  // namespace

Expr paddedWith(CallTranslation& t, const Expr& data, const Expr& value, const Dims& before, const Dims& after) {
  return t.kernel("pad", {data, value}, [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    const te::Tensor& x = in[0];
    const te::Shape first = l.shapeArg(CallTranslation::shape(before)),
                    last = l.shapeArg(CallTranslation::shape(after));
    te::Shape shape;
    for (size_t d = 0; d < x.rank(); ++d) shape.push_back(arith::add(x.dim(d), arith::add(first[d], last[d])));
    auto element = [&](const te::Indices& i) {
      tir::PrimExpr inside = tir::intImm(1, DataType::Bool());
      te::Indices at;
      for (size_t d = 0; d < x.rank(); ++d) {
        at.push_back(arith::sub(i[d], first[d]));
        const bool none = known(first[d]) == 0 && known(last[d]) == 0;
        if (none) continue;
        const tir::PrimExpr within = arith::logicalAnd(arith::ge(at[d], dim(0)), arith::lt(at[d], x.dim(d)));
        inside = arith::logicalAnd(inside, within);
      }
      const te::Indices nowhere(in[1].rank(), dim(0));
      return op::ifThenElse(inside, x(at), arith::cast(x.dtype(), in[1](nowhere)));
    };
    return std::vector{l.graph.compute(shape, element, {"pad"})};
  });
}

Expr pad(CallTranslation& t) {
  const auto widths = widthsOf(t, "pad_width");
  if (!widths) return t.refuse("pad_width has to be pairs of numbers");
  const std::string_view mode = t.text("pad_mode");
  if (mode == "edge") {
    return mirrored(t, *widths, [](const tir::PrimExpr& place, const tir::PrimExpr& length) {
      return arith::max(arith::min(place, arith::sub(length, dim(1))), dim(0));
    });
  }
  if (mode == "reflect") {
    return mirrored(t, *widths, [](const tir::PrimExpr& place, const tir::PrimExpr& length) {
      return reflected(place, length, 0);
    });
  }
  const auto value = t.constantReal(1);
  std::vector<int64_t> flat;
  for (size_t i = 0; i < widths->before.size(); ++i) {
    flat.push_back(*known(widths->before[i]));
    flat.push_back(*known(widths->after[i]));
  }
  const bool grows = std::none_of(flat.begin(), flat.end(), [](int64_t width) { return width < 0; });
  if (!value || !grows) return paddedWith(t, t.arg(0), t.arg(1), widths->before, widths->after);
  return t.make("nn.pad", {t.arg(0), ir::intArrayAttr(flat)}, {{"pad_value", ir::floatAttr(*value)}});
}

Expr mirrorPad(CallTranslation& t) {
  const auto widths = widthsOf(t, "pad_width");
  if (!widths) return t.refuse("pad_width has to be pairs of numbers");
  const int64_t again = t.text("mode") == "SYMMETRIC" ? 1 : 0;
  return mirrored(t, *widths, [&](const tir::PrimExpr& place, const tir::PrimExpr& length) {
    return reflected(place, length, again);
  });
}

Expr spreadOut(CallTranslation& t, const Expr& value, std::span<const int64_t> steps, double between) {
  return t.kernel("dilate", {value}, [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    const te::Tensor& x = in[0];
    te::Shape shape;
    for (size_t d = 0; d < x.rank(); ++d) {
      shape.push_back(arith::add(arith::mul(arith::sub(x.dim(d), dim(1)), dim(steps[d])), dim(1)));
    }
    auto element = [&](const te::Indices& i) {
      tir::PrimExpr filled = tir::intImm(1, DataType::Bool());
      te::Indices at;
      for (size_t d = 0; d < x.rank(); ++d) {
        at.push_back(arith::floorDiv(i[d], dim(steps[d])));
        if (steps[d] != 1) {
          filled = arith::logicalAnd(filled, arith::eq(arith::floorMod(i[d], dim(steps[d])), dim(0)));
        }
      }
      return op::ifThenElse(filled, x(at), arith::constant(x.dtype(), between));
    };
    return std::vector{l.graph.compute(shape, element, {"dilate"})};
  });
}

Expr dilate(CallTranslation& t) {
  const auto steps = t.numbers("strides").value_or(std::vector<int64_t>());
  return spreadOut(t, t.arg(0), steps, t.real("dilation_value"));
}

Expr spaceToBatch(CallTranslation& t) {
  const auto block = t.numbers("block_shape");
  const auto widths = widthsOf(t, "paddings");
  if (!block || !widths) return t.refuse("block_shape and paddings have to be numbers");
  Expr value = t.arg(0);
  const size_t rank = CallTranslation::rank(value), count = block->size();
  Dims before(rank, dim(0)), after(rank, dim(0));
  for (size_t i = 0; i < count; ++i) {
    before[i + 1] = widths->before[i];
    after[i + 1] = widths->after[i];
  }
  value = paddedWith(t, value, t.scalar(t.real("pad_value"), CallTranslation::dtype(value)), before, after);
  const Dims d = t.dims(value);
  Dims split = {d[0]}, joined = {d[0]};
  std::vector<int64_t> order;
  for (size_t i = 0; i < count; ++i) {
    const Dim part = dim((*block)[i]);
    split.insert(split.end(), {floorDiv(d[i + 1], part), part});
    joined.push_back(floorDiv(d[i + 1], part));
    joined[0] = mul(joined[0], part);
    order.push_back(static_cast<int64_t>(2 * i + 2));
  }
  order.push_back(0);
  for (size_t i = 0; i < count; ++i) order.push_back(static_cast<int64_t>(2 * i + 1));
  for (size_t i = count + 1; i < rank; ++i) {
    order.push_back(static_cast<int64_t>(split.size()));
    split.push_back(d[i]);
    joined.push_back(d[i]);
  }
  return t.reshape(t.permute(t.reshape(value, split), order), joined);
}

Expr batchToSpace(CallTranslation& t) {
  const auto block = t.numbers("block_shape");
  const auto crops = widthsOf(t, "crops");
  if (!block || !crops) return t.refuse("block_shape and crops have to be numbers");
  Expr value = t.arg(0);
  const Dims d = t.dims(value);
  const size_t count = block->size();
  Dims split, joined = {d[0]};
  for (int64_t part : *block) {
    split.push_back(dim(part));
    joined[0] = floorDiv(joined[0], dim(part));
  }
  split.push_back(joined[0]);
  std::vector<int64_t> order = {static_cast<int64_t>(count)};
  for (size_t i = 1; i < d.size(); ++i) {
    order.push_back(static_cast<int64_t>(split.size()));
    split.push_back(d[i]);
    if (i <= count) order.push_back(static_cast<int64_t>(i - 1));
    joined.push_back(i <= count ? mul(d[i], dim((*block)[i - 1])) : d[i]);
  }
  if (known(joined[0]) == 0 && known(d[0]) != 0) {  // a batch that is smaller than the blocks gives nothing
    return t.full(t.resultDims(), t.scalar(0, CallTranslation::dtype(value)));
  }
  value = t.reshape(t.permute(t.reshape(value, split), order), joined);
  for (size_t i = 0; i < count; ++i) {
    if (known(crops->before[i]) == 0 && known(crops->after[i]) == 0) continue;
    value = t.slice(value, i + 1, crops->before[i], sub(joined[i + 1], crops->after[i]));
  }
  return value;
}

}  // namespace rx::relay::translate
