// SymbolRange: the values that the symbol of a kernel may have.
#pragma once

#include <algorithm>

#include "core/runtime/kernel_signature.h"

namespace rx::vm {

/// A kernel counts axes in the type of their symbol, and proves what it does not check with axes that memory can hold.
struct SymbolRange {
  int64_t least = INT64_MIN, most = INT64_MAX;
  explicit SymbolRange(const KernelSymbol& symbol) {
    const DataType type = symbol.dtype;
    const bool axis = symbol.source == KernelSymbol::Source::Axis;
    if (type.isBool() || (type.isInt() && type.bits >= 64 && !axis)) return;
    const int bits = std::min<int>(type.isUInt() ? type.bits : type.bits - 1, 62);
    most = (int64_t{1} << bits) - 1;
    if (axis) most = std::min(most, kLongestAxis);
    least = type.isInt() ? -most - 1 : 0;
  }
  bool holds(int64_t value) const { return value >= least && value <= most; }
};

}  // namespace rx::vm
