// Arithmetic on integers in kernels: what processors leave undefined, or trap at, means one thing, interpreted,
// compiled and in packages.
//
// - Sums, differences, products and absolute values wrap to their type.
// - A division or remainder by zero ends the run with its place (kernel.division). The smallest number divided by -1 is
//   itself, with the remainder 0.
// - A shift by the number of bits or more, or by less than nothing, moves all bits out: 0 is left, or -1 of a negative
//   number that is shifted to the right.
// - A power is a product that wraps; with a negative exponent it is 0, but for the bases 1 and -1.
// - A float becomes the nearest integer towards zero that the type holds, not-a-number becomes 0; an integer becomes
//   the low bits that a narrower type holds, and the nearest float. Whatever is not zero is true.
// - A loop counts in the type of its variable, which wraps. Indices are compared in 64 bits with the extents of their
//   buffer, addresses are sums that wrap, looked at before they are used (kernel.bounds).
//
// The functions are the interpreter's, and what machine code calls; what it computes itself is in core/codegen.
#pragma once

#include <cstdint>

#include "core/tensor/dtype.h"

namespace rx::vm {

/// Whether there are atomic additions to an element of this type.
inline bool addsAtomically(DataType type) {
  return type.lanes == 1 && (type.bits == 32 || type.bits == 64) && (type.isFloat() || type.isIntegral());
}

/// Of numbers in 64 bits; the caller takes the low bits.
inline int64_t shiftLeft(int64_t a, int64_t b) {
  return b < 0 || b >= 64 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
}
/// `isUnsigned`: all 64 bits count as digits.
inline int64_t shiftRight(int64_t a, int64_t b, bool isUnsigned) {
  if (b < 0 || b >= 64) return a < 0 && !isUnsigned ? -1 : 0;
  return isUnsigned ? static_cast<int64_t>(static_cast<uint64_t>(a) >> b) : a >> b;
}
inline int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1;
  for (auto factor = static_cast<uint64_t>(base); exponent; exponent >>= 1, factor *= factor) {
    if (exponent & 1) result *= factor;
  }
  return static_cast<int64_t>(result);
}

}  // namespace rx::vm
