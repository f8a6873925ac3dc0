// Arithmetic of quantized tensors in integers: what the rules of quantized operators share. Private to core/relay.
#pragma once

#include <string_view>

#include "core/pass/pass.h"
#include "core/relay/emit.h"

namespace rx::relay {

/// A number between 1/2 and 1 as a fraction of 2^31, and the power of two that it is multiplied with.
struct FixedPoint {
  int32_t multiplier;
  int32_t shift;
};
FixedPoint fixedPoint(double value);

/// What a tensor of quantized values stands for: (value - zero) * scale.
struct Scaled {
  Expr scale, zero;
};
/// How numbers are rounded and computed with.
struct Requantizing {
  std::string_view rounding;     ///< "UPWARD" or "TONEAREST"
  std::string_view computeType;  ///< "int64", "float32" or "float64"
  int64_t axis;                  ///< that of scales that are vectors
  bool hasRounding;              ///< whether the processor rounds reals by itself
};
/// What a target is best served with.
Requantizing requantizing(const pass::PassContext& context, int64_t axis = -1);
/// The values of `from` as values of `to`; null where the scales are not known.
Expr requantized(const Expr& data, std::span<const Dim> shape, const Scaled& from, const Scaled& to, DataType dtype,
                 const Requantizing& how);
/// The same in 32 bits, or a mere cast where both stand for the same.
Expr requantizedOrCast(const Expr& data, std::span<const Dim> shape, const Scaled& from, const Scaled& to,
                       const Requantizing& how);
/// The values as those of a narrower type, what is beyond its range at its ends.
Expr saturated(const Expr& data, DataType dtype);
std::pair<double, double> rangeOf(DataType dtype);

inline Expr int32(int64_t value) { return number(static_cast<double>(value), DataType::Int(32)); }
/// Whether it is the constant number `value` of 32 bits.
bool isInt32(const Expr& expr, int64_t value);
/// A vector of zero points along `axis` of a tensor of `rank` dimensions, in the type of the sums.
Expr spreadZero(const Expr& zero, size_t rank, int64_t axis, DataType dtype);
Expr clip(const Expr& data, double low, double high);

}  // namespace rx::relay
