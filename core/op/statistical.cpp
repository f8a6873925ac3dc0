// Reductions and scans.
#include "core/op/families.h"
#include "core/op/rules.h"

namespace rx::op {

namespace {

/// The result of reducing `axes` (nothing: all); `type` is its element type.
Inferred reduced(const Call& call, const TensorStructInfo& data, const std::optional<std::vector<int64_t>>& axes,
                 bool keep, DataType type) {
  if (!knownRank(data)) {
    if (!axes && !keep) return tensor({}, type, data.vdevice);
    return tensorOfRank(kUnknownDim, type, data.vdevice);
  }
  std::vector<bool> gone(static_cast<size_t>(data.ndim), !axes);
  if (axes) {
    RX_TRY(normal, normalAxes(call, *axes, data.ndim));
    for (int64_t axis : normal) gone[static_cast<size_t>(axis)] = true;
  }
  const Array<PrimExpr>* dims = dimsOf(data);
  const int64_t left = std::count(gone.begin(), gone.end(), false);
  if (!dims && left > 0) return tensorOfRank(keep ? data.ndim : left, type, data.vdevice);
  Dims out;
  for (size_t i = 0; i < gone.size(); ++i) {
    if (!gone[i]) out.push_back((*dims)[i]);
    if (gone[i] && keep) out.push_back(int64(1));
  }
  return tensor(std::move(out), type, data.vdevice);
}

Inferred inferReduce(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  return reduced(call, *data, intsOrNone(call, "axis"), boolAttr(call, "keepdims"), data->dtype);
}

Inferred inferArg(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  return reduced(call, *data, intsOrNone(call, "axis"), boolAttr(call, "keepdims"), DataType::Int(64));
}

Inferred inferMedian(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  const auto axes = intsOrNone(call, "axis");
  const bool keep = boolAttr(call, "keepdims");
  RX_TRY(values, reduced(call, *data, axes, keep, data->dtype));
  // With one axis the result has an index; how many there are does not matter while the shape is not known.
  const bool whole = !axes && (knownRank(*data) || !keep);
  if (whole || (dimsOf(*data) && axes->size() > 1)) return values;
  RX_TRY(indices, reduced(call, *data, axes, keep, DataType::Int(64)));
  return relax::tupleSinfo({values, indices});
}

Inferred inferScan(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  const DataType asked = typeAttr(call, "dtype");
  const DataType type = asked.isVoid() ? data->dtype : asked;
  if (const auto axis = intOrNone(call, "axis")) {
    if (knownRank(*data)) RX_CHECK(normalAxis(call, *axis, data->ndim));
    return withType(infoAt(call, 0), *data, type);
  }
  const Array<PrimExpr>* dims = dimsOf(*data);
  if (!dims) return tensorOfRank(1, type, data->vdevice);
  return tensor({product(*dims)}, type, data->vdevice);
}

constexpr std::string_view kReduce = "x: expr, axis: ints? = None, keepdims: bool = False";
constexpr std::string_view kScan = "data: expr, axis: int? = None, dtype: dtype = 'void', exclusive: bool? = False";
constexpr OpSpec kRows[] = {
    {"relax.max", kReduce, inferReduce, "Largest element along axes."},
    {"relax.mean", kReduce, inferReduce, "Mean along axes."},
    {"relax.min", kReduce, inferReduce, "Smallest element along axes."},
    {"relax.prod", kReduce, inferReduce, "Product along axes."},
    {"relax.std", kReduce, inferReduce, "Standard deviation along axes."},
    {"relax.sum", kReduce, inferReduce, "Sum along axes."},
    {"relax.variance", kReduce, inferReduce, "Variance along axes."},
    {"relax.median", kReduce, inferMedian, "Median along axes, with its index along one axis."},
    {"relax.cumprod", kScan, inferScan, "Running product."},
    {"relax.cumsum", kScan, inferScan, "Running sum."},
    {"relax.argmax", "x: expr, axis: int? = None, keepdims: bool = False", inferArg, "Index of the largest element."},
    {"relax.argmin", "x: expr, axis: int? = None, keepdims: bool = False", inferArg, "Index of the smallest element."},
};

}  // namespace

std::span<const OpSpec> statisticalOps() { return kRows; }

}  // namespace rx::op
