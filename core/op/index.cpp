// Operators that read parts of a tensor by position.
#include "core/op/families.h"
#include "core/op/rules.h"

namespace rx::op {

namespace {

Inferred inferTake(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  if (call.args.size() < 2) return refuse(call, "argument 'indices' is missing");
  int64_t count = 0;
  DataType type;
  Array<PrimExpr> scalar;
  const Array<PrimExpr>* at = &scalar;
  Device other;
  if (const auto* prim = as<PrimStructInfo>(infoAt(call, 1))) {
    type = prim->dtype;
  } else {
    RX_TRY(indices, tensorAt(call, 1));
    type = indices->dtype;
    count = indices->ndim;
    at = dimsOf(*indices);
  }
  if (!type.isVoid() && !type.isInt() && !type.isUInt()) {
    return refuse(call, fmt::format("argument 'indices' must have an integer type, but is {}", type.str()));
  }
  const auto axis = intOrNone(call, "axis");
  if (!axis && data->ndim != 1) {
    return refuse(call, "the attribute axis may be None only for data of 1 dimension");
  }
  if (!knownRank(*data) || count == kUnknownDim) return tensorOfRank(kUnknownDim, data->dtype, data->vdevice);
  RX_TRY(normal, normalAxis(call, axis.value_or(0), data->ndim));
  const Array<PrimExpr>* from = dimsOf(*data);
  if (!from || !at) return tensorOfRank(count + data->ndim - 1, data->dtype, data->vdevice);
  Dims dims(from->begin(), from->begin() + normal);
  dims.insert(dims.end(), at->begin(), at->end());
  dims.insert(dims.end(), from->begin() + normal + 1, from->end());
  return tensor(std::move(dims), data->dtype, data->vdevice);
}

/// The number of a tuple argument that must hold integers: its values where they are known.
struct Numbers {
  std::optional<Dims> values;
  std::optional<size_t> count;
};

Result<Numbers> numbersAt(const Call& call, size_t index) {
  Numbers numbers;
  const StructInfo& info = infoAt(call, index);
  if (isa<relax::ObjectStructInfo>(info)) return numbers;
  const auto* tuple = as<TupleStructInfo>(info);
  if (!tuple) {
    return refuse(call, fmt::format("argument '{}' must be a tuple of integers, but is {}", argName(call, index),
                                    sinfoText(info)));
  }
  Dims values;
  bool known = true;
  const auto* literal = as<relax::Tuple>(call.args[index]);
  for (size_t i = 0; i < tuple->items.size(); ++i) {
    const auto* prim = as<PrimStructInfo>(tuple->items[i]);
    if (!prim || !prim->dtype.isInt()) {
      return refuse(call, fmt::format("argument '{}' must be a tuple of integers, but item {} is {}",
                                      argName(call, index), i, sinfoText(tuple->items[i])));
    }
    PrimExpr value = prim->value;
    if (literal) {
      if (const auto* boxed = as<relax::PrimValue>(literal->items[i])) value = boxed->value;
    }
    known = known && value;
    if (known) values.push_back(value);
  }
  numbers.count = tuple->items.size();
  if (known) numbers.values = std::move(values);
  return numbers;
}

/// A start or end as a place in [0, length] (or [-1, length - 1] going backwards).
PrimExpr canonicalIndex(PrimExpr index, const PrimExpr& length, const PrimExpr& stride) {
  const auto* a = as<tir::Var>(index);
  const auto* b = as<tir::Var>(length);
  if (a && b && a == b) return index;
  const PrimExpr zero = int64(0), minusOne = int64(-1);
  const PrimExpr backwards = arith::lt(stride, zero);
  const PrimExpr low = ifThenElse(backwards, minusOne, zero);
  const PrimExpr high = ifThenElse(backwards, arith::sub(length, int64(1)), length);
  const auto constant = tir::asInt(index);
  if (!constant || *constant < 0) index = ifThenElse(arith::lt(index, zero), arith::add(index, length), index);
  return arith::min(arith::max(index, low), high);
}

PrimExpr sliceLength(PrimExpr begin, PrimExpr end, const PrimExpr& stride, const PrimExpr& length, bool inbound) {
  if (inbound) return ceilDiv(arith::sub(end, begin), stride);
  begin = canonicalIndex(begin, length, stride);
  end = canonicalIndex(end, length, stride);
  // A constant stride decides the direction here, so that no division by its negation is left over.
  if (auto constant = tir::asInt(stride)) {
    return *constant < 0 ? ceilDiv(arith::sub(begin, end), int64(-*constant)) : ceilDiv(arith::sub(end, begin), stride);
  }
  return ifThenElse(arith::lt(stride, int64(0)), ceilDiv(arith::sub(begin, end), arith::neg(stride)),
                    ceilDiv(arith::sub(end, begin), stride));
}

Inferred inferStridedSlice(const Call& call, InferContext& context) {
  RX_TRY(data, tensorAt(call, 0));
  if (call.args.size() < 4) return refuse(call, "axes, begin and end are needed");
  std::vector<Numbers> lists;
  for (size_t i = 1; i < call.args.size(); ++i) {
    RX_TRY(numbers, numbersAt(call, i));
    lists.push_back(std::move(numbers));
  }
  for (size_t i = 1; i < lists.size(); ++i) {
    if (lists[0].count && lists[i].count && *lists[i].count != *lists[0].count) {
      return refuse(call, fmt::format("argument '{}' has {} items, but {} axes are given", argName(call, i + 1),
                                      *lists[i].count, *lists[0].count));
    }
  }
  std::vector<int64_t> axes;
  bool known = lists[0].values.has_value();
  if (known) {
    for (const PrimExpr& axis : *lists[0].values) {
      const auto constant = tir::asInt(axis);
      known = known && constant;
      if (known) axes.push_back(*constant);
    }
  }
  if (known && knownRank(*data)) {
    RX_TRY(normal, normalAxes(call, axes, data->ndim));
    axes = normal;
  }
  if (known && axes.empty()) {
    const Array<PrimExpr>* values = dimsOf(*data) ? nullptr : valuesOf(*data);
    return values ? tensor(values->vector(), data->dtype, data->vdevice) : infoAt(call, 0);
  }
  const auto* shape = as<ShapeExpr>(data->shape);
  for (size_t i = 1; i < lists.size(); ++i) known = known && lists[i].values;
  if (!known || !shape) return tensorOfRank(data->ndim, data->dtype, data->vdevice);
  const bool inbound = boolAttr(call, "assume_inbound");
  Dims dims = shape->values.vector();
  for (size_t i = 0; i < axes.size(); ++i) {
    PrimExpr& dim = dims[static_cast<size_t>(axes[i])];
    const PrimExpr stride = lists.size() > 3 ? (*lists[3].values)[i] : int64(1);
    if (isConstInt(stride, 0)) return refuse(call, "argument 'strides' must not hold 0");
    dim = simplify(sliceLength((*lists[1].values)[i], (*lists[2].values)[i], stride, dim, inbound), context);
  }
  return tensor(std::move(dims), data->dtype, data->vdevice);
}

Inferred inferDynamicSlice(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  for (size_t i = 1; i < 4; ++i) RX_CHECK(tensorAt(call, i));
  if (!knownRank(*data)) return tensorOfRank(data->ndim, data->dtype, data->vdevice);
  for (size_t i = 1; i < 4; ++i) {
    RX_TRY(info, tensorAt(call, i));
    RX_CHECK(needRank(call, i, 1));
    if (!info->dtype.isVoid() && info->dtype != DataType::Int(64)) {
      return refuse(call, fmt::format("argument '{}' must be int64, but is {}", argName(call, i), info->dtype.str()));
    }
    const Array<PrimExpr>* dims = dimsOf(*info);
    const auto length = dims ? tir::asInt((*dims)[0]) : std::nullopt;
    if (!length) return refuse(call, fmt::format("the length of argument '{}' must be known", argName(call, i)));
    if (*length != data->ndim) {
      return refuse(call, fmt::format("argument '{}' must have {} elements, one for each dimension, but has {}",
                                      argName(call, i), data->ndim, *length));
    }
  }
  return tensorOfRank(data->ndim, data->dtype, data->vdevice);
}

constexpr OpSpec kRows[] = {
    {"relax.take", "x: expr, indices: expr, axis: int? = None, mode: str = 'fast'", inferTake,
     "Slices picked by index along an axis."},
    {"relax.strided_slice",
     "x: expr, axes: prims, begin: prims, end: prims, strides: prims?, assume_inbound: bool = False", inferStridedSlice,
     "A slice with begin, end and stride for some axes."},
    {"relax.dynamic_strided_slice", "x: expr, begin: expr, end: expr, strides: expr", inferDynamicSlice,
     "A slice whose bounds are tensors.", nullptr, kDataDependent},
};

}  // namespace

std::span<const OpSpec> indexOps() { return kRows; }

}  // namespace rx::op
