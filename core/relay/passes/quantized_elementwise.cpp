// Canonical forms of quantized operators that work element by element, and of quantize and dequantize.
#include <cmath>

#include "core/relay/passes/legalize.h"
#include "core/relay/passes/quantized.h"

namespace rx::relay::legalize {

namespace {

constexpr DataType kInt32 = DataType::Int(32);

std::vector<Dim> shapeOf(const TensorType& type) { return {type.shape.begin(), type.shape.end()}; }

Scaled scaledAt(const Legalized& call, size_t scale) { return {call.arg(scale), call.arg(scale + 1)}; }

/// Both operands as values of the result, then `op`, then the zero point that counts once too often (or too seldom).
Expr sum(const Legalized& call, const char* op, const char* correct) {
  const TensorType* data = call.type(0);
  if (!data) return nullptr;
  const Scaled to = scaledAt(call, 6);
  auto operand = [&](size_t i, const char* axis) {
    return requantizedOrCast(call.arg(i), shapeOf(*data), scaledAt(call, 2 + 2 * i), to,
                             requantizing(call.context, intAttrOf(call.now, axis, -1)));
  };
  const Expr lhs = operand(0, "lhs_axis"), rhs = operand(1, "rhs_axis");
  if (!lhs || !rhs) return nullptr;
  Expr out = callOp(op, {lhs, rhs});
  if (!isInt32(to.zero, 0)) out = callOp(correct, {out, to.zero});
  return saturated(out, data->dtype);
}

/// An operand of a product without its zero point.
Expr withoutZero(const Expr& data, const Expr& zero, size_t rank, int64_t axis, bool isVector) {
  const Expr wide = cast(data, kInt32);
  if (isInt32(zero, 0)) return wide;
  return callOp("subtract", {wide, isVector ? spreadZero(zero, rank, axis, kInt32) : zero});
}

}  // namespace

Expr quantizedAdd(const Legalized& call) { return sum(call, "add", "subtract"); }
Expr quantizedSubtract(const Legalized& call) { return sum(call, "subtract", "add"); }

Expr quantizedMultiply(const Legalized& call) {
  const TensorType* data = call.type(0);
  const Ref<HostTensor> a = constantData(call.arg(2)), b = constantData(call.arg(4));
  const int64_t lhsAxis = intAttrOf(call.now, "lhs_axis", -1), rhsAxis = intAttrOf(call.now, "rhs_axis", -1);
  const bool isScalar = isScalarConstant(call.arg(2)) && isScalarConstant(call.arg(4));
  if (!data || !a || !b || (!isScalar && (lhsAxis != rhsAxis || a->count() != b->count()))) return nullptr;
  const Expr lhs = withoutZero(call.arg(0), call.arg(3), call.rank(0), lhsAxis, !isScalar);
  const Expr rhs = withoutZero(call.arg(1), call.arg(5), call.rank(0), rhsAxis, !isScalar);
  std::vector<double> scales;
  for (int64_t i = 0; i < a->count(); ++i) scales.push_back(a->at(i) * b->at(i));
  constexpr DataType kReal = DataType::Float(32);
  const Expr scale = isScalar ? number(scales[0], kReal) : reals(scales, kReal);
  return requantized(callOp("multiply", {lhs, rhs}), shapeOf(*data), {scale, int32(0)}, scaledAt(call, 6), data->dtype,
                     requantizing(call.context, isScalar ? -1 : lhsAxis));
}

Expr quantize(const Legalized& call) {
  const TensorType *scale = call.type(1), *zero = call.type(2);
  if (!call.type(0) || !scale || !zero) return nullptr;
  const size_t rank = call.rank(0), axis = positiveAxis(intAttrOf(call.now, "axis", -1), rank);
  auto spread = [&](size_t i, const TensorType& type) {
    return type.shape.empty() ? call.arg(i) : expandBias(call.arg(i), rank, axis);
  };
  const Expr scaled = callOp("round", {callOp("divide", {call.arg(0), spread(1, *scale)})});
  const Expr shifted = callOp("add", {scaled, cast(spread(2, *zero), DataType::Float(32))});
  return saturated(shifted, call.resultType());
}

Expr dequantize(const Legalized& call) {
  const TensorType *scale = call.type(1), *zero = call.type(2);
  if (!call.type(0) || !scale || !zero) return nullptr;
  const size_t rank = call.rank(0), axis = positiveAxis(intAttrOf(call.now, "axis", -1), rank);
  auto spread = [&](size_t i, const TensorType& type) {
    return type.shape.empty() ? call.arg(i) : expandBias(call.arg(i), rank, axis);
  };
  const Expr factor = spread(1, *scale);
  const Expr shifted = callOp("subtract", {cast(call.arg(0), kInt32), spread(2, *zero)});
  const Expr out = callOp("multiply", {cast(shifted, DataType::Float(32)), factor});
  constexpr double kLargestHalf = 65504;
  if (call.resultType() == DataType::Float(32)) return out;
  return cast(clip(out, -kLargestHalf, kLargestHalf), call.resultType());
}

Expr quantizedConcatenate(const Legalized& call) {
  const auto *data = as<Tuple>(call.arg(0)), *scales = as<Tuple>(call.arg(1)), *zeros = as<Tuple>(call.arg(2));
  const auto* types = as<TupleType>(call.before.args[0]->sinfo);
  if (!types || !scales || !zeros) return nullptr;
  const Scaled to = scaledAt(call, 3);
  std::vector<Expr> items;
  for (size_t i = 0; i < types->items.size(); ++i) {
    const Expr item = data ? data->items[i] : itemOf(call.arg(0), static_cast<int64_t>(i));
    const Scaled from{scales->items[i], zeros->items[i]};
    const auto* type = as<TensorType>(types->items[i]);
    const bool fits = sameScalars(from.scale, to.scale) && sameScalars(from.zero, to.zero);
    items.push_back(fits ? item : requantized(item, shapeOf(*type), from, to, type->dtype, requantizing(call.context)));
    if (!items.back()) return nullptr;
  }
  return callOp("concatenate", {tupleOf(std::move(items))}, call.now.attrs);
}

/// alpha * x below zero: with the zero point of the result, alpha * q + (1 - alpha) * zero.
Expr quantizedLeakyRelu(const Legalized& call) {
  const TensorType* data = call.type(0);
  if (!data) return nullptr;
  const Expr wide = cast(call.arg(0), kInt32);
  const Expr inZero = cast(call.arg(2), kInt32), outZero = cast(call.arg(4), kInt32);
  const Expr out = requantizedOrCast(wide, shapeOf(*data), {call.arg(1), inZero}, {call.arg(3), outZero},
                                     requantizing(call.context));
  if (!out) return nullptr;
  const double alpha = realAttrOf(call.now, "alpha");
  auto scaled = [](const Expr& value, double by) {
    const FixedPoint point = fixedPoint(by);
    return callOp("fixed_point_multiply", {value},
                  {{"multiplier", ir::intAttr(point.multiplier)}, {"shift", ir::intAttr(point.shift)}});
  };
  const Expr below = callOp("add", {scaled(out, alpha), scaled(outZero, 1 - alpha)});
  return saturated(callOp("where", {callOp("less", {wide, inZero}), below, out}), data->dtype);
}

/// Softmax in integers alone: exp(x) as 2^-q times a line.
Expr quantizedSoftmax(const Legalized& call) {
  const TensorType* data = call.type(0);
  const Ref<HostTensor> scale = constantData(call.arg(1));
  if (!data || !scale || scale->rank() != 0 || scale->at(0) > 1) return nullptr;
  const int64_t axes[] = {intAttrOf(call.now, "axis", -1)};
  auto over = [&](const char* op, const Expr& value) {
    return callOp(op, {value}, {{"axis", ir::intArrayAttr(axes)}, {"keepdims", ir::boolAttr(true)}});
  };
  auto shifted = [](const Expr& value, int64_t by) { return callOp("right_shift", {value, int32(by)}); };
  const Expr quantized = callOp("subtract", {cast(call.arg(0), kInt32), call.arg(2)});
  const auto step = std::round(1.0F / static_cast<float>(scale->at(0)));
  const Expr x0 = saturated(number(step, DataType::Float(32)), kInt32);
  const Expr x = callOp("subtract", {quantized, over("max", quantized)});
  const Expr xp = callOp("subtract", {callOp("add", {x, shifted(x, 1)}), shifted(x, 4)});
  const Expr q = clip(callOp("divide", {xp, callOp("negative", {x0})}), 0, 20);
  const Expr most = over("max", q);
  const Expr rest = callOp("subtract", {xp, callOp("multiply", {q, callOp("negative", {x0})})});
  const Expr line = callOp("add", {shifted(rest, 1), x0});
  const Expr exps = callOp("left_shift", {line, callOp("subtract", {most, q})});
  const Expr sums = over("sum", exps);
  constexpr int64_t kBits = 30, kOut = 8;
  const Expr share = callOp("divide", {int32(int64_t{1} << kBits), sums});
  const Expr out = shifted(callOp("multiply", {share, exps}), kBits - (kOut - 1));
  return requantized(out, shapeOf(*data), {number(1.0 / 128, DataType::Float(32)), int32(0)}, scaledAt(call, 3),
                     DataType::Int(kOut), requantizing(call.context, 0));
}

Expr quantizedAvgPool(const Legalized& call) {
  const TensorType* data = call.type(0);
  const Expr wide = data ? requantizedOrCast(call.arg(0), shapeOf(*data), scaledAt(call, 1), scaledAt(call, 3),
                                             requantizing(call.context))
                         : nullptr;
  return wide ? saturated(callOp("nn.avg_pool2d", {wide}, call.now.attrs), call.resultType()) : nullptr;
}

}  // namespace rx::relay::legalize
