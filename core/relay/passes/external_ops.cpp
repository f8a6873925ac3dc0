#include "core/relay/passes/external_ops.h"

#include <algorithm>
#include <string>

#include "core/relay/emit.h"

namespace rx::relay {

namespace {

// What a predicate looks at: the tensors among the arguments and the attributes of the call.

const TensorType* tensor(const Call& call, size_t arg) {
  return arg < call.args.size() ? tensorOf(call.args[arg]) : nullptr;
}
bool isTensor(const TensorType* tensor, DataType dtype) { return tensor && tensor->dtype == dtype; }
bool isTensor(const TensorType* tensor, DataType dtype, size_t rank) {
  return isTensor(tensor, dtype) && tensor->shape.size() == rank;
}
constexpr DataType kFloat = DataType::Float(32);

bool isText(const Call& call, const char* attr, std::string_view text) { return textAttrOf(call, attr) == text; }
/// Whether the elements of the result are float32, or of the type of the arguments.
bool givesFloat(const Call& call) { return isText(call, "out_dtype", "") || isText(call, "out_dtype", "float32"); }
/// The size of a dimension by its letter in a layout; nothing where the layout has none or the size is open.
std::optional<int64_t> sizeOf(const TensorType& tensor, std::string_view layout, char letter) {
  const size_t at = layout.find(letter);
  return at < tensor.shape.size() ? known(tensor.shape[at]) : std::nullopt;
}

bool always(const Call&) { return true; }
bool firstIsFloat(const Call& call) { return isTensor(tensor(call, 0), kFloat); }
bool bothAreFloat(const Call& call) { return firstIsFloat(call) && isTensor(tensor(call, 1), kFloat); }
bool floatDense(const Call& call) {
  return firstIsFloat(call) && isTensor(tensor(call, 1), kFloat, 2) && givesFloat(call);
}
bool floatConv2d(const Call& call, std::string_view layout) {
  return isText(call, "data_layout", layout) && isTensor(tensor(call, 0), kFloat, 4) &&
         isTensor(tensor(call, 1), kFloat, 4) && givesFloat(call);
}
/// Whether each channel has a filter of its own.
bool isDepthwise(const Call& call) {
  const int64_t groups = intAttrOf(call, "groups", 1);
  return sizeOf(*tensor(call, 0), textAttrOf(call, "data_layout"), 'C') == groups &&
         sizeOf(*tensor(call, 1), textAttrOf(call, "kernel_layout"), 'O') == groups;
}

bool narrow(const Call& call) {
  return std::none_of(call.args.begin(), call.args.end(),
                      [](const Expr& arg) { return isTensor(tensorOf(arg), DataType::Int(64)); });
}
bool narrowFloorPool(const Call& call) { return narrow(call) && intAttrOf(call, "ceil_mode", 0) == 0; }

bool armConv2d(const Call& call) {
  if (!floatConv2d(call, "NHWC") || !isOne(tensor(call, 0)->shape[0])) return false;
  if (!isDepthwise(call)) return intAttrOf(call, "groups", 1) == 1;
  const Array<Dim>& kernel = tensor(call, 1)->shape;
  const auto rows = known(kernel[0]), columns = known(kernel[1]);
  const auto strides = intsAttrOf(call, "strides");
  const bool isSquare = rows == columns && (rows == 3 || rows == 5);
  return isSquare && strides && strides->size() == 2 && strides->at(0) == strides->at(1) &&
         (strides->at(0) == 1 || strides->at(0) == 2);
}
bool isNotDilated(const Call& call) {
  const auto dilation = intsAttrOf(call, "dilation");
  return dilation && dilation->size() == 2 && dilation->at(0) == 1 && dilation->at(1) == 1;
}
bool isFloatOrByte(const Call& call) {
  const TensorType* data = tensor(call, 0);
  return isTensor(data, kFloat) || isTensor(data, DataType::UInt(8)) || isTensor(data, DataType::Int(8));
}
bool armGlobalMaxPool(const Call& call) { return isText(call, "layout", "NHWC") && isFloatOrByte(call); }
bool armMaxPool(const Call& call) { return armGlobalMaxPool(call) && isNotDilated(call); }
bool armGlobalAveragePool(const Call& call) { return isText(call, "layout", "NHWC") && firstIsFloat(call); }
bool armAveragePool(const Call& call) { return armGlobalAveragePool(call) && isNotDilated(call); }
bool armQuantizedAdd(const Call& call) {
  for (size_t i = 0; i < call.args.size(); ++i) {
    const TensorType* arg = tensor(call, i);
    if (!arg) return false;
    const bool isByte = isTensor(arg, DataType::Int(8)) || isTensor(arg, DataType::UInt(8));
    const bool isOneNumber = arg->shape.empty() || isOne(arg->shape[0]);
    if (i < 2 ? !isByte : !isOneNumber) return false;
  }
  return true;
}

bool bnnsPool(const Call& call) {
  const TensorType* data = tensor(call, 0);
  return (isTensor(data, kFloat, 3) || isTensor(data, kFloat, 4)) && isText(call, "layout", "NCHW");
}
bool bnnsConv2d(const Call& call) { return floatConv2d(call, "NCHW") && isa<Constant>(call.args[1]); }
bool bnnsDense(const Call& call) { return floatDense(call) && isa<Constant>(call.args[1]); }
bool bnnsInstanceNorm(const Call& call) {
  const int64_t axis = intAttrOf(call, "axis", 1);
  const TensorType* data = tensor(call, 0);
  const bool isOfChannels = (isTensor(data, kFloat, 3) && axis == 0) || (isTensor(data, kFloat, 4) && axis == 1);
  return isOfChannels && isa<Constant>(call.args[1]) && isa<Constant>(call.args[2]);
}

bool coremlConv2d(const Call& call) {
  return isa<Constant>(call.args[1]) &&
         (isText(call, "kernel_layout", "HWIO") || isText(call, "kernel_layout", "OIHW"));
}

constexpr int64_t kMrvlBatch = 8;
bool isSmallBatch(const TensorType& data) {
  const auto batch = known(data.shape[0]);
  return batch && *batch <= kMrvlBatch;
}
bool isFloatImage(const Call& call) { return isText(call, "layout", "NHWC") && isTensor(tensor(call, 0), kFloat, 4); }
bool mrvlConv2d(const Call& call) {
  if (!floatConv2d(call, "NHWC") || !isSmallBatch(*tensor(call, 0))) return false;
  const int64_t groups = intAttrOf(call, "groups", 1);
  return isDepthwise(call) ? known(tensor(call, 1)->shape[0]) == groups : groups == 1;
}
/// A bias is part of what MergeComposite makes.
bool mrvlAdd(const Call& call) {
  if (isCallOf(call.args[0], "nn.conv2d") || isCallOf(call.args[0], "nn.dense")) return false;
  const TensorType* data = tensor(call, 0);
  return (isTensor(data, kFloat, 3) || isTensor(data, kFloat, 4)) && isSmallBatch(*data);
}
bool mrvlConcatenate(const Call& call) {
  const auto* parts = as<TupleType>(typeOf(call.args[0]));
  return parts && intAttrOf(call, "axis", 0) == 3 &&
         std::all_of(parts->items.begin(), parts->items.end(), [](const Type& part) {
           const auto* data = as<TensorType>(part);
           return isTensor(data, kFloat, 4) && isOne(data->shape[0]);
         });
}
bool mrvlMaxPool(const Call& call) { return isFloatImage(call) && isSmallBatch(*tensor(call, 0)); }
bool mrvlAveragePool(const Call& call) {
  if (!isFloatImage(call)) return false;
  const Dim& batch = tensor(call, 0)->shape[0];
  return !batch || isOne(batch);
}
bool isRank2Or4(const TensorType* data) { return data && (data->shape.size() == 2 || data->shape.size() == 4); }
bool givesRank2Or4(const Call& call) { return isRank2Or4(as<TensorType>(call.sinfo)); }
bool mrvlFlatten(const Call& call) { return isRank2Or4(tensor(call, 0)); }
bool mrvlLayout(const Call& call) {
  return isText(call, "src_layout", "NCHW") && isText(call, "dst_layout", "NHWC") && firstIsFloat(call);
}

struct Row {
  std::string_view compiler, op;
  bool (*fits)(const Call& call);
};
constexpr Row kRows[] = {
#define RX_RELAY_EXTERNAL(compiler, op, fits) {compiler, op, fits},
#include "core/relay/passes/external_ops.def"
};
constexpr std::string_view kOfComposites[] = {
#define RX_RELAY_COMPOSITES(compiler) compiler,
#include "core/relay/passes/external_ops.def"
};

}  // namespace

bool isKnownCompiler(std::string_view compiler) {
  const auto ofIt = [&](const Row& row) { return row.compiler == compiler; };
  return std::any_of(std::begin(kRows), std::end(kRows), ofIt) ||
         std::find(std::begin(kOfComposites), std::end(kOfComposites), compiler) != std::end(kOfComposites);
}

bool takesCall(std::string_view compiler, const Call& call) {
  const auto* op = as<Op>(call.op);
  return op && std::any_of(std::begin(kRows), std::end(kRows), [&](const Row& row) {
           return row.compiler == compiler && row.op == op->name.view() && row.fits(call);
         });
}

}  // namespace rx::relay
