// Elements of every data type, to and from double and 64-bit integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/tensor/dtype.h"

namespace rx {

/// How a small binary floating-point format spends its bits. Sources: IEEE 754, the OCP 8-bit and MX
/// specifications, and the names that ml_dtypes uses.
struct FloatFormat {
  enum class Special : uint8_t {
    Ieee,       ///< the top exponent holds infinity and NaN
    Finite,     ///< "fn": no infinity; all ones is NaN
    Unsigned0,  ///< "fnuz": no infinity, no negative zero; its code is NaN
    None,       ///< neither infinity nor NaN: too large becomes the largest
  };
  TypeCode code;
  uint8_t bits;
  uint8_t exponentBits;
  uint8_t mantissaBits;
  int16_t bias;
  Special special;
  bool hasSign;
};

/// The format of a floating-point element of at most 16 bits; nothing for float32, float64 and non-floats.
const FloatFormat* smallFloatFormat(DataType dtype);
double decodeFloat(const FloatFormat& format, uint32_t bits);
/// Rounds to nearest, ties to even. A value too large becomes infinity, NaN or the largest, as the format has it.
uint32_t encodeFloat(const FloatFormat& format, double value);

float halfToFloat(uint16_t bits);
uint16_t floatToHalf(float value);
float bfloatToFloat(uint16_t bits);
uint16_t floatToBfloat(float value);

/// True where elements of the type can be read and written here: ints, uints and bools of 1 to 64 bits, floats of
/// 4 to 64 bits, 64-bit handles; one lane.
bool isStorable(DataType dtype);

/// One element at `data`, which need not be aligned. Sub-byte elements occupy one byte each.
double readElement(DataType dtype, const std::byte* data);
void writeElement(DataType dtype, std::byte* data, double value);
/// Integers of up to 64 bits exactly; floats are truncated toward zero, and clamped to the range of int64.
int64_t readInt(DataType dtype, const std::byte* data);
/// Integers wrap to the width of the type.
void writeInt(DataType dtype, std::byte* data, int64_t value);

/// Saturating conversion without undefined behaviour; NaN is 0.
int64_t toInt64(double value);

}  // namespace rx
