// Indexing by tensors of indices: index_tensor reads, index_put and slice_scatter write.
#include <algorithm>

#include "core/legalize/families.h"

namespace rx::legalize {

using namespace te;

namespace {

/// Fields of a tuple, each bound to a variable of its own first, as TVM does.
std::vector<Tensor> boundFields(Lowering& l, const relax::Expr& tuple) {
  std::vector<Tensor> out;
  const auto* info = as<relax::TupleStructInfo>(tuple->sinfo);
  RX_ASSERT(info, "a tuple argument has the StructInfo of a tuple");
  for (size_t i = 0; i < info->items.size(); ++i) {
    auto item = make<relax::TupleGetItem>(tuple, static_cast<int64_t>(i), info->items[i]);
    out.push_back(l.tensor(l.builder.emit(item)));
  }
  return out;
}

std::optional<Shape> broadcastOf(Lowering& l, const std::vector<Tensor>& tensors) {
  std::optional<Shape> shape = tensors[0].dims();
  for (size_t i = 1; i < tensors.size() && shape; ++i) shape = broadcastShape(l.analyzer, *shape, tensors[i].dims());
  return shape;
}

/// x[i, j, ...]: the indices stand for the first dimensions.
Outcome indexTensor(Lowering& l) {
  Tensor x = l.arg(0);
  std::vector<Tensor> indices = boundFields(l, l.call.args[1]);
  if (indices.empty() || indices.size() > x.rank()) return refuse(l.call, "the number of indices does not fit");
  auto common = broadcastOf(l, indices);
  if (!common) return refuse(l.call, "the shapes of the indices do not broadcast");
  if (indices.size() > 1) {
    for (Tensor& index : indices) {
      auto read = [&](const Indices& i) { return broadcastRead(l.analyzer, index, *common, i); };
      index = l.graph.compute(*common, read, {"T_broadcast_to"});
    }
  }
  Shape shape = *common;
  for (size_t d = indices.size(); d < x.rank(); ++d) shape.push_back(x.dim(d));
  auto body = [&](const Indices& i) {
    const auto split = i.begin() + static_cast<std::ptrdiff_t>(common->size());
    Indices in, at(i.begin(), split);
    for (const Tensor& index : indices) in.push_back(index(at));
    in.insert(in.end(), split, i.end());
    return x(in);
  };
  return l.finish("index_tensor", l.graph.compute(shape, body, {"advanced_index"}));
}

/// x[i, j, ...] = values, or += where it accumulates. Negative indices count from the end.
Outcome indexPut(Lowering& l) {
  const auto* infos = as<relax::TupleStructInfo>(l.call.args[1]->sinfo);
  Tensor x = l.tensor(l.call.args[0], true);
  std::vector<Tensor> indices;
  for (size_t i = 0; infos && i < infos->items.size(); ++i) {
    const auto* tuple = as<relax::Tuple>(l.call.args[1]);
    relax::Expr item = tuple ? tuple->items[i]
                             : relax::Expr(l.builder.emit(make<relax::TupleGetItem>(
                                   l.call.args[1], static_cast<int64_t>(i), infos->items[i])));
    indices.push_back(l.tensor(item, true));
  }
  Tensor values = l.tensor(l.call.args[2], true);
  if (indices.empty() || indices.size() != x.rank()) return refuse(l.call, "an index for each dimension is needed");
  auto common = broadcastOf(l, indices);
  if (!common) return refuse(l.call, "the shapes of the indices do not broadcast");
  auto written = broadcastShape(l.analyzer, *common, values.dims());
  const bool broadcasts = written && written->size() == common->size();
  // Values of another shape are taken in their order, as TVM does.
  const bool flat = l.analyzer.canProveEqual(extentOf(*common), extentOf(values.shape()));
  if (!broadcasts && !flat) return refuse(l.call, "indices and values do not broadcast");
  const bool accumulate = l.boolAttr("accumulate");
  auto body = [&](const std::vector<Tensor>& out) {
    auto copy = [&](PrimExpr v) -> tir::Stmt {
      Array<PrimExpr> place = placeOf(v, x);
      return make<tir::BufferStore>(out[0].buffer, make<tir::BufferLoad>(x.buffer, place, x.dtype()), place);
    };
    auto update = [&](PrimExpr k) -> tir::Stmt {
      Indices at = placeOf(k, Tensor{makeBuffer(*common, DataType::Int(64), Str("common"))}).vector();
      std::vector<PrimExpr> place;
      for (size_t d = 0; d < x.rank(); ++d) {
        PrimExpr index = broadcastRead(l.analyzer, indices[d], *common, at);
        PrimExpr negative = arith::lt(index, arith::constantInt(index->dtype, 0));
        place.push_back(arith::add(index, arith::mul(arith::cast(index->dtype, negative), x.dim(d))));
      }
      PrimExpr value =
          broadcasts ? broadcastRead(l.analyzer, values, *common, at) : values(placeOf(k, values).vector());
      if (accumulate) value = arith::add(out[0](place), value);
      return make<tir::BufferStore>(out[0].buffer, value, Array<PrimExpr>(place));
    };
    // In order: places that occur twice then always give the same result.
    return inOrder({loopOver(extentOf(x.shape()), tir::ForKind::Parallel, copy),
                    loopOver(extentOf(*common), tir::ForKind::Serial, update)});
  };
  std::vector<Tensor> inputs{x};
  inputs.insert(inputs.end(), indices.begin(), indices.end());
  inputs.push_back(values);
  return l.finish("index_put",
                  l.graph.external({{x.dims(), x.dtype()}}, inputs, body, {"index_put_generic", {"out_buf"}}));
}

/// x with x[start:end:step] along an axis replaced.
Outcome sliceScatter(Lowering& l) {
  Tensor x = l.arg(0), source = l.arg(1);
  auto axis = normalAxis(l.intAttr("axis"), x.rank());
  PrimExpr bounds[3];
  for (size_t i = 0; i < 3 && i + 2 < l.argCount(); ++i) bounds[i] = l.primArg(l.call.args[i + 2]);
  if (!axis || source.rank() != x.rank() || !bounds[0] || !bounds[1] || !bounds[2])
    return refuse(l.call, "axis or bounds are not known");
  for (PrimExpr& bound : bounds) bound = arith::cast(DataType::Int(64), bound);
  const auto step = tir::asInt(bounds[2]);
  if (!step || *step < 1) return refuse(l.call, "the step has to be a known positive number");
  auto body = [&](const Indices& i) {
    Indices in = i;
    PrimExpr distance = arith::sub(i[*axis], bounds[0]);
    in[*axis] = arith::floorDiv(distance, bounds[2]);
    PrimExpr inside = arith::logicalAnd(arith::ge(i[*axis], bounds[0]), arith::lt(i[*axis], bounds[1]));
    inside = arith::logicalAnd(inside, arith::lt(in[*axis], source.dim(*axis)));
    if (*step != 1) inside = arith::logicalAnd(inside, arith::eq(arith::floorMod(distance, bounds[2]), i64(0)));
    return ifThenElse(inside, source(in), x(i));
  };
  return l.finish("slice_scatter", l.graph.compute(x.dims(), body, {"T_where"}));
}

constexpr LegalizeRow kRows[] = {
    {"relax.index_tensor", indexTensor},
    {"relax.index_put", indexPut},
    {"relax.slice_scatter", sliceScatter},
};

}  // namespace

std::span<const LegalizeRow> tensorIndexRows() { return kRows; }

}  // namespace rx::legalize
