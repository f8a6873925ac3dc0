// Operators of several tensors that join, split, or move elements by index.
#include "core/op/families.h"
#include "core/op/rules.h"

namespace rx::op {

namespace {

/// What is common to a list of tensors that are joined.
struct Joined {
  DataType dtype;
  int64_t ndim = kUnknownDim;
  Device device;
  bool allShapes = true;
  std::vector<const Array<PrimExpr>*> shapes;  ///< the known ones
};

Result<Joined> join(const Call& call, const std::vector<const TensorStructInfo*>& infos, int64_t ndim) {
  if (infos.empty()) return refuse(call, "at least one tensor is needed");
  Joined joined;
  joined.ndim = ndim;
  bool unknownType = false;
  for (const TensorStructInfo* info : infos) {
    if (info->dtype.isVoid()) {
      unknownType = true;
    } else if (joined.dtype.isVoid()) {
      joined.dtype = info->dtype;
    } else if (joined.dtype != info->dtype) {
      return refuse(call, fmt::format("all tensors must have the same type, but they are {} and {}", joined.dtype.str(),
                                      info->dtype.str()));
    }
    if (knownRank(*info)) {
      if (joined.ndim == kUnknownDim) joined.ndim = info->ndim;
      if (joined.ndim != info->ndim) {
        return refuse(call, fmt::format("all tensors must have the same rank, but they have {} and {} dimensions",
                                        joined.ndim, info->ndim));
      }
    }
    if (const Array<PrimExpr>* dims = valuesOf(*info)) joined.shapes.push_back(dims);
    if (!dimsOf(*info)) joined.allShapes = false;
  }
  if (unknownType) joined.dtype = DataType::Void();
  const Device device = commonDevice(infos);
  joined.device = device;
  return joined;
}

/// Whether all known shapes agree beside `skip`; a refusal when they can not.
Result<bool> agree(const Call& call, const Joined& joined, int64_t skip, InferContext& context) {
  bool sure = true;
  for (size_t i = 1; i < joined.shapes.size(); ++i) {
    for (int64_t d = 0; d < joined.ndim; ++d) {
      if (d == skip) continue;
      const PrimExpr& first = (*joined.shapes[0])[static_cast<size_t>(d)];
      const PrimExpr& other = (*joined.shapes[i])[static_cast<size_t>(d)];
      const Match match = matchValues(first, other, context);
      if (match == Match::Different) {
        return refuse(call, fmt::format("dimension {} of all tensors must be equal, but it is {} and {}", d,
                                        primText(first), primText(other)));
      }
      sure = sure && match == Match::Equal;
    }
  }
  return sure;
}

Inferred inferConcat(const Call& call, InferContext& context) {
  RX_TRY(infos, tensorTupleAt(call, 0));
  const auto axis = intOrNone(call, "axis");
  RX_TRY(joined, join(call, infos, axis ? kUnknownDim : 1));
  if (joined.ndim == kUnknownDim) {
    if (infos.size() == 1) return cast<TupleStructInfo>(infoAt(call, 0))->items[0];
    return tensorOfRank(kUnknownDim, joined.dtype, joined.device);
  }
  RX_TRY(normal, normalAxis(call, axis.value_or(0), joined.ndim));
  if (infos.size() == 1) return cast<TupleStructInfo>(infoAt(call, 0))->items[0];
  if (joined.shapes.empty()) return tensorOfRank(joined.ndim, joined.dtype, joined.device);
  RX_TRY(sure, agree(call, joined, normal, context));
  if (!sure || !joined.allShapes) return tensorOfRank(joined.ndim, joined.dtype, joined.device);
  Dims dims = joined.shapes[0]->vector();
  PrimExpr& sum = dims[static_cast<size_t>(normal)];
  for (size_t i = 1; i < joined.shapes.size(); ++i)
    sum = arith::add(sum, (*joined.shapes[i])[static_cast<size_t>(normal)]);
  return tensor(std::move(dims), joined.dtype, joined.device);
}

Inferred inferStack(const Call& call, InferContext& context) {
  RX_TRY(infos, tensorTupleAt(call, 0));
  RX_TRY(joined, join(call, infos, kUnknownDim));
  if (joined.ndim == kUnknownDim) return tensorOfRank(kUnknownDim, joined.dtype, joined.device);
  RX_TRY(axis, normalAxis(call, intOrNone(call, "axis").value_or(0), joined.ndim + 1));
  RX_TRY(sure, agree(call, joined, -1, context));
  if (!sure || !joined.allShapes) return tensorOfRank(joined.ndim + 1, joined.dtype, joined.device);
  Dims dims = joined.shapes[0]->vector();
  dims.insert(dims.begin() + axis, int64(static_cast<int64_t>(infos.size())));
  return tensor(std::move(dims), joined.dtype, joined.device);
}

Inferred splitAt(const Call& call, const TensorStructInfo& data, const Dims& points, int64_t axis,
                 InferContext& context) {
  const auto* shape = as<ShapeExpr>(data.shape);
  if (!shape) {
    StructInfo piece = tensorOfRank(data.ndim, data.dtype, data.vdevice);
    return relax::tupleSinfo(std::vector<StructInfo>(points.size() + 1, piece));
  }
  const PrimExpr& length = shape->values[static_cast<size_t>(axis)];
  std::vector<StructInfo> pieces;
  PrimExpr from = int64(0);
  for (size_t i = 0; i <= points.size(); ++i) {
    PrimExpr to = i < points.size() ? arith::max(points[i], int64(0)) : length;
    Dims dims = shape->values.vector();
    PrimExpr size = arith::sub(arith::min(to, length), arith::min(from, length));
    dims[static_cast<size_t>(axis)] = simplify(arith::max(size, int64(0)), context);
    pieces.push_back(tensor(std::move(dims), data.dtype, data.vdevice));
    from = to;
  }
  (void)call;
  return relax::tupleSinfo(std::move(pieces));
}

Inferred inferSplit(const Call& call, InferContext& context) {
  RX_TRY(data, tensorAt(call, 0));
  int64_t axis = -1;
  if (knownRank(*data)) {
    RX_TRY(normal, normalAxis(call, intAttr(call, "axis"), data->ndim));
    axis = normal;
  }
  const NodeRef& given = attr(call, "indices_or_sections");
  if (isa<ir::ArrayAttr>(given)) {
    const Dims points = dimsAttr(call, "indices_or_sections");
    if (points.empty()) return infoAt(call, 0);
    return splitAt(call, *data, points, axis, context);
  }
  const auto sections = intOrNone(call, "indices_or_sections");
  if (!sections || *sections <= 0) return refuse(call, "the number of sections must be a positive integer");
  if (*sections > 100000) return refuse(call, fmt::format("{} sections are more than 100000", *sections));
  if (*sections == 1) return infoAt(call, 0);
  const auto* shape = as<ShapeExpr>(data->shape);
  const size_t count = static_cast<size_t>(*sections);
  if (!shape) {
    return relax::tupleSinfo(std::vector<StructInfo>(count, tensorOfRank(data->ndim, data->dtype, data->vdevice)));
  }
  Dims dims = shape->values.vector();
  PrimExpr& length = dims[static_cast<size_t>(axis)];
  const PrimExpr whole = length;
  length = simplify(ceilDiv(whole, int64(*sections)), context);
  const PrimExpr rest = arith::sub(whole, arith::mul(length, int64(*sections - 1)));
  std::vector<StructInfo> pieces(count - 1, tensor(dims, data->dtype, data->vdevice));
  length = simplify(rest, context);
  pieces.push_back(tensor(std::move(dims), data->dtype, data->vdevice));
  return relax::tupleSinfo(std::move(pieces));
}

Result<Unit> needIntegers(const Call& call, size_t index) {
  RX_TRY(info, tensorAt(call, index));
  if (!info->dtype.isVoid() && !info->dtype.isInt() && !info->dtype.isUInt()) {
    return refuse(call, fmt::format("argument '{}' must have an integer type, but is {}", argName(call, index),
                                    dtypeText(info->dtype)));
  }
  return Unit{};
}

Inferred inferGatherElements(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(indices, tensorAt(call, 1));
  RX_CHECK(needIntegers(call, 1));
  const int64_t axis = intAttr(call, "axis");
  if (knownRank(*data) && knownRank(*indices) && data->ndim != indices->ndim) {
    return refuse(call, fmt::format("data has {} dimensions, indices have {}", data->ndim, indices->ndim));
  }
  if (!knownRank(*data) || !knownRank(*indices)) return tensorOfRank(kUnknownDim, data->dtype, data->vdevice);
  RX_CHECK(normalAxis(call, axis, data->ndim));
  if (indices->shape) return make<TensorStructInfo>(indices->shape, data->dtype, data->vdevice);
  return tensorOfRank(indices->ndim, data->dtype, data->vdevice);
}

Inferred inferGatherNd(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(indices, tensorAt(call, 1));
  if (!indices->dtype.isVoid() && indices->dtype != DataType::Int(64)) {
    return refuse(call, fmt::format("argument 'indices' must be int64, but is {}", indices->dtype.str()));
  }
  const int64_t batch = intAttr(call, "batch_dims");
  if (batch < 0) return refuse(call, fmt::format("batch_dims must not be negative, but is {}", batch));
  if (!knownRank(*data) || !knownRank(*indices)) return tensorOfRank(kUnknownDim, data->dtype, data->vdevice);
  if (indices->ndim < 1) return refuse(call, "argument 'indices' must have at least 1 dimension");
  if (batch > data->ndim || batch >= indices->ndim) {
    return refuse(call,
                  fmt::format("batch_dims is {}, but data has {} dimensions and indices have {}, the last of them "
                              "the components of an index",
                              batch, data->ndim, indices->ndim));
  }
  const Array<PrimExpr>* at = dimsOf(*indices);
  const auto depth = at ? tir::asInt(at->back()) : std::nullopt;
  if (!depth) return tensorOfRank(kUnknownDim, data->dtype, data->vdevice);
  const int64_t rank = indices->ndim + data->ndim - 1 - *depth - batch;
  if (*depth < 0 || batch + *depth > data->ndim || rank < 0) {
    return refuse(
        call, fmt::format("indices of {} components do not fit data of {} dimensions with {} batch dimensions", *depth,
                          data->ndim, batch));
  }
  const Array<PrimExpr>* from = dimsOf(*data);
  if (!from) return tensorOfRank(rank, data->dtype, data->vdevice);
  Dims dims(at->begin(), at->end() - 1);
  dims.insert(dims.end(), from->begin() + batch + *depth, from->end());
  return tensor(std::move(dims), data->dtype, data->vdevice);
}

/// The result of what writes into a copy of its first argument.
StructInfo likeData(const Call& call) { return infoAt(call, 0); }

Inferred inferScatterElements(const Call& call, InferContext& context) {
  RX_TRY(infos, tensorsOf(call, 3));
  const TensorStructInfo &data = *infos[0], &indices = *infos[1], &updates = *infos[2];
  auto needSameRank = [&](const TensorStructInfo& other, std::string_view name) -> Result<Unit> {
    if (knownRank(other) && data.ndim != other.ndim) {
      return refuse(call, fmt::format("data has {} dimensions, {} {}", data.ndim, name, other.ndim));
    }
    return Unit{};
  };
  if (!knownRank(data)) return likeData(call);
  RX_CHECK(needSameRank(indices, "indices"));
  RX_CHECK(needSameRank(updates, "updates"));
  RX_CHECK(needIntegers(call, 1));
  if (!data.dtype.isVoid() && !updates.dtype.isVoid() && data.dtype != updates.dtype) {
    return refuse(call, fmt::format("data is {}, updates are {}", data.dtype.str(), updates.dtype.str()));
  }
  const Array<PrimExpr>* at = dimsOf(indices);
  const Array<PrimExpr>* values = dimsOf(updates);
  if (at && values && matchShapes(*at, *values, context) == Match::Different) {
    return refuse(call, fmt::format("indices have shape {}, updates {}", shapeText(*at), shapeText(*values)));
  }
  RX_CHECK(normalAxis(call, intAttr(call, "axis"), data.ndim));
  return likeData(call);
}

Inferred inferScatterNd(const Call& call, InferContext& context) {
  RX_TRY(infos, tensorsOf(call, 3));
  const TensorStructInfo &data = *infos[0], &indices = *infos[1], &updates = *infos[2];
  RX_CHECK(needIntegers(call, 1));
  if (!data.dtype.isVoid() && !updates.dtype.isVoid() && data.dtype != updates.dtype) {
    return refuse(call, fmt::format("data is {}, updates are {}", data.dtype.str(), updates.dtype.str()));
  }
  if (data.dtype.isVoid() || updates.dtype.isVoid()) {
    return refuse(call, fmt::format("the types of data and updates must be known, but data is {} and updates are {}",
                                    dtypeText(data.dtype), dtypeText(updates.dtype)));
  }
  const Array<PrimExpr>* from = dimsOf(data);
  const Array<PrimExpr>* at = dimsOf(indices);
  const Array<PrimExpr>* values = dimsOf(updates);
  if (!from) return tensorOfRank(data.ndim, data.dtype, data.vdevice);
  if (at && values && !at->empty()) {
    const auto depth = tir::asInt(at->back());
    if (!depth) {
      return refuse(call,
                    fmt::format("the last dimension of indices must be a constant, but is {}", primText(at->back())));
    }
    if (*depth < 0 || *depth > data.ndim) {
      return refuse(call, fmt::format("indices of {} components do not fit data of {} dimensions", *depth, data.ndim));
    }
    Dims expected(at->begin(), at->end() - 1);
    expected.insert(expected.end(), from->begin() + *depth, from->end());
    if (!equalShapes(expected, *values, context)) {
      return refuse(call,
                    fmt::format("updates must have shape {}, but have {}", shapeText(expected), shapeText(*values)));
    }
  }
  return likeData(call);
}

Inferred inferSliceScatter(const Call& call, InferContext& context) {
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(source, tensorAt(call, 1));
  if (knownRank(*data) && knownRank(*source) && data->ndim != source->ndim) {
    return refuse(call, fmt::format("input has {} dimensions, src {}", data->ndim, source->ndim));
  }
  if (!data->dtype.isVoid() && !source->dtype.isVoid() && data->dtype != source->dtype) {
    return refuse(call, fmt::format("input is {}, src is {}", data->dtype.str(), source->dtype.str()));
  }
  int64_t axis = 0;
  if (knownRank(*data)) {
    RX_TRY(normal, normalAxis(call, intAttr(call, "axis"), data->ndim));
    axis = normal;
  }
  PrimExpr bounds[3];  // start, end, step
  for (size_t i = 0; i < 3 && i + 2 < call.args.size(); ++i) {
    RX_TRY(value, primAt(call, i + 2));
    bounds[i] = value;
  }
  const auto step = bounds[2] ? tir::asInt(bounds[2]) : std::nullopt;
  if (step && *step < 1) return refuse(call, fmt::format("step must be at least 1, but is {}", *step));
  if (!bounds[0] || !bounds[1]) return likeData(call);
  const PrimExpr length = simplify(arith::sub(bounds[1], bounds[0]), context);
  if (const auto known = tir::asInt(length); known && *known < 0) {
    return refuse(call, fmt::format("start {} is behind end {}", primText(bounds[0]), primText(bounds[1])));
  }
  const Array<PrimExpr>* into = dimsOf(*data);
  const Array<PrimExpr>* from = dimsOf(*source);
  if (!into || !from) return likeData(call);
  for (size_t i = 0; i < into->size(); ++i) {
    PrimExpr wanted = (*into)[i];
    if (static_cast<int64_t>(i) == axis) {
      if (!step) continue;
      wanted = simplify(ceilDiv(length, int64(*step)), context);
    }
    if (matchValues(wanted, (*from)[i], context) == Match::Different) {
      return refuse(
          call, fmt::format("dimension {} of src must be {}, but is {}", i, primText(wanted), primText((*from)[i])));
    }
  }
  return likeData(call);
}

Inferred inferIndexPut(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(indices, tensorTupleAt(call, 1));
  RX_TRY(values, tensorAt(call, 2));
  for (const TensorStructInfo* index : indices) {
    if (!index->dtype.isVoid() && !index->dtype.isIntegral()) {
      return refuse(call, fmt::format("indices must have an integer type, but one is {}", index->dtype.str()));
    }
  }
  if (knownRank(*data) && static_cast<int64_t>(indices.size()) != data->ndim) {
    return refuse(call, fmt::format("{} indices for {} dimensions", indices.size(), data->ndim));
  }
  if (!data->dtype.isVoid() && !values->dtype.isVoid() && data->dtype != values->dtype) {
    return refuse(call, fmt::format("data is {}, values are {}", data->dtype.str(), values->dtype.str()));
  }
  return likeData(call);
}

Inferred inferIndexTensor(const Call& call, InferContext& context) {
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(indices, tensorTupleAt(call, 1));
  if (indices.empty()) return refuse(call, "at least one index tensor is needed");
  for (const TensorStructInfo* index : indices) {
    if (!index->dtype.isVoid() && !index->dtype.isInt()) {
      return refuse(call, fmt::format("indices must have an integer type, but one is {}", index->dtype.str()));
    }
  }
  const int64_t count = static_cast<int64_t>(indices.size());
  if (knownRank(*data) && count > data->ndim) {
    return refuse(call, fmt::format("{} indices for {} dimensions", count, data->ndim));
  }
  int64_t rank = 0;
  bool known = true;
  Dims common;
  for (const TensorStructInfo* index : indices) {
    if (!knownRank(*index) || rank == kUnknownDim) {
      rank = kUnknownDim;
    } else {
      rank = std::max(rank, index->ndim);
    }
    const Array<PrimExpr>* dims = dimsOf(*index);
    known = known && dims;
    if (!known) continue;
    RX_TRY(next, broadcast(call, common, *dims, context));
    known = next.has_value();
    if (known) common = std::move(*next);
  }
  if (!knownRank(*data) || rank == kUnknownDim) return tensorOfRank(kUnknownDim, data->dtype, data->vdevice);
  const Array<PrimExpr>* from = dimsOf(*data);
  if (!known || !from) return tensorOfRank(rank + data->ndim - count, data->dtype, data->vdevice);
  common.insert(common.end(), from->begin() + count, from->end());
  return tensor(std::move(common), data->dtype, data->vdevice);
}

Inferred inferMeshgrid(const Call& call, InferContext&) {
  RX_TRY(infos, tensorTupleAt(call, 0));
  if (infos.empty()) return refuse(call, "at least one tensor is needed");
  DataType dtype = infos[0]->dtype;
  Dims dims;
  bool known = true;
  const Device device = commonDevice(infos);
  for (const TensorStructInfo* info : infos) {
    if (info->ndim != 1) {
      return refuse(call, fmt::format("every tensor must have 1 dimension, but one has {}",
                                      knownRank(*info) ? std::to_string(info->ndim) : "an unknown number"));
    }
    if (dtype.isVoid()) dtype = info->dtype;
    if (!info->dtype.isVoid() && info->dtype != dtype) {
      return refuse(call, fmt::format("all tensors must have the same type, but they are {} and {}", dtype.str(),
                                      info->dtype.str()));
    }
    // Without a type a shape is not trusted either.
    const Array<PrimExpr>* shape = info->dtype.isVoid() ? nullptr : dimsOf(*info);
    known = known && shape;
    if (known) dims.push_back((*shape)[0]);
  }
  StructInfo grid =
      known ? tensor(std::move(dims), dtype, device) : tensorOfRank(static_cast<int64_t>(infos.size()), dtype, device);
  return relax::tupleSinfo(std::vector<StructInfo>(infos.size(), grid));
}

Inferred inferOneHot(const Call& call, InferContext&) {
  RX_TRY(indices, tensorAt(call, 0));
  RX_CHECK(needIntegers(call, 0));
  RX_CHECK(primAt(call, 1));
  RX_CHECK(primAt(call, 2));
  const int64_t depth = intAttr(call, "depth");
  if (depth <= 0) return refuse(call, fmt::format("depth must be positive, but is {}", depth));
  const auto* on = as<PrimStructInfo>(infoAt(call, 1));
  const DataType dtype = on ? on->dtype : DataType::Void();
  if (const auto* off = as<PrimStructInfo>(infoAt(call, 2)); off && on && off->dtype != on->dtype) {
    return refuse(call, fmt::format("on_value is {}, off_value is {}", on->dtype.str(), off->dtype.str()));
  }
  if (!knownRank(*indices)) return tensorOfRank(kUnknownDim, dtype, indices->vdevice);
  RX_TRY(axis, normalAxis(call, intAttr(call, "axis"), indices->ndim + 1));
  const Array<PrimExpr>* from = dimsOf(*indices);
  if (!from) return tensorOfRank(indices->ndim + 1, dtype, indices->vdevice);
  Dims dims = from->vector();
  dims.insert(dims.begin() + axis, int64(depth));
  return tensor(std::move(dims), dtype, indices->vdevice);
}

constexpr OpSpec kRows[] = {
    {"relax.concat", "tensors: tuple, axis: int? = 0", inferConcat, "Tensors joined along an axis."},
    {"relax.stack", "tensors: tuple, axis: int? = 0", inferStack, "Tensors joined along a new axis."},
    {"relax.split", "x: expr, indices_or_sections: attr, axis: int = 0", inferSplit,
     "Pieces along an axis, by their number or by their starts."},
    {"relax.gather_elements", "data: expr, indices: expr, axis: int = 0", inferGatherElements,
     "Elements picked along an axis."},
    {"relax.gather_nd", "data: expr, indices: expr, batch_dims: int = 0", inferGatherNd,
     "Slices picked by index vectors."},
    {"relax.scatter_elements", "data: expr, indices: expr, updates: expr, axis: int = 0, reduction: str = 'update'",
     inferScatterElements, "Elements written along an axis."},
    {"relax.scatter_nd", "data: expr, indices: expr, updates: expr, reduction: str = 'update'", inferScatterNd,
     "Slices written at index vectors."},
    {"relax.slice_scatter", "input_tensor: expr, src: expr, start: prim, end: prim, step: prim, axis: int = 0",
     inferSliceScatter, "A slice written into a tensor."},
    {"relax.index_put", "data: expr, indices: tuple, values: expr, accumulate: bool = False", inferIndexPut,
     "Values written at indices."},
    {"relax.index_tensor", "data: expr, indices: tuple", inferIndexTensor, "Advanced indexing with tensors."},
    {"relax.meshgrid", "tensors: tuple, indexing: str? = 'ij'", inferMeshgrid, "Coordinate grids of vectors."},
    {"relax.one_hot", "indices: expr, on_value: prim, off_value: prim, depth: int, axis: int = -1", inferOneHot,
     "One-hot vectors of indices."},
};

}  // namespace

std::span<const OpSpec> gatherOps() { return kRows; }

}  // namespace rx::op
