#include <cmath>

#include "core/relay/passes/legalize.h"
#include "core/relay/passes/quantized.h"

namespace rx::relay {

namespace {

constexpr DataType kInt64 = DataType::Int(64);

Expr binary(const char* op, const Expr& a, const Expr& b) { return callOp(op, {a, b}); }
Expr int64(int64_t value) { return constantOf(HostTensor::scalarInt(kInt64, value)); }

/// A tensor of one shape, full of one number.
Expr full(int64_t value, std::span<const Dim> shape) {
  const NodeRef list = shapeAttr(shape);
  if (value == 0) return callOp("zeros", {}, {{"shape", list}, {"dtype", dtypeAttr(kInt64)}});
  return callOp("full", {int64(value)}, {{"shape", list}, {"dtype", dtypeAttr(kInt64)}});
}

/// A product with a fixed-point number, rounded to the nearest, away from zero in the middle.
Expr multipliedToNearest(const Expr& data, double by, std::span<const Dim> shape) {
  const FixedPoint point = fixedPoint(by);
  Expr out = cast(data, kInt64);
  if (point.shift > 0) out = binary("left_shift", out, int64(point.shift));
  out = binary("multiply", out, int64(point.multiplier));
  const int64_t shift = 31 + (point.shift > 0 ? 0 : -point.shift);
  const int64_t half = int64_t{1} << (shift - 1);
  const Expr up = full(half, shape), down = full(half - 1, shape);
  const Expr round = callOp("where", {binary("greater_equal", out, full(0, shape)), up, down});
  out = binary("right_shift", binary("add", out, round), int64(shift));
  return cast(out, DataType::Int(32));
}

/// A vector along one axis of a tensor.
Expr along(const std::vector<int64_t>& values, size_t rank, size_t axis) {
  return expandBias(integers(values, kInt64), rank, axis);
}

Expr multipliedToNearest(const Expr& data, const std::vector<FixedPoint>& points, std::span<const Dim> shape,
                         size_t axis) {
  std::vector<int64_t> left, factors, right, up, down;
  for (const FixedPoint& point : points) {
    left.push_back(std::max(point.shift, 0));
    factors.push_back(point.multiplier);
    right.push_back(31 + std::max(-point.shift, 0));
    up.push_back(int64_t{1} << (right.back() - 1));
    down.push_back(up.back() - 1);
  }
  const size_t rank = shape.size();
  Expr out = cast(data, kInt64);
  if (std::any_of(left.begin(), left.end(), [](int64_t shift) { return shift != 0; })) {
    out = binary("left_shift", out, along(left, rank, axis));
  }
  out = binary("multiply", out, along(factors, rank, axis));
  const NodeRef dims = shapeAttr(shape);
  auto spread = [&](const std::vector<int64_t>& values) {
    return callOp("broadcast_to", {along(values, rank, axis)}, {{"shape", dims}});
  };
  const Expr positive = spread(up), negative = spread(down);
  const Expr round = callOp("where", {binary("greater_equal", out, full(0, shape)), positive, negative});
  out = binary("right_shift", binary("add", out, round), along(right, rank, axis));
  return cast(out, DataType::Int(32));
}

Expr multipliedUpward(const Expr& data, const std::vector<FixedPoint>& points, size_t axis) {
  std::vector<int64_t> factors, left, right;
  bool anyLeft = false, anyRight = false;
  for (const FixedPoint& point : points) {
    factors.push_back(point.multiplier);
    left.push_back(std::max(point.shift, 0));
    right.push_back(std::max(-point.shift, 0));
    anyLeft = anyLeft || left.back() != 0;
    anyRight = anyRight || right.back() != 0;
  }
  constexpr DataType dtype = DataType::Int(32);
  const int64_t axes[] = {static_cast<int64_t>(axis)};
  return callOp("fixed_point_multiply_per_axis",
                {data, integers(factors, dtype), integers(left, dtype), integers(right, dtype)},
                {{"is_lshift_required", ir::boolAttr(anyLeft)},
                 {"is_rshift_required", ir::boolAttr(anyRight)},
                 {"axes", ir::intArrayAttr(axes)}});
}

/// Factors between the two scales, one for each element of the first.
std::optional<std::vector<double>> factorsOf(const Scaled& from, const Scaled& to) {
  const Ref<HostTensor> in = constantData(from.scale), out = constantData(to.scale);
  if (!in || !out || out->count() != 1 || out->at(0) == 0) return std::nullopt;
  std::vector<double> factors;
  for (int64_t i = 0; i < in->count(); ++i) factors.push_back(in->at(i) / out->at(0));
  return factors;
}

Expr inIntegers(const Expr& data, std::span<const Dim> shape, const Scaled& from, const Scaled& to,
                const Requantizing& how, const std::vector<double>& factors) {
  constexpr DataType dtype = DataType::Int(32);
  const size_t axis = positiveAxis(how.axis, shape.size());
  Expr out = cast(data, dtype);
  if (!isInt32(from.zero, 0)) out = binary("subtract", out, spreadZero(from.zero, shape.size(), how.axis, dtype));
  const bool upward = how.rounding == "UPWARD";
  if (!isScalarConstant(from.scale)) {
    std::vector<FixedPoint> points;
    for (double factor : factors) points.push_back(fixedPoint(factor));
    out = upward ? multipliedUpward(out, points, axis) : multipliedToNearest(out, points, shape, axis);
  } else if (!sameScalars(from.scale, to.scale)) {
    const FixedPoint point = fixedPoint(factors[0]);
    out = upward ? callOp("fixed_point_multiply", {out},
                          {{"multiplier", ir::intAttr(point.multiplier)}, {"shift", ir::intAttr(point.shift)}})
                 : multipliedToNearest(out, factors[0], shape);
  }
  return isInt32(to.zero, 0) ? out : binary("add", cast(to.zero, dtype), out);
}

/// Rounds to integers, in the type of reals: up, or to the nearest and away from zero in the middle.
Expr rounded(const Expr& data, const Requantizing& how, DataType dtype) {
  const Expr half = number(0.5, dtype);
  const bool upward = how.rounding == "UPWARD";
  if (how.hasRounding) return upward ? callOp("floor", {binary("add", data, half)}) : callOp("round", {data});
  const DataType whole = DataType::Int(dtype.bits);
  const Expr zero = number(0, dtype);
  Expr out;
  if (upward) {
    const Expr biased = binary("add", data, half), truncated = cast(cast(biased, whole), dtype);
    const Expr fits = binary("logical_or", binary("equal", biased, truncated), binary("greater_equal", biased, zero));
    out = callOp("where", {fits, truncated, binary("subtract", truncated, number(1, dtype))});
  } else {
    const Expr sign = callOp("where", {binary("less", data, zero), number(-1, dtype), number(1, dtype)});
    const Expr biased = binary("multiply", binary("add", data, binary("multiply", half, sign)), sign);
    out = binary("multiply", cast(cast(biased, whole), dtype), sign);
  }
  return callOp("where", {callOp("isfinite", {data}), out, data});
}

Expr inReals(const Expr& data, std::span<const Dim> shape, const Scaled& from, const Scaled& to,
             const Requantizing& how, const std::vector<double>& factors) {
  const DataType dtype = DataType::Float(how.computeType == "float64" ? 64 : 32);
  Expr out = cast(data, dtype);
  if (!isInt32(from.zero, 0)) out = binary("subtract", out, spreadZero(from.zero, shape.size(), how.axis, dtype));
  if (!isScalarConstant(from.scale)) {
    const size_t axis = positiveAxis(how.axis, shape.size());
    out = binary("multiply", out, expandBias(reals(factors, dtype), shape.size(), axis));
  } else if (!sameScalars(from.scale, to.scale)) {
    out = binary("multiply", number(factors[0], dtype), out);
  }
  if (!isInt32(to.zero, 0)) out = binary("add", out, cast(to.zero, dtype));
  return cast(rounded(out, how, dtype), DataType::Int(32));
}

}  // namespace

FixedPoint fixedPoint(double value) {
  if (value == 0) return {0, 0};
  int exponent = 0;
  auto fraction = static_cast<int64_t>(std::round(std::frexp(value, &exponent) * 2147483648.0));
  if (fraction == int64_t{1} << 31) {
    fraction /= 2;
    ++exponent;
  }
  return {static_cast<int32_t>(fraction), exponent};
}

bool isInt32(const Expr& expr, int64_t value) {
  const Ref<HostTensor> data = constantData(expr);
  return data && data->rank() == 0 && data->dtype() == DataType::Int(32) && data->intAt(0) == value;
}

Expr clip(const Expr& data, double low, double high) {
  return callOp("clip", {data}, {{"a_min", ir::floatAttr(low)}, {"a_max", ir::floatAttr(high)}});
}

std::pair<double, double> rangeOf(DataType dtype) {
  const int bits = dtype.bits - (dtype.isInt() ? 1 : 0);
  return {dtype.isInt() ? -std::ldexp(1.0, bits) : 0.0, std::ldexp(1.0, bits) - 1};
}

Expr saturated(const Expr& data, DataType dtype) {
  const auto [low, high] = rangeOf(dtype);
  return cast(clip(data, low, high), dtype);
}

Expr spreadZero(const Expr& zero, size_t rank, int64_t axis, DataType dtype) {
  const Expr vector = reshape(zero, {-1});
  return cast(rank == 0 ? vector : expandBias(vector, rank, positiveAxis(axis, rank)), dtype);
}

Requantizing requantizing(const pass::PassContext& context, int64_t axis) {
  const bool hasRounding = context.target && context.target->processor().has("sse4.1");
  const bool inReals = hasRounding && context.target->kind() == "llvm";
  return {"UPWARD", inReals ? "float32" : "int64", axis, hasRounding};
}

Expr requantized(const Expr& data, std::span<const Dim> shape, const Scaled& from, const Scaled& to, DataType dtype,
                 const Requantizing& how) {
  const auto factors = factorsOf(from, to);
  if (!factors || factors->empty()) return nullptr;
  const Expr out = how.computeType == "int64" ? inIntegers(data, shape, from, to, how, *factors)
                                              : inReals(data, shape, from, to, how, *factors);
  return dtype == DataType::Int(32) ? out : saturated(out, dtype);
}

Expr requantizedOrCast(const Expr& data, std::span<const Dim> shape, const Scaled& from, const Scaled& to,
                       const Requantizing& how) {
  constexpr DataType dtype = DataType::Int(32);
  if (sameScalars(from.scale, to.scale) && sameScalars(from.zero, to.zero)) return cast(data, dtype);
  return requantized(data, shape, from, to, dtype, how);
}

Expr legalize::requantize(const Legalized& call) {
  const std::string_view rounding = textAttrOf(call.now, "rounding"), compute = textAttrOf(call.now, "compute_dtype");
  Requantizing how = requantizing(call.context, intAttrOf(call.now, "axis", -1));
  if (rounding != "None") how.rounding = rounding;
  if (compute != "None") how.computeType = compute;
  const TensorType* data = call.type(0);
  if (!data) return nullptr;
  return requantized(call.arg(0), std::vector<Dim>(data->shape.begin(), data->shape.end()), {call.arg(1), call.arg(2)},
                     {call.arg(3), call.arg(4)}, call.resultType(), how);
}

}  // namespace rx::relay
