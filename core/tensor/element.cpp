#include "core/tensor/element.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace rx {
namespace {

using S = FloatFormat::Special;
constexpr std::array kFormats = {
    FloatFormat{TypeCode::Float, 16, 5, 10, 15, S::Ieee, true},
    FloatFormat{TypeCode::BFloat, 16, 8, 7, 127, S::Ieee, true},
    FloatFormat{TypeCode::Float8E3M4, 8, 3, 4, 3, S::Ieee, true},
    FloatFormat{TypeCode::Float8E4M3, 8, 4, 3, 7, S::Ieee, true},
    FloatFormat{TypeCode::Float8E4M3B11FNUZ, 8, 4, 3, 11, S::Unsigned0, true},
    FloatFormat{TypeCode::Float8E4M3FN, 8, 4, 3, 7, S::Finite, true},
    FloatFormat{TypeCode::Float8E4M3FNUZ, 8, 4, 3, 8, S::Unsigned0, true},
    FloatFormat{TypeCode::Float8E5M2, 8, 5, 2, 15, S::Ieee, true},
    FloatFormat{TypeCode::Float8E5M2FNUZ, 8, 5, 2, 16, S::Unsigned0, true},
    FloatFormat{TypeCode::Float8E8M0FNU, 8, 8, 0, 127, S::Finite, false},
    FloatFormat{TypeCode::Float6E2M3FN, 6, 2, 3, 1, S::None, true},
    FloatFormat{TypeCode::Float6E3M2FN, 6, 3, 2, 3, S::None, true},
    FloatFormat{TypeCode::Float4E2M1FN, 4, 2, 1, 1, S::None, true},
};

/// The codes of a format that its layout alone does not give.
struct Codes {
  uint32_t sign;      ///< the sign bit, 0 without one
  uint32_t largest;   ///< the largest finite magnitude
  uint32_t overflow;  ///< what a magnitude too large becomes
  uint32_t nan;
  explicit Codes(const FloatFormat& f) {
    const uint32_t magnitudeBits = f.exponentBits + f.mantissaBits;
    const uint32_t all = (1U << magnitudeBits) - 1;
    sign = f.hasSign ? 1U << magnitudeBits : 0;
    switch (f.special) {
      case S::Ieee: {
        const uint32_t infinity = ((1U << f.exponentBits) - 1) << f.mantissaBits;
        largest = infinity - 1;
        overflow = infinity;
        nan = infinity | (1U << (f.mantissaBits - 1));
        break;
      }
      case S::Finite:
        largest = all - 1;
        overflow = nan = all;
        break;
      case S::Unsigned0:
        largest = all;
        overflow = nan = sign;
        break;
      case S::None:
        largest = overflow = all;
        nan = sign;
        break;
    }
  }
};

template <class T>
T load(const std::byte* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

uint64_t loadBytes(const std::byte* data, int64_t bytes) {
  uint64_t raw = 0;
  std::memcpy(&raw, data, static_cast<size_t>(bytes));
  return raw;
}

/// Of an integer in memory; of one of more than 64 bits, those that are looked at.
int64_t storeBytes(int64_t bits) { return std::clamp<int64_t>((bits + 7) / 8, 1, 8); }

int64_t signExtend(uint64_t raw, int bits) {
  const int unused = std::max(64 - bits, 0);
  return static_cast<int64_t>(raw << unused) >> unused;
}

}  // namespace

const FloatFormat* smallFloatFormat(DataType dtype) {
  for (const FloatFormat& format : kFormats) {
    if (format.code == dtype.code && format.bits == dtype.bits) return &format;
  }
  return nullptr;
}

double decodeFloat(const FloatFormat& f, uint32_t bits) {
  const Codes codes(f);
  const uint32_t magnitude = bits & ((1U << (f.exponentBits + f.mantissaBits)) - 1);
  const bool negative = (bits & codes.sign) != 0;
  if (f.special == S::Unsigned0 && negative && magnitude == 0) return std::numeric_limits<double>::quiet_NaN();
  if (magnitude > codes.largest) {
    const bool infinite = f.special == S::Ieee && magnitude == codes.overflow;
    const double special =
        infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    return negative ? -special : special;
  }
  const auto exponent = static_cast<int>(magnitude >> f.mantissaBits);
  const uint32_t fraction = magnitude & ((1U << f.mantissaBits) - 1);
  // float8_e8m0fnu is an exponent alone: it has no subnormal numbers and no zero.
  const bool normal = exponent != 0 || f.mantissaBits == 0;
  const double significand = normal ? fraction + std::ldexp(1.0, f.mantissaBits) : fraction;
  const double value = std::ldexp(significand, (normal ? exponent : 1) - f.bias - f.mantissaBits);
  return negative ? -value : value;
}

uint32_t encodeFloat(const FloatFormat& f, double value) {
  const Codes codes(f);
  if (std::isnan(value)) return codes.nan;
  const uint32_t sign = std::signbit(value) ? codes.sign : 0;
  if (sign == 0 && std::signbit(value)) {  // no sign bit: only zero and below can come here
    return value == 0 ? 0 : codes.nan;
  }
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return f.special == S::Unsigned0 || f.special == S::Finite ? (codes.nan | (f.special == S::Finite ? sign : 0))
                                                               : codes.overflow | sign;
  if (magnitude == 0) return f.special == S::Unsigned0 ? 0 : sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  exponent -= 1;  // magnitude = 1.x * 2^exponent
  const int lowest = (f.mantissaBits == 0 ? 0 : 1) - f.bias;
  const int scale = std::max(exponent, lowest);
  // The quotient has at most mantissaBits+1 bits before the point; nearbyint rounds ties to even.
  double quotient = std::nearbyint(std::ldexp(magnitude, f.mantissaBits - scale));
  const double one = std::ldexp(1.0, f.mantissaBits);
  int biased = scale + f.bias;
  if (quotient >= 2 * one) {
    quotient /= 2;
    biased += 1;
  }
  int64_t code = 0;
  if (f.mantissaBits == 0) {
    code = biased;
  } else if (quotient < one) {
    code = static_cast<int64_t>(quotient);  // subnormal, or rounded to zero
  } else {
    code = (static_cast<int64_t>(biased) << f.mantissaBits) + static_cast<int64_t>(quotient - one);
  }
  if (code > codes.largest) return f.special == S::Unsigned0 ? codes.nan : codes.overflow | sign;
  if (code == 0 && f.special == S::Unsigned0) return 0;
  return static_cast<uint32_t>(code) | sign;
}

float halfToFloat(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000U) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fU;
  const uint32_t fraction = bits & 0x3ffU;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000U | (fraction << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
  return sign ? -magnitude : magnitude;
}

uint16_t floatToHalf(float value) { return static_cast<uint16_t>(encodeFloat(kFormats[0], value)); }

float bfloatToFloat(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

uint16_t floatToBfloat(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x40U);
  return static_cast<uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

bool isStorable(DataType dtype) {
  if (dtype.lanes != 1) return false;
  if (dtype.isIntegral())
    return dtype.bits >= 1 && dtype.bits <= 64 && (dtype.bits >= 8 ? std::has_single_bit(unsigned{dtype.bits}) : true);
  if (dtype.code == TypeCode::Float && (dtype.bits == 32 || dtype.bits == 64)) return true;
  return smallFloatFormat(dtype) != nullptr || dtype.isHandle();
}

double readElement(DataType dtype, const std::byte* data) {
  if (dtype.code == TypeCode::Float && dtype.bits == 32) return load<float>(data);
  if (dtype.code == TypeCode::Float && dtype.bits == 64) return load<double>(data);
  if (dtype.code == TypeCode::Float && dtype.bits == 16) return halfToFloat(load<uint16_t>(data));
  if (dtype.code == TypeCode::BFloat) return bfloatToFloat(load<uint16_t>(data));
  if (const FloatFormat* format = smallFloatFormat(dtype)) {
    return decodeFloat(*format, static_cast<uint32_t>(loadBytes(data, 1)));
  }
  // A float of a form that nobody knows is no number.
  if (dtype.isFloat()) return std::numeric_limits<double>::quiet_NaN();
  if (dtype.isUInt() && dtype.bits == 64) return static_cast<double>(load<uint64_t>(data));
  return static_cast<double>(readInt(dtype, data));
}

void writeElement(DataType dtype, std::byte* data, double value) {
  if (dtype.code == TypeCode::Float && dtype.bits == 32) {
    const auto narrow = static_cast<float>(value);
    std::memcpy(data, &narrow, 4);
  } else if (dtype.code == TypeCode::Float && dtype.bits == 64) {
    std::memcpy(data, &value, 8);
  } else if (const FloatFormat* format = smallFloatFormat(dtype)) {
    const uint32_t code = encodeFloat(*format, value);
    std::memcpy(data, &code, format->bits > 8 ? 2 : 1);
  } else if (dtype.isBool()) {
    writeInt(dtype, data, value != 0);
  } else if (dtype.isUInt() && dtype.bits == 64 && value >= 0x1p63) {
    const uint64_t large = value >= 0x1p64 ? ~uint64_t{0} : static_cast<uint64_t>(value);
    std::memcpy(data, &large, 8);
  } else if (!dtype.isFloat()) {
    writeInt(dtype, data, toInt64(value));
  }
}

int64_t readInt(DataType dtype, const std::byte* data) {
  if (dtype.isFloat()) return toInt64(readElement(dtype, data));
  const uint64_t raw = loadBytes(data, storeBytes(dtype.bits));
  if (dtype.isBool()) return raw != 0;
  if (dtype.isInt()) return signExtend(raw, dtype.bits);
  return static_cast<int64_t>(dtype.bits >= 64 ? raw : raw & ((uint64_t{1} << dtype.bits) - 1));
}

void writeInt(DataType dtype, std::byte* data, int64_t value) {
  if (dtype.isFloat()) return writeElement(dtype, data, static_cast<double>(value));
  auto raw = static_cast<uint64_t>(dtype.isBool() ? value != 0 : value);
  if (dtype.bits < 8) raw &= (uint64_t{1} << dtype.bits) - 1;
  std::memcpy(data, &raw, static_cast<size_t>(storeBytes(dtype.bits)));
}

int64_t toInt64(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63) return std::numeric_limits<int64_t>::max();
  if (value < -0x1p63) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

}  // namespace rx
