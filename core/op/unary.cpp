// Elementwise operators of one tensor.
#include "core/op/families.h"
#include "core/op/rules.h"

namespace rx::op {

namespace {

/// The argument with another type, where the call says that its result lies.
Inferred inferAs(const Call& call, const TensorStructInfo& info, DataType dtype) {
  const Device stated = statedDevice(call);
  return withType(infoAt(call, 0), info, dtype, stated ? stated : info.vdevice);
}

Inferred inferSame(const Call& call, InferContext&) {
  RX_TRY(info, tensorAt(call, 0));
  return inferAs(call, *info, info->dtype);
}

Inferred inferFloat(const Call& call, InferContext& context) {
  RX_CHECK(needFloat(call, 0));
  return inferSame(call, context);
}

Inferred inferTest(const Call& call, InferContext&) {
  RX_TRY(info, tensorAt(call, 0));
  return inferAs(call, *info, DataType::Bool());
}

Inferred inferCast(const Call& call, InferContext&) {
  RX_TRY(info, tensorAt(call, 0));
  const DataType type = typeAttr(call, "dtype");
  return withType(infoAt(call, 0), *info, type.isVoid() ? info->dtype : type);
}

constexpr OpSpec kRows[] = {
    {"relax.acos", "x: expr", inferFloat, "Arc cosine."},
    {"relax.acosh", "x: expr", inferFloat, "Inverse hyperbolic cosine."},
    {"relax.asin", "x: expr", inferFloat, "Arc sine."},
    {"relax.asinh", "x: expr", inferFloat, "Inverse hyperbolic sine."},
    {"relax.atan", "x: expr", inferFloat, "Arc tangent."},
    {"relax.atanh", "x: expr", inferFloat, "Inverse hyperbolic tangent."},
    {"relax.cos", "x: expr", inferFloat, "Cosine."},
    {"relax.cosh", "x: expr", inferFloat, "Hyperbolic cosine."},
    {"relax.erf", "x: expr", inferFloat, "Gauss error function."},
    {"relax.exp", "x: expr", inferFloat, "Exponential."},
    {"relax.log", "x: expr", inferFloat, "Natural logarithm."},
    {"relax.rsqrt", "x: expr", inferFloat, "Reciprocal of the square root."},
    {"relax.sigmoid", "x: expr", inferFloat, "Logistic function."},
    {"relax.sin", "x: expr", inferFloat, "Sine."},
    {"relax.sinh", "x: expr", inferFloat, "Hyperbolic sine."},
    {"relax.sqrt", "x: expr", inferFloat, "Square root."},
    {"relax.tan", "x: expr", inferFloat, "Tangent."},
    {"relax.tanh", "x: expr", inferFloat, "Hyperbolic tangent."},
    {"relax.abs", "x: expr", inferSame, "Absolute value."},
    {"relax.bitwise_not", "x: expr", inferSame, "All bits inverted."},
    {"relax.ceil", "x: expr", inferSame, "Rounded up."},
    {"relax.floor", "x: expr", inferSame, "Rounded down."},
    {"relax.logical_not", "x: expr", inferSame, "Logical negation."},
    {"relax.negative", "x: expr", inferSame, "Negation."},
    {"relax.round", "x: expr", inferSame, "Rounded to the nearest integer."},
    {"relax.sign", "x: expr", inferSame, "-1, 0 or 1 by sign."},
    {"relax.square", "x: expr", inferSame, "Square."},
    {"relax.trunc", "x: expr", inferSame, "Rounded towards zero."},
    {"relax.isfinite", "x: expr", inferTest, "True where finite."},
    {"relax.isinf", "x: expr", inferTest, "True where infinite."},
    {"relax.isnan", "x: expr", inferTest, "True where not a number."},
    {"relax.clip", "x: expr, min: prim, max: prim", inferFirstArg, "Values limited to [min, max]."},
    {"relax.astype", "x: expr, dtype: dtype", inferCast, "Conversion of the element type."},
    {"relax.wrap_param", "data: expr, dtype: dtype = 'float32'", inferCast, "A parameter seen with another type."},
};

}  // namespace

std::span<const OpSpec> unaryOps() { return kRows; }

}  // namespace rx::op
