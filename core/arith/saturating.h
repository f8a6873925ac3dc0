// Arithmetic of 64-bit bounds that stays at the infinities of ConstIntBound.
#pragma once

#include <cstdint>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"

namespace rx::arith {

constexpr bool isInfinite(int64_t v) { return v == ConstIntBound::kPosInf || v == ConstIntBound::kNegInf; }
constexpr int64_t clampInf(__int128 v) {
  return v >= ConstIntBound::kPosInf   ? ConstIntBound::kPosInf
         : v <= ConstIntBound::kNegInf ? ConstIntBound::kNegInf
                                       : static_cast<int64_t>(v);
}
constexpr int64_t plusInf(int64_t a, int64_t b) {
  if (isInfinite(a)) return a;
  if (isInfinite(b)) return b;
  return clampInf(static_cast<__int128>(a) + b);
}
constexpr int64_t negatedInf(int64_t a) { return clampInf(-static_cast<__int128>(a)); }
constexpr int64_t timesInf(int64_t a, int64_t b) { return clampInf(static_cast<__int128>(a) * b); }
/// An infinite dividend keeps the sign of the quotient; the divisor is not zero.
constexpr int64_t truncDivInf(int64_t a, int64_t b) { return isInfinite(a) ? (b > 0 ? a : negatedInf(a)) : a / b; }
inline int64_t floorDivInf(int64_t a, int64_t b) {
  return isInfinite(a) ? (b > 0 ? a : negatedInf(a)) : floorDivInt(a, b);
}

}  // namespace rx::arith
