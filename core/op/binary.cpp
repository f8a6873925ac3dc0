// Elementwise operators of two and three operands, with broadcast.
#include "core/op/families.h"
#include "core/op/rules.h"

namespace rx::op {

namespace {

/// One operand: a tensor, or a number that counts as a tensor of shape [1].
struct Operand {
  const TensorStructInfo* tensor = nullptr;
  DataType dtype;
  int64_t ndim = 1;
};

Result<Operand> operandAt(const Call& call, size_t index) {
  if (index < call.args.size()) {
    const StructInfo& info = infoAt(call, index);
    if (const auto* tensor = as<TensorStructInfo>(info)) return Operand{tensor, tensor->dtype, tensor->ndim};
    if (const auto* prim = as<PrimStructInfo>(info)) return Operand{nullptr, prim->dtype, 1};
    return refuse(call, fmt::format("argument '{}' must be a tensor or a number, but is {}", argName(call, index),
                                    sinfoText(info)));
  }
  return refuse(call, fmt::format("argument '{}' is missing", argName(call, index)));
}

Inferred inferBroadcast(const Call& call, InferContext& context, const Operand& a, const Operand& b, DataType dtype) {
  if (!a.tensor && !b.tensor) return make<PrimStructInfo>(dtype);
  const Device none;
  RX_TRY(device, oneDevice(call, a.tensor ? a.tensor->vdevice : none, b.tensor ? b.tensor->vdevice : none));
  const int64_t ndim = a.ndim == kUnknownDim || b.ndim == kUnknownDim ? kUnknownDim : std::max(a.ndim, b.ndim);
  static const Array<PrimExpr> one{int64(1)};
  if (a.tensor && b.tensor && a.tensor->shape && a.tensor->shape == b.tensor->shape) {
    return withType(infoAt(call, 0), *a.tensor, dtype, device);
  }
  auto literal = [](const TensorStructInfo* info) -> const Array<PrimExpr>* {
    if (!info) return &one;
    const auto* shape = as<ShapeExpr>(info->shape);
    return shape ? &shape->values : nullptr;
  };
  const auto* x = literal(a.tensor);
  const auto* y = literal(b.tensor);
  if (!x || !y) return tensorOfRank(ndim, dtype, device);
  if (a.tensor && plainlyInto(*x, *y)) return withType(infoAt(call, 0), *a.tensor, dtype, device);
  if (b.tensor && plainlyInto(*y, *x)) return withType(infoAt(call, 1), *b.tensor, dtype, device);
  RX_TRY(dims, broadcast(call, *x, *y, context));
  if (!dims) return tensorOfRank(ndim, dtype, device);
  return tensor(std::move(*dims), dtype, device);
}

Inferred inferArith(const Call& call, InferContext& context) {
  RX_TRY(a, operandAt(call, 0));
  RX_TRY(b, operandAt(call, 1));
  RX_TRY(dtype, commonType(call, a.dtype, b.dtype));
  return inferBroadcast(call, context, a, b, dtype);
}

Inferred inferCompare(const Call& call, InferContext& context) {
  RX_TRY(a, operandAt(call, 0));
  RX_TRY(b, operandAt(call, 1));
  return inferBroadcast(call, context, a, b, DataType::Bool());
}

Inferred inferFma(const Call& call, InferContext& context) {
  RX_TRY(infos, tensorsOf(call, 3));
  DataType dtype = infos[0]->dtype;
  int64_t ndim = infos[0]->ndim;
  for (const TensorStructInfo* info : infos) {
    if (info->dtype.isVoid() || dtype.isVoid()) {
      dtype = DataType::Void();
    } else if (info->dtype != dtype) {
      return refuse(call, fmt::format("all operands must have the same type, but they are {} and {}", dtype.str(),
                                      info->dtype.str()));
    }
    if (info->ndim == kUnknownDim || ndim == kUnknownDim) {
      ndim = std::max(ndim, info->ndim);
    } else if (info->ndim != ndim) {
      return refuse(call, fmt::format("all operands must have the same rank, but they have {} and {} dimensions", ndim,
                                      info->ndim));
    }
  }
  const Device device = commonDevice(infos);
  if (infos[0]->shape && infos[0]->shape == infos[1]->shape && infos[0]->shape == infos[2]->shape) {
    return withType(infoAt(call, 0), *infos[0], dtype, device);
  }
  const Array<PrimExpr>* first = dimsOf(*infos[0]);
  bool known = first != nullptr;
  for (const TensorStructInfo* info : infos) {
    const Array<PrimExpr>* dims = dimsOf(*info);
    known = known && dims;
    if (!known || dims == first) continue;
    if (!equalShapes(*first, *dims, context)) {
      return refuse(call, fmt::format("all operands must have the same shape, but they have {} and {}",
                                      shapeText(*first), shapeText(*dims)));
    }
  }
  if (known) return withType(infoAt(call, 0), *infos[0], dtype, device);
  return tensorOfRank(ndim, dtype, device);
}

constexpr OpSpec kRows[] = {
    {"relax.add", "x1: expr, x2: expr", inferArith, "Sum."},
    {"relax.atan2", "x1: expr, x2: expr", inferArith, "Angle of the point (x2, x1)."},
    {"relax.bitwise_and", "x1: expr, x2: expr", inferArith, "Bitwise and."},
    {"relax.bitwise_or", "x1: expr, x2: expr", inferArith, "Bitwise or."},
    {"relax.bitwise_xor", "x1: expr, x2: expr", inferArith, "Bitwise exclusive or."},
    {"relax.divide", "x1: expr, x2: expr", inferArith, "Quotient."},
    {"relax.floor_divide", "x1: expr, x2: expr", inferArith, "Quotient rounded down."},
    {"relax.floor_mod", "x1: expr, x2: expr", inferArith, "Remainder of the quotient rounded down."},
    {"relax.left_shift", "x1: expr, x2: expr", inferArith, "Bits shifted left."},
    {"relax.log_add_exp", "x1: expr, x2: expr", inferArith, "log(exp(x1) + exp(x2))."},
    {"relax.logical_and", "x1: expr, x2: expr", inferArith, "Logical and."},
    {"relax.logical_or", "x1: expr, x2: expr", inferArith, "Logical or."},
    {"relax.logical_xor", "x1: expr, x2: expr", inferArith, "Logical exclusive or."},
    {"relax.maximum", "x1: expr, x2: expr", inferArith, "The larger."},
    {"relax.minimum", "x1: expr, x2: expr", inferArith, "The smaller."},
    {"relax.mod", "x1: expr, x2: expr", inferArith, "Remainder of the truncated quotient."},
    {"relax.multiply", "x1: expr, x2: expr", inferArith, "Product."},
    {"relax.power", "x1: expr, x2: expr", inferArith, "x1 to the power of x2."},
    {"relax.right_shift", "x1: expr, x2: expr", inferArith, "Bits shifted right."},
    {"relax.subtract", "x1: expr, x2: expr", inferArith, "Difference."},
    {"relax.equal", "x1: expr, x2: expr", inferCompare, "True where equal."},
    {"relax.greater", "x1: expr, x2: expr", inferCompare, "True where x1 > x2."},
    {"relax.greater_equal", "x1: expr, x2: expr", inferCompare, "True where x1 >= x2."},
    {"relax.less", "x1: expr, x2: expr", inferCompare, "True where x1 < x2."},
    {"relax.less_equal", "x1: expr, x2: expr", inferCompare, "True where x1 <= x2."},
    {"relax.not_equal", "x1: expr, x2: expr", inferCompare, "True where not equal."},
    {"relax.ewise_fma", "x1: expr, x2: expr, x3: expr", inferFma, "x1 * x2 + x3, without broadcast."},
};

}  // namespace

std::span<const OpSpec> binaryOps() { return kRows; }

}  // namespace rx::op
