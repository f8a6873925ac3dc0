// Operators that read and write elements by index.
#include <numeric>

#include "core/arith/fold.h"
#include "core/op/rules.h"
#include "core/relay/passes/to_relax_rules.h"
#include "core/relay/passes/to_relax_shared.h"

namespace rx::relay::translate {

using relax::Expr;

namespace {

const DataType kLong = DataType::Int(64);

/// Indices whose first dimension names the axes, with that dimension last, as Relax has them.
Expr indicesLast(CallTranslation& t, const Expr& indices) {
  std::vector<int64_t> axes(CallTranslation::rank(indices));
  std::iota(axes.begin(), axes.end(), 1);
  if (!axes.empty()) axes.back() = 0;
  return axes.size() < 2 ? indices : t.permute(indices, axes);
}

/// take with the first dimensions of both the same.
Expr takeInBatch(CallTranslation& t, size_t batch, size_t axis) {
  const std::string mode(t.text("mode"));
  return t.kernel("take", t.args(), [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    const te::Tensor &data = in[0], &indices = in[1];
    te::Shape shape(data.dims().begin(), data.dims().begin() + static_cast<ptrdiff_t>(axis));
    const te::Shape tail = indices.dims();
    shape.insert(shape.end(), tail.begin() + static_cast<ptrdiff_t>(batch), tail.end());
    const te::Shape whole = data.dims();
    shape.insert(shape.end(), whole.begin() + static_cast<ptrdiff_t>(axis) + 1, whole.end());
    auto element = [&](const te::Indices& i) {
      te::Indices where(i.begin(), i.begin() + static_cast<ptrdiff_t>(batch));
      for (size_t d = batch; d < indices.rank(); ++d) where.push_back(i[axis + d - batch]);
      const tir::PrimExpr asked = arith::cast(kLong, indices(where)), length = data.dim(axis);
      const tir::PrimExpr place = mode == "wrap" ? arith::floorMod(asked, length)
                                                 : arith::max(arith::min(asked, arith::sub(length, dim(1))), dim(0));
      te::Indices at(i.begin(), i.begin() + static_cast<ptrdiff_t>(axis));
      at.push_back(place);
      for (size_t d = axis + indices.rank() - batch; d < i.size(); ++d) at.push_back(i[d]);
      return data(at);
    };
    return std::vector{l.graph.compute(shape, element, {"take"})};
  });
}

}  // namespace

Expr take(CallTranslation& t) {
  const size_t rank = CallTranslation::rank(t.arg(0));
  int64_t batch = t.integer("batch_dims");
  if (batch < 0) batch += static_cast<int64_t>(CallTranslation::rank(t.arg(1)));
  if (!t.isNone("axis") && batch > 0) return takeInBatch(t, static_cast<size_t>(batch), t.axis("axis", rank));
  const NodeRef mode = ir::strAttr(Str(t.text("mode")));
  if (!t.isNone("axis")) {
    return t.makeRow({t.arg(0), t.arg(1), ir::intAttr(static_cast<int64_t>(t.axis("axis", rank))), mode});
  }
  return t.makeRow({t.make("flatten", {t.arg(0)}), t.arg(1), ir::intAttr(0), mode});
}

Expr gather(CallTranslation& t) { return t.makeRow({t.arg(0), t.cast(t.arg(1), kLong)}); }

Expr gatherNd(CallTranslation& t) { return t.makeRow({t.arg(0), t.cast(indicesLast(t, t.arg(1)), kLong)}); }

Expr scatterElements(CallTranslation& t) { return t.makeRow({t.arg(0), t.cast(t.arg(1), kLong), t.arg(2)}); }

Expr scatterNd(CallTranslation& t) { return t.makeRow({t.arg(0), t.cast(indicesLast(t, t.arg(1)), kLong), t.arg(2)}); }

Expr advIndex(CallTranslation& t) {
  std::vector<Expr> parts = t.fields(0);
  const Expr data = parts.front();
  parts.erase(parts.begin());
  t.align(parts);
  return t.makeRow({data, t.tuple(parts)});
}

Expr argwhere(CallTranslation& t) {
  const Expr found = t.makeRow({t.arg(0)});
  const int64_t axes[] = {1, 0};
  return t.cast(t.permute(found, axes), t.resultDtype());
}

/// Elements from the length of their sequence on become the mask's value.
Expr sequenceMask(CallTranslation& t) {
  const double value = t.real("mask_value");
  const size_t axis = t.axis("axis", CallTranslation::rank(t.arg(0)));
  return t.kernel("sequence_mask", t.args(), [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    auto element = [&](const te::Indices& i) {
      const tir::PrimExpr length = arith::cast(kLong, in[1]({i[1 - axis]}));
      return op::ifThenElse(arith::lt(i[axis], length), in[0](i), arith::constant(in[0].dtype(), value));
    };
    return std::vector{l.graph.compute(in[0].dims(), element, {"sequence_mask"})};
  });
}

Expr denseOf(CallTranslation& t, const Dims& shape) {
  const Expr places = t.arg(0), values = t.arg(1);
  const size_t rank = CallTranslation::rank(places);
  const Expr base = t.full(shape, t.arg(2));
  // One place, a vector of places of one dimension, or rows of places.
  Expr rows = places;
  if (rank == 0) rows = t.reshape(places, {dim(1), dim(1)});
  if (rank == 1 && shape.size() == 1) rows = t.make("expand_dims", {places, ir::intArrayAttr(std::vector<int64_t>{1})});
  if (rank == 1 && shape.size() > 1) rows = t.make("expand_dims", {places, ir::intArrayAttr(std::vector<int64_t>{0})});
  Expr counted = rows;
  const Dims count = t.dims(counted);
  Expr updates = values;
  if (CallTranslation::rank(values) == 0) updates = t.broadcast(t.reshape(values, {dim(1)}), {count.front()});
  return t.make("scatter_nd", {base, t.cast(counted, kLong), updates});
}

Expr sparseToDense(CallTranslation& t) { return denseOf(t, t.resultDims()); }

Expr unravelIndex(CallTranslation& t) {
  return t.kernel("unravel_index", t.args(), [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    const te::Tensor &flat = in[0], &shape = in[1];
    const auto rank = known(shape.dim(0)).value_or(0);
    te::Shape out = flat.dims();
    out.insert(out.begin(), shape.dim(0));
    auto element = [&](const te::Indices& i) {
      tir::PrimExpr rest = arith::cast(kLong, flat(te::Indices(i.begin() + 1, i.end())));
      tir::PrimExpr result = dim(0);
      for (int64_t d = rank; d-- > 0;) {
        const tir::PrimExpr length = arith::cast(kLong, shape({dim(d)}));
        result = op::ifThenElse(arith::eq(i[0], dim(d)), d > 0 ? arith::floorMod(rest, length) : rest, result);
        rest = arith::floorDiv(rest, length);
      }
      return arith::cast(flat.dtype(), result);
    };
    return std::vector{l.graph.compute(out, element, {"unravel_index"})};
  });
}

Expr invertPermutation(CallTranslation& t) {
  Expr order = t.arg(0);
  const Dims dims = t.dims(order);
  const Expr places = t.range(dims.front(), CallTranslation::dtype(order));
  return t.make("scatter_elements", {places, t.cast(order, kLong), places, ir::intAttr(0)});
}

/// The k-th diagonals, from k1 to k2, of matrices replaced; shorter ones are aligned left or right.
Expr matrixSetDiag(CallTranslation& t) {
  const int64_t k1 = t.integer("k1"), k2 = t.integer("k2");
  const bool above = t.flag("super_diag_right_align"), below = t.flag("sub_diag_right_align");
  return t.kernel("matrix_set_diag", t.args(), [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    const te::Tensor &x = in[0], &diagonal = in[1];
    const size_t rank = x.rank();
    const tir::PrimExpr rows = x.dim(rank - 2), columns = x.dim(rank - 1), most = diagonal.dim(diagonal.rank() - 1);
    auto element = [&](const te::Indices& i) {
      const tir::PrimExpr k = arith::sub(i[rank - 1], i[rank - 2]);
      te::Indices at(i.begin(), i.end() - 2);
      if (k1 != k2) at.push_back(arith::sub(dim(k2), k));
      const tir::PrimExpr length =
          arith::min(arith::sub(columns, arith::max(k, dim(0))), arith::add(rows, arith::min(k, dim(0))));
      const tir::PrimExpr gap = arith::sub(most, length);
      const tir::PrimExpr right = op::ifThenElse(arith::ge(k, dim(0)), dim(above ? 1 : 0), dim(below ? 1 : 0));
      const tir::PrimExpr place = arith::min(i[rank - 1], i[rank - 2]);
      at.push_back(arith::add(place, arith::mul(right, gap)));
      const tir::PrimExpr inside = arith::logicalAnd(arith::ge(k, dim(k1)), arith::le(k, dim(k2)));
      return op::ifThenElse(inside, diagonal(at), x(i));
    };
    return std::vector{l.graph.compute(x.dims(), element, {"matrix_set_diag"})};
  });
}

}  // namespace rx::relay::translate
