// How many bytes a buffer takes, where that is known before a kernel runs.
#pragma once

#include <algorithm>
#include <optional>

#include "core/ir/prim_expr.h"

namespace rx::lower {

/// At least one; nothing where an extent is not known before, or is negative, or a number does not hold the bytes.
inline std::optional<int64_t> constantBytes(const tir::Buffer& buffer) {
  int64_t bytes = std::max<int64_t>(buffer.dtype.element().bytes(), 1) * std::max<int64_t>(buffer.dtype.lanes, 1);
  for (const tir::PrimExpr& extent : buffer.shape) {
    const auto size = tir::asInt(extent);
    if (!size || *size < 0 || __builtin_mul_overflow(bytes, *size, &bytes)) return std::nullopt;
  }
  return std::max<int64_t>(bytes, 1);
}

}  // namespace rx::lower
