#include "core/lower/float_conversion.h"

#include <cmath>

#include "core/arith/fold.h"
#include "core/lower/intrinsics.h"
#include "core/tensor/element.h"

namespace rx::lower {

using namespace tir;

namespace {

/// How a format spends its bits.
struct Bits {
  int exponent, mantissa, bias;
  static Bits of(DataType dtype) {
    if (const FloatFormat* format = smallFloatFormat(dtype.element())) {
      return {format->exponentBits, format->mantissaBits, format->bias};
    }
    return dtype.bits == 32 ? Bits{8, 23, 127} : Bits{11, 52, 1023};
  }
};

PrimExpr bitCall(std::string_view name, PrimExpr a, PrimExpr b) {
  const DataType dtype = a->dtype;
  return intrinsic(dtype, name, {std::move(a), std::move(b)});
}
/// A shift by a constant; by 0 the value itself.
PrimExpr shiftLeft(PrimExpr a, int by) {
  if (by == 0) return a;
  const PrimExpr count = arith::constantInt(a->dtype, by);
  return bitCall("shift_left", std::move(a), count);
}
PrimExpr shiftRight(PrimExpr a, int by) {
  if (by == 0) return a;
  const PrimExpr count = arith::constantInt(a->dtype, by);
  return bitCall("shift_right", std::move(a), count);
}
PrimExpr bitAnd(PrimExpr a, int64_t mask) {
  const PrimExpr constant = arith::constantInt(a->dtype, mask);
  return bitCall("bitwise_and", std::move(a), constant);
}
PrimExpr bitOr(PrimExpr a, PrimExpr b) { return bitCall("bitwise_or", std::move(a), std::move(b)); }

/// The bits, increased so that cutting `cut` of them off rounds to nearest, ties to even.
PrimExpr roundedBits(const PrimExpr& bits, int cut) {
  const PrimExpr bias = arith::constantInt(bits->dtype, (int64_t{1} << (cut - 1)) - 1);
  return arith::add(bits, arith::add(bitAnd(shiftRight(bits, cut), 1), bias));
}

}  // namespace

DataType storageType(DataType dtype) { return DataType::UInt(dtype.bits, dtype.lanes); }

PrimExpr reinterpreted(DataType dtype, PrimExpr value) {
  if (value->dtype == dtype) return value;
  return intrinsic(dtype, "reinterpret", {std::move(value)});
}

PrimExpr convertedFloat(const PrimExpr& value, DataType dtype) {
  const Bits from = Bits::of(value->dtype), to = Bits::of(dtype);
  const int biasDelta = to.bias - from.bias, mantissaDelta = to.mantissa - from.mantissa;
  const DataType target = storageType(dtype);
  PrimExpr bits = reinterpreted(storageType(value->dtype), value);
  if (mantissaDelta < 0) bits = roundedBits(bits, -mantissaDelta);
  /// The bits with their mantissa at its place in the new format.
  const PrimExpr moved = mantissaDelta >= 0 ? shiftLeft(arith::cast(target, bits), mantissaDelta)
                                            : arith::cast(target, shiftRight(bits, -mantissaDelta));
  if (to.exponent == from.exponent) {
    PrimExpr result = moved;
    if (biasDelta != 0) {
      const PrimExpr delta = arith::constantInt(target, int64_t{std::abs(biasDelta)} << to.mantissa);
      result = biasDelta > 0 ? arith::add(result, delta) : arith::sub(result, delta);
    }
    return reinterpreted(dtype, result);
  }
  const PrimExpr mantissa = bitAnd(moved, (int64_t{1} << to.mantissa) - 1);
  const PrimExpr exponent = shiftRight(shiftLeft(bits, 1), from.mantissa + 1);
  const PrimExpr sign =
      shiftLeft(arith::cast(target, shiftRight(bits, from.mantissa + from.exponent)), to.mantissa + to.exponent);
  const PrimExpr delta = arith::constantInt(bits->dtype, std::abs(biasDelta));
  const PrimExpr adjusted = biasDelta >= 0 ? arith::add(exponent, delta) : arith::sub(exponent, delta);
  const PrimExpr whole = bitOr(bitOr(mantissa, shiftLeft(arith::cast(target, adjusted), to.mantissa)), sign);
  if (biasDelta >= 0) return reinterpreted(dtype, whole);
  return reinterpreted(
      dtype, intrinsic(target, "if_then_else", {arith::lt(exponent, delta), arith::constantInt(target, 0), whole}));
}

}  // namespace rx::lower
