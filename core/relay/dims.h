// Arithmetic of dimensions: integers, symbols, and those of any size (null), which swallow what they meet. An integer
// is of 32 bits where its text says no other width; what is computed of several is as wide as the widest.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/ir/relay.h"

namespace rx::relay {

using Dim = tir::PrimExpr;
using Dims = std::vector<Dim>;

/// What stands behind a number of 64 bits in a text.
constexpr std::string_view kWideSuffix = "i64";

Dim dim(int64_t value);
/// The same of 64 bits, as a text says it (1i64), and as Relax has all of them.
Dim wideDim(int64_t value);
/// A dimension of 64 bits: an integer is made as wide; symbols are.
Dim widened(const Dim& dim);
/// The width of an integer; what is none counts as of 32 bits.
DataType widthOf(const Dim& dim);
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
