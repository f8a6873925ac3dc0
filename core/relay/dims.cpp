#include "core/relay/dims.h"

#include <cmath>

#include "core/ir/structural_equal.h"

namespace rx::relay {

namespace {
int64_t floorDivided(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

/// A number that was computed of two.
Dim made(const Dim& a, const Dim& b, int64_t value) {
  return widthOf(a).bits > 32 || widthOf(b).bits > 32 ? wideDim(value) : dim(value);
}
Dim unless(bool overflows, const Dim& a, const Dim& b, int64_t value) { return overflows ? Dim() : made(a, b, value); }
}  // namespace

Dim dim(int64_t value) {
  const bool fits = value == static_cast<int32_t>(value);
  return tir::intImm(value, fits ? DataType::Int(32) : DataType::Int(64));
}

Dim wideDim(int64_t value) { return tir::intImm(value, DataType::Int(64)); }

Dim widened(const Dim& dim) {
  const auto value = known(dim);
  return value ? wideDim(*value) : dim;
}

DataType widthOf(const Dim& dim) { return known(dim) ? dim->dtype : DataType::Int(32); }

Dim dimOf(double value) { return std::abs(value) < 0x1p62 ? dim(static_cast<int64_t>(value)) : nullptr; }

std::optional<int64_t> known(const Dim& dim) {
  const auto* value = as<tir::IntImm>(dim);
  return value ? std::optional<int64_t>(value->value) : std::nullopt;
}

bool isOne(const Dim& dim) { return known(dim) == 1; }

bool same(const Dim& a, const Dim& b) {
  if (known(a) && known(b)) return known(a) == known(b);
  return a && b && structuralEqual(a, b);
}

bool differ(const Dim& a, const Dim& b) { return known(a) && known(b) && *known(a) != *known(b); }

Dim add(const Dim& a, const Dim& b) {
  if (!a || !b) return nullptr;
  if (int64_t out = 0; known(a) && known(b))
    return unless(__builtin_add_overflow(*known(a), *known(b), &out), a, b, out);
  if (known(a) == 0) return b;
  if (known(b) == 0) return a;
  return make<tir::Add>(widened(a), widened(b));
}

Dim sub(const Dim& a, const Dim& b) {
  if (!a || !b) return nullptr;
  if (int64_t out = 0; known(a) && known(b))
    return unless(__builtin_sub_overflow(*known(a), *known(b), &out), a, b, out);
  if (known(b) == 0) return a;
  return make<tir::Sub>(widened(a), widened(b));
}

Dim mul(const Dim& a, const Dim& b) {
  if (!a || !b) return nullptr;
  if (int64_t out = 0; known(a) && known(b))
    return unless(__builtin_mul_overflow(*known(a), *known(b), &out), a, b, out);
  if (known(a) == 0 || known(b) == 0) return dim(0);
  if (isOne(a)) return b;
  if (isOne(b)) return a;
  return make<tir::Mul>(widened(a), widened(b));
}

Dim floorDiv(const Dim& a, const Dim& b) {
  if (!a || !b || known(b) == 0) return nullptr;
  if (known(b) == -1) return sub(dim(0), a);
  if (known(a) && known(b)) return made(a, b, floorDivided(*known(a), *known(b)));
  if (isOne(b)) return a;
  return make<tir::FloorDiv>(widened(a), widened(b));
}

Dim ceilDiv(const Dim& a, const Dim& b) {
  if (!a || !b || known(b) == 0) return nullptr;
  return floorDiv(add(a, sub(b, dim(1))), b);
}

Dim product(std::span<const Dim> dims) {
  Dim out = dim(1);
  for (const Dim& d : dims) out = mul(out, d);
  return out;
}

}  // namespace rx::relay
