// Arithmetic of the interpreter's instructions, on numbers as registers hold them.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/interpret/program.h"

namespace rx::interpret {

inline bool isUnsigned64(DataType type) { return type.isUInt() && type.bits == 64; }

/// A result as its type holds it; a boolean is a number of one bit, as in machine code.
inline int64_t lowBits(const Instr& in, int64_t value) {
  if (in.common == Common::Int64) return value;
  return in.type.isBool() ? value & 1 : wrapTo(in.type, value);
}

inline double rounded(const Instr& in, double value) {
  return in.common == Common::Float32 ? static_cast<double>(static_cast<float>(value)) : roundTo(in.type, value);
}

/// Before it is rounded.
inline double floatBinary(Kind kind, double a, double b) {
  switch (kind) {
    case Kind::tir_Add:
      return a + b;
    case Kind::tir_Sub:
      return a - b;
    case Kind::tir_Mul:
      return a * b;
    case Kind::tir_Div:
      return a / b;
    case Kind::tir_Mod:
      return std::fmod(a, b);
    case Kind::tir_FloorDiv:
      return std::floor(a / b);
    case Kind::tir_FloorMod:
      return a - std::floor(a / b) * b;
    // As select(a < b, a, b) does it: a NaN on either side gives the right operand.
    case Kind::tir_Min:
      return a < b ? a : b;
    default:
      return a > b ? a : b;
  }
}

template <class T>
bool compare(Kind kind, T a, T b) {
  switch (kind) {
    case Kind::tir_EQ:
      return a == b;
    case Kind::tir_NE:
      return a != b;
    case Kind::tir_LT:
      return a < b;
    case Kind::tir_LE:
      return a <= b;
    case Kind::tir_GT:
      return a > b;
    default:
      return a >= b;
  }
}

inline bool intCompare(const Instr& in, int64_t a, int64_t b) {
  if (isUnsigned64(in.type)) return compare(in.kind, static_cast<uint64_t>(a), static_cast<uint64_t>(b));
  return compare(in.kind, a, b);
}

inline double toFloat(const Instr& in, int64_t v) {
  const bool big = isUnsigned64(in.type2);
  // In one step: by way of a double it would be rounded twice.
  if (in.type == DataType::Float(32)) return big ? static_cast<float>(static_cast<uint64_t>(v)) : static_cast<float>(v);
  return roundTo(in.type, big ? static_cast<double>(static_cast<uint64_t>(v)) : static_cast<double>(v));
}

inline int64_t toInt(DataType type, double v) {
  if (type.isBool()) return v != 0;
  if (isUnsigned64(type) && v >= 0x1p63) return v >= 0x1p64 ? -1 : static_cast<int64_t>(static_cast<uint64_t>(v));
  // What does not fit is the nearest that does, as in machine code.
  const int magnitude = type.isInt() ? type.bits - 1 : type.bits;
  const double least = type.isInt() ? -std::ldexp(1.0, magnitude) : 0;
  if (magnitude < 63) v = std::min(v, std::ldexp(1.0, magnitude) - 1);
  return v < least ? wrapTo(type, toInt64(least)) : wrapTo(type, toInt64(v));
}

}  // namespace rx::interpret
