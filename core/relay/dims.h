// Arithmetic of dimensions: integers, symbols, and those of any size (null), which swallow what they meet.
#pragma once

#include <optional>
#include <vector>

#include "core/ir/relay.h"

namespace rx::relay {

using Dim = tir::PrimExpr;
using Dims = std::vector<Dim>;

inline Dim dim(int64_t value) { return tir::intImm(value); }
/// The whole part of a number; of any size where that is no size that there is.
Dim dimOf(double value);
std::optional<int64_t> known(const Dim& dim);
bool isOne(const Dim& dim);
/// Whether both are certainly the same; dimensions of any size never are.
bool same(const Dim& a, const Dim& b);
/// Whether both are integers, and differ.
bool differ(const Dim& a, const Dim& b);
/// What overflows is of any size, here and below.
Dim add(const Dim& a, const Dim& b);
Dim sub(const Dim& a, const Dim& b);
Dim mul(const Dim& a, const Dim& b);
Dim floorDiv(const Dim& a, const Dim& b);
/// Upwards.
Dim ceilDiv(const Dim& a, const Dim& b);
Dim product(std::span<const Dim> dims);

}  // namespace rx::relay
