// Choosing, sorting, sets, sampling, quantization.
#include "core/op/families.h"
#include "core/op/rules.h"

namespace rx::op {

namespace {

/// An operand of where: a tensor or a number (shape []).
struct Operand {
  DataType type;
  int64_t ndim = 0;
  const Array<PrimExpr>* dims = nullptr;
  Expr shape;
  Device device;
};

Result<Operand> operandAt(const Call& call, size_t index) {
  static const Array<PrimExpr> scalar;
  if (index < call.args.size()) {
    if (const auto* prim = as<PrimStructInfo>(infoAt(call, index)))
      return Operand{prim->dtype, 0, &scalar, nullptr, nullptr};
  }
  RX_TRY(info, tensorAt(call, index));
  const auto* shape = as<ShapeExpr>(info->shape);
  return Operand{info->dtype, info->ndim, shape ? &shape->values : nullptr, info->shape, info->vdevice};
}

Inferred inferWhere(const Call& call, InferContext& context) {
  RX_TRY(cond, operandAt(call, 0));
  RX_TRY(a, operandAt(call, 1));
  RX_TRY(b, operandAt(call, 2));
  if (!cond.type.isBool()) {
    return refuse(call, fmt::format("argument 'condition' must be bool, but is {}", dtypeText(cond.type)));
  }
  RX_TRY(type, commonType(call, a.type, b.type));
  const Device first = commonDevice(cond.device, a.device);
  const Device device = commonDevice(first, b.device);
  const bool unknown = cond.ndim == kUnknownDim || a.ndim == kUnknownDim || b.ndim == kUnknownDim;
  const int64_t rank = unknown ? kUnknownDim : std::max({cond.ndim, a.ndim, b.ndim});
  if (cond.shape && cond.shape == a.shape && a.shape == b.shape) {
    return make<TensorStructInfo>(a.shape, type, device);
  }
  if (!cond.dims || !a.dims || !b.dims) return tensorOfRank(rank, type, device);
  RX_TRY(values, broadcast(call, *a.dims, *b.dims, context));
  if (!values) return tensorOfRank(rank, type, device);
  RX_TRY(all, broadcast(call, *cond.dims, *values, context));
  if (!all) return tensorOfRank(rank, type, device);
  return tensor(std::move(*all), type, device);
}

Inferred inferBucketize(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  RX_CHECK(needRank(call, 1, 1));
  return withType(infoAt(call, 0), *data, boolAttr(call, "out_int32") ? DataType::Int(32) : DataType::Int(64));
}

Inferred inferSort(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  if (knownRank(*data)) RX_CHECK(normalAxis(call, intAttr(call, "axis"), data->ndim));
  return infoAt(call, 0);
}

Inferred inferArgsort(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  if (knownRank(*data)) RX_CHECK(normalAxis(call, intAttr(call, "axis"), data->ndim));
  const DataType type = typeAttr(call, "dtype");
  return withType(infoAt(call, 0), *data, type.isVoid() ? data->dtype : type);
}

Inferred inferTopk(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  const DataType type = typeAttr(call, "dtype");
  const std::string_view what = strAttr(call, "ret_type");
  StructInfo values = tensorOfRank(data->ndim, data->dtype, data->vdevice);
  StructInfo indices = tensorOfRank(data->ndim, type, data->vdevice);
  const Array<PrimExpr>* from = dimsOf(*data);
  if (knownRank(*data)) {
    RX_TRY(axis, normalAxis(call, intAttr(call, "axis"), data->ndim));
    if (from) {
      Dims dims = from->vector();
      PrimExpr& dim = dims[static_cast<size_t>(axis)];
      const int64_t k = intAttr(call, "k");
      const auto length = tir::asInt(dim);
      if (k > 0 && (!length || k < *length)) dim = int64(k);
      values = tensor(dims, data->dtype, data->vdevice);
      indices = tensor(std::move(dims), type, data->vdevice);
    }
  }
  if (what == "both") return relax::tupleSinfo({values, indices});
  if (what == "values") return values;
  if (what == "indices") return indices;
  return refuse(call, fmt::format("ret_type must be both, values or indices, but is '{}'", what));
}

/// A flag or axis of unique, given as a number.
Result<std::optional<int64_t>> flagAt(const Call& call, size_t index) {
  if (index >= call.args.size()) return std::optional<int64_t>();
  RX_TRY(value, primAt(call, index));
  return value ? tir::asInt(value) : std::optional<int64_t>();
}

Inferred inferUnique(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  std::vector<bool> extra;
  for (size_t i = 2; i < 5; ++i) {
    RX_TRY(flag, flagAt(call, i));
    extra.push_back(flag.value_or(0) != 0);
  }
  RX_CHECK(flagAt(call, 1));
  int64_t rank = 1;
  if (call.args.size() > 5) {
    RX_TRY(axis, flagAt(call, 5));
    rank = data->ndim;
    if (axis && knownRank(*data)) RX_CHECK(normalAxis(call, *axis, data->ndim));
  }
  // One value is one distinct value; how many there are of others is known when it runs.
  auto result = [&](DataType type, int64_t dimensions) {
    return data->ndim == 0 ? tensor({int64(1)}, type, data->vdevice) : tensorOfRank(dimensions, type, data->vdevice);
  };
  std::vector<StructInfo> items{result(data->dtype, rank)};
  for (bool wanted : extra) {
    if (wanted) items.push_back(result(DataType::Int(64), 1));
  }
  if (items.size() == 1) return items[0];
  return relax::tupleSinfo(std::move(items));
}

Inferred inferNonzero(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  return tensorOfRank(2, DataType::Int(64), data->vdevice);
}

Inferred inferMultinomial(const Call& call, InferContext& context) {
  RX_TRY(prob, tensorAt(call, 0));
  RX_TRY(uniform, tensorAt(call, 1));
  RX_TRY(indices, tensorAt(call, 2));
  for (size_t i = 0; i < 3; ++i) RX_CHECK(needRank(call, i, 2));
  RX_CHECK(needFloat(call, 0));
  RX_CHECK(needFloat(call, 1));
  if (!indices->dtype.isVoid() && !indices->dtype.isInt()) {
    return refuse(call,
                  fmt::format("argument 'sample_indices' must have an integer type, but is {}", indices->dtype.str()));
  }
  const DataType type = typeAttr(call, "dtype");
  const Array<PrimExpr>* u = dimsOf(*uniform);
  const Array<PrimExpr>* s = dimsOf(*indices);
  for (const Array<PrimExpr>* dims : {u, s}) {
    if (dims && matchValues((*dims)[1], int64(1), context) == Match::Different) {
      return refuse(call, "uniform_sample and sample_indices must have 1 column");
    }
  }
  if (u && s && matchValues((*u)[0], (*s)[0], context) == Match::Different) {
    return refuse(call, "uniform_sample and sample_indices must have the same number of rows");
  }
  const bool ranks = knownRank(*prob) && knownRank(*uniform) && knownRank(*indices);
  if (!u || !s || !dimsOf(*prob)) return tensorOfRank(ranks ? 2 : kUnknownDim, type, prob->vdevice);
  return tensor({(*u)[0], int64(1)}, type, prob->vdevice);
}

/// Scale or zero point: a scalar, or for sure as long as the axis.
Result<Unit> checkAlongAxis(const Call& call, size_t index, const TensorStructInfo& data, int64_t axis,
                            InferContext& context) {
  RX_TRY(info, tensorAt(call, index));
  const Array<PrimExpr>* dims = dimsOf(*info);
  const auto isOne = [](const PrimExpr& dim) { return isConstInt(dim, 1); };
  if (info->ndim == 0 || (dims && std::all_of(dims->begin(), dims->end(), isOne))) return Unit{};
  const Array<PrimExpr>* from = dimsOf(data);
  if (!dims || !from) {
    return refuse(call, fmt::format("argument '{}' is no scalar, so its shape and that of the data must be known",
                                    argName(call, index)));
  }
  const PrimExpr& length = (*from)[static_cast<size_t>(axis)];
  if (!equalValues((*dims)[0], length, context)) {
    return refuse(call, fmt::format("argument '{}' has {} elements, axis {} of the data {}", argName(call, index),
                                    primText((*dims)[0]), axis, primText(length)));
  }
  return Unit{};
}

bool isOneOf(DataType type, std::initializer_list<DataType> list) {
  return std::find(list.begin(), list.end(), type) != list.end();
}
const DataType kFloat8a{TypeCode::Float8E4M3FN, 8, 1};
const DataType kFloat8b{TypeCode::Float8E5M2, 8, 1};

Inferred quantized(const Call& call, InferContext& context, bool toInteger) {
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(scale, tensorAt(call, 1));
  RX_TRY(zero, tensorAt(call, 2));
  const DataType out = typeAttr(call, "out_dtype");
  const std::initializer_list<DataType> real = {DataType::Float(16), DataType::Float(32)};
  const std::initializer_list<DataType> coded = {DataType::Int(8),   DataType::UInt(8), DataType::Int(16),
                                                 DataType::UInt(16), kFloat8a,          kFloat8b};
  const std::initializer_list<DataType> decoded = {DataType::Int(32), DataType::Float(16), DataType::Float(32)};
  const bool from =
      toInteger ? isOneOf(data->dtype, real) : isOneOf(data->dtype, coded) || isOneOf(data->dtype, decoded);
  const bool to = isOneOf(out, toInteger ? coded : real);
  if (!from || !to) {
    return refuse(call, fmt::format("no conversion of data that is {} to {}", dtypeText(data->dtype), dtypeText(out)));
  }
  if (!isOneOf(scale->dtype, real)) {
    return refuse(call, fmt::format("argument 'scale' must be float16 or float32, but is {}", dtypeText(scale->dtype)));
  }
  if (!isOneOf(zero->dtype, {DataType::Int(8), DataType::UInt(8), DataType::Int(16), DataType::UInt(16),
                             DataType::Int(32), DataType::UInt(32), DataType::Float(16)})) {
    return refuse(call, fmt::format("argument 'zero_point' must be an integer of 8 to 32 bits or float16, but is {}",
                                    dtypeText(zero->dtype)));
  }
  if (!knownRank(*data)) return refuse(call, "the number of dimensions of argument 'data' must be known");
  RX_TRY(axis, normalAxis(call, intAttr(call, "axis"), data->ndim));
  RX_CHECK(checkAlongAxis(call, 1, *data, axis, context));
  RX_CHECK(checkAlongAxis(call, 2, *data, axis, context));
  return withType(infoAt(call, 0), *data, out);
}

Inferred inferQuantize(const Call& call, InferContext& context) { return quantized(call, context, true); }
Inferred inferDequantize(const Call& call, InferContext& context) { return quantized(call, context, false); }

constexpr OpSpec kRows[] = {
    {"relax.where", "condition: expr, x1: expr, x2: expr", inferWhere, "x1 where the condition holds, x2 elsewhere."},
    {"relax.bucketize", "input_tensor: expr, boundaries: expr, out_int32: bool = False, right: bool = False",
     inferBucketize, "Index of the bucket of each element."},
    {"relax.sort", "x: expr, axis: int = -1, descending: bool = False", inferSort, "Sorted along an axis."},
    {"relax.argsort", "data: expr, axis: int = -1, descending: bool = False, dtype: dtype = 'int32'", inferArgsort,
     "Indices that sort along an axis."},
    {"relax.topk",
     "data: expr, k: int = 1, axis: int = -1, ret_type: str = 'both', largest: bool = True, dtype: dtype = 'int32'",
     inferTopk, "The k largest or smallest elements along an axis."},
    {"relax.unique",
     "x: expr, sorted: prim = True, return_index: prim = False, return_inverse: prim = False, "
     "return_counts: prim = False, axis: prim?",
     inferUnique, "Distinct elements.", nullptr, kDataDependent},
    {"relax.nonzero", "x: expr", inferNonzero, "Indices of elements that are not 0.", nullptr, kDataDependent},
    {"relax.multinomial_from_uniform", "prob: expr, uniform_sample: expr, sample_indices: expr, dtype: dtype = 'int64'",
     inferMultinomial, "Samples of distributions, from uniform numbers."},
    {"relax.quantize", "data: expr, scale: expr, zero_point: expr, axis: int = -1, out_dtype: dtype = 'int8'",
     inferQuantize, "Real numbers as small integers.", nullptr, kPure, "out_dtype axis"},
    {"relax.dequantize", "data: expr, scale: expr, zero_point: expr, axis: int = -1, out_dtype: dtype = 'float32'",
     inferDequantize, "Small integers as real numbers.", nullptr, kPure, "out_dtype axis"},
};

}  // namespace

std::span<const OpSpec> searchOps() { return kRows; }

}  // namespace rx::op
