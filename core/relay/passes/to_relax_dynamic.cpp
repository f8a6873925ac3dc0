// Operators whose result has a shape that the values of a tensor give.
#include "core/arith/fold.h"
#include "core/op/rules.h"
#include "core/relay/passes/to_relax_rules.h"
#include "core/relay/passes/to_relax_shared.h"

namespace rx::relay::translate {

using relax::Expr;

namespace {

const DataType kLong = DataType::Int(64);

/// The element of a list of expressions that an index names.
tir::PrimExpr chosen(const te::Shape& list, const tir::PrimExpr& index) {
  tir::PrimExpr result = list.empty() ? dim(1) : list.back();
  for (size_t i = list.size(); i-- > 1;) {
    result = op::ifThenElse(arith::eq(index, dim(static_cast<int64_t>(i) - 1)), list[i - 1], result);
  }
  return result;
}

/// A vector of numbers, as a tensor that a kernel computes, whose elements are symbols then.
Dims computed(CallTranslation& t, std::string_view name, std::vector<Expr> args, int64_t count,
              const std::function<tir::PrimExpr(const std::vector<te::Tensor>&, const tir::PrimExpr& index)>& element) {
  const Expr made = t.kernel(name, std::move(args), [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    auto at = [&](const te::Indices& i) { return element(in, i[0]); };
    return std::vector{l.graph.compute({dim(count)}, at, {std::string(name)})};
  });
  return t.failed() ? Dims(static_cast<size_t>(count), dim(1)) : t.symbolsOf(made);
}

size_t resultRank(CallTranslation& t) {
  const auto* type = as<TensorType>(t.call()->sinfo);
  return type ? type->shape.size() : 0;
}

/// The length of a vector that is known to have one.
std::optional<int64_t> lengthOf(CallTranslation& t, size_t i) {
  Expr value = t.arg(i);
  const Dims dims = t.dims(value);
  return dims.size() == 1 ? known(dims.front()) : std::nullopt;
}

}  // namespace

/// 0 keeps a dimension, -1 is what is left.
Expr dynReshape(CallTranslation& t) {
  const auto count = lengthOf(t, 1);
  if (!count) return t.refuse("the number of dimensions has to be known");
  const Expr wanted = t.cast(t.arg(1), kLong);
  const Dims shape = computed(
      t, "new_shape", {t.arg(0), wanted}, *count, [&](const std::vector<te::Tensor>& in, const tir::PrimExpr& index) {
        const te::Shape whole = in[0].dims();
        auto at = [&](const tir::PrimExpr& i) {
          const tir::PrimExpr given = in[1]({i});
          return op::ifThenElse(arith::eq(given, dim(0)), chosen(whole, i), given);
        };
        tir::PrimExpr known = dim(1);
        for (int64_t i = 0; i < *count; ++i) {
          const tir::PrimExpr one = at(dim(i));
          known = arith::mul(known, op::ifThenElse(arith::lt(one, dim(0)), dim(1), one));
        }
        const tir::PrimExpr rest = arith::floorDiv(op::product(whole), arith::max(known, dim(1)));
        const tir::PrimExpr own = at(index);
        return op::ifThenElse(arith::lt(own, dim(0)), rest, own);
      });
  return t.reshape(t.arg(0), shape);
}

Expr dynBroadcastTo(CallTranslation& t) { return t.broadcast(t.arg(0), t.symbolsOf(t.arg(1))); }

Expr dynTile(CallTranslation& t) {
  Expr value = t.arg(0);
  const Dims times = t.symbolsOf(t.arg(1));
  Dims from = t.dims(value);
  const size_t rank = std::max(times.size(), from.size());
  from.insert(from.begin(), rank - from.size(), dim(1));
  Dims shape;
  for (size_t i = 0; i < rank; ++i) {
    const size_t skipped = rank - times.size();
    shape.push_back(i < skipped ? from[i] : mul(from[i], times[i - skipped]));
  }
  return t.kernel("tile", {value}, [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    const size_t skipped = rank - in[0].rank();
    auto element = [&](const te::Indices& i) {
      te::Indices at;
      for (size_t d = 0; d < in[0].rank(); ++d) at.push_back(arith::floorMod(i[d + skipped], in[0].dim(d)));
      return in[0](at);
    };
    return std::vector{l.graph.compute(l.shapeArg(CallTranslation::shape(shape)), element, {"tile"})};
  });
}

Expr dynFilled(CallTranslation& t) { return filledWith(t, t.symbolsOf(t.arg(0)), t.resultDtype()); }

Expr dynFull(CallTranslation& t) { return t.full(t.symbolsOf(t.arg(1)), t.cast(t.arg(0), t.resultDtype())); }

Expr dynOneHot(CallTranslation& t) { return oneHotOf(t, t.symbolsOf(t.reshape(t.arg(3), {dim(1)})).front()); }

Expr dynSparseToDense(CallTranslation& t) { return denseOf(t, t.symbolsOf(t.arg(3))); }

Expr dynTopk(CallTranslation& t) { return topkOf(t, t.symbolsOf(t.reshape(t.arg(1), {dim(1)})).front()); }

Expr dynPad(CallTranslation& t) {
  Expr widths = t.arg(1);
  const auto rank = static_cast<int64_t>(CallTranslation::rank(t.arg(0)));
  const Dims flat = t.symbolsOf(t.reshape(widths, {dim(2 * rank)}));
  Dims before, after;
  for (size_t i = 0; i < flat.size(); i += 2) {
    before.push_back(flat[i]);
    after.push_back(flat[i + 1]);
  }
  return t.failed() ? widths : paddedWith(t, t.arg(0), t.arg(2), before, after);
}

/// New dimensions of length 1 at a place that a tensor names.
Expr dynExpandDims(CallTranslation& t) {
  const auto rank = static_cast<int64_t>(resultRank(t));
  const int64_t fresh = t.integer("num_newaxis", 1);
  const Expr axis = t.cast(t.reshape(t.arg(1), {dim(1)}), kLong);
  const Dims shape = computed(
      t, "new_shape", {t.arg(0), axis}, rank, [&](const std::vector<te::Tensor>& in, const tir::PrimExpr& index) {
        const te::Shape whole = in[0].dims();
        const tir::PrimExpr given = in[1]({dim(0)});
        const tir::PrimExpr first =
            op::ifThenElse(arith::lt(given, dim(0)), arith::add(given, dim(rank - fresh + 1)), given);
        const tir::PrimExpr behind = chosen(whole, arith::sub(index, dim(fresh)));
        return op::ifThenElse(arith::lt(index, first), chosen(whole, index),
                              op::ifThenElse(arith::lt(index, arith::add(first, dim(fresh))), dim(1), behind));
      });
  return t.reshape(t.arg(0), shape);
}

/// Without the dimensions that a tensor names.
Expr dynSqueeze(CallTranslation& t) {
  const auto rank = static_cast<int64_t>(resultRank(t));
  const auto dropped = lengthOf(t, 1);
  if (!dropped) return t.refuse("the number of axes has to be known");
  const Expr axes = t.cast(t.arg(1), kLong);
  const Dims shape = computed(t, "new_shape", {t.arg(0), axes}, rank,
                              [&](const std::vector<te::Tensor>& in, const tir::PrimExpr& index) {
                                const te::Shape whole = in[0].dims();
                                const auto count = static_cast<int64_t>(whole.size());
                                tir::PrimExpr result = dim(1), before = dim(0);  // dimensions that are kept so far
                                for (int64_t d = 0; d < count; ++d) {
                                  tir::PrimExpr kept = tir::intImm(1, DataType::Bool());
                                  for (int64_t k = 0; k < *dropped; ++k) {
                                    const tir::PrimExpr axis = arith::floorMod(in[1]({dim(k)}), dim(count));
                                    kept = arith::logicalAnd(kept, arith::ne(axis, dim(d)));
                                  }
                                  const tir::PrimExpr here = arith::logicalAnd(kept, arith::eq(before, index));
                                  result = op::ifThenElse(here, whole[static_cast<size_t>(d)], result);
                                  before = arith::add(before, op::ifThenElse(kept, dim(1), dim(0)));
                                }
                                return result;
                              });
  return t.reshape(t.arg(0), shape);
}

namespace {

/// Bounds of a slice for all axes: those that it does not name are whole.
Expr bound(CallTranslation& t, size_t i, int64_t fallback) {
  const auto rank = static_cast<int64_t>(CallTranslation::rank(t.arg(0)));
  const Expr given = t.cast(t.arg(i), kLong);
  const int64_t count = lengthOf(t, i).value_or(rank);
  if (count == rank) return given;
  const std::vector<int64_t> rest(static_cast<size_t>(rank - count), fallback);
  return t.make("concat", {t.tuple({given, t.vector(rest)}), ir::intAttr(0)});
}

/// Where each axis of a slice begins (which 0), its step (1), or how many elements it has (2).
tir::PrimExpr sliceNumber(const te::Indices& bounds, const tir::PrimExpr& length, bool sizes, int which) {
  const tir::PrimExpr &begin = bounds[0], &end = bounds[1], &stride = bounds[2];
  const tir::PrimExpr step = sizes ? dim(1) : stride;
  if (which == 1) return step;
  const tir::PrimExpr backwards = arith::lt(step, dim(0));
  const tir::PrimExpr low = op::ifThenElse(backwards, dim(-1), dim(0));
  const tir::PrimExpr high = op::ifThenElse(backwards, arith::sub(length, dim(1)), length);
  auto placed = [&](const tir::PrimExpr& place) {
    const tir::PrimExpr counted = op::ifThenElse(arith::lt(place, dim(0)), arith::add(place, length), place);
    return arith::max(arith::min(counted, high), low);
  };
  const tir::PrimExpr first = placed(begin);
  if (which == 0) return first;
  const tir::PrimExpr sized =
      op::ifThenElse(arith::lt(end, dim(0)), length, arith::min(arith::add(first, end), length));
  const tir::PrimExpr last = sizes ? sized : placed(end);
  const tir::PrimExpr forwards = arith::floorDiv(arith::add(arith::sub(last, first), arith::sub(step, dim(1))), step);
  const tir::PrimExpr reversed = arith::floorDiv(arith::add(arith::sub(last, first), arith::add(step, dim(1))), step);
  return arith::max(op::ifThenElse(backwards, reversed, forwards), dim(0));
}

}  // namespace

Expr slicedBy(CallTranslation& t, const Expr& begin, const Expr& end, const Expr& strides, bool sizes) {
  const auto rank = static_cast<int64_t>(CallTranslation::rank(t.arg(0)));
  const Dims numbers = computed(t, "slice_bounds", {t.arg(0), begin, end, strides}, 3 * rank,
                                [&](const std::vector<te::Tensor>& in, const tir::PrimExpr& index) {
                                  const tir::PrimExpr axis = arith::floorMod(index, dim(rank)),
                                                      which = arith::floorDiv(index, dim(rank));
                                  const te::Indices bounds = {in[1]({axis}), in[2]({axis}), in[3]({axis})};
                                  const tir::PrimExpr length = chosen(in[0].dims(), axis);
                                  te::Shape kinds;
                                  for (int kind = 0; kind < 3; ++kind)
                                    kinds.push_back(sliceNumber(bounds, length, sizes, kind));
                                  return chosen(kinds, which);
                                });
  if (t.failed()) return begin;
  return t.kernel("dynamic_slice", {t.arg(0)}, [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    const te::Shape all = l.shapeArg(CallTranslation::shape(numbers));
    const auto count = static_cast<size_t>(rank);
    const te::Shape shape(all.begin() + static_cast<ptrdiff_t>(2 * count), all.end());
    auto element = [&](const te::Indices& i) {
      te::Indices at;
      for (size_t d = 0; d < count; ++d) at.push_back(arith::add(all[d], arith::mul(i[d], all[count + d])));
      return in[0](at);
    };
    return std::vector{l.graph.compute(shape, element, {"dynamic_slice"})};
  });
}

Expr dynStridedSlice(CallTranslation& t) {
  const bool sizes = t.text("slice_mode") == "size";
  constexpr int64_t kFar = int64_t{1} << 40;
  return slicedBy(t, bound(t, 1, 0), bound(t, 2, sizes ? -1 : kFar), bound(t, 3, 1), sizes);
}

}  // namespace rx::relay::translate
