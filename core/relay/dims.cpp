#include "core/relay/dims.h"

#include <cmath>

#include "core/ir/structural_equal.h"

namespace rx::relay {

namespace {
int64_t floorDivided(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

Dim unless(bool overflows, int64_t value) { return overflows ? Dim() : dim(value); }
}  // namespace

Dim dimOf(double value) { return std::abs(value) < 0x1p62 ? dim(static_cast<int64_t>(value)) : nullptr; }

std::optional<int64_t> known(const Dim& dim) {
  const auto* value = as<tir::IntImm>(dim);
  return value ? std::optional<int64_t>(value->value) : std::nullopt;
}

bool isOne(const Dim& dim) { return known(dim) == 1; }

bool same(const Dim& a, const Dim& b) { return a && b && structuralEqual(a, b); }

bool differ(const Dim& a, const Dim& b) { return known(a) && known(b) && *known(a) != *known(b); }

Dim add(const Dim& a, const Dim& b) {
  if (!a || !b) return nullptr;
  if (int64_t out = 0; known(a) && known(b)) return unless(__builtin_add_overflow(*known(a), *known(b), &out), out);
  if (known(a) == 0) return b;
  if (known(b) == 0) return a;
  return make<tir::Add>(a, b);
}

Dim sub(const Dim& a, const Dim& b) {
  if (!a || !b) return nullptr;
  if (int64_t out = 0; known(a) && known(b)) return unless(__builtin_sub_overflow(*known(a), *known(b), &out), out);
  if (known(b) == 0) return a;
  return make<tir::Sub>(a, b);
}

Dim mul(const Dim& a, const Dim& b) {
  if (!a || !b) return nullptr;
  if (int64_t out = 0; known(a) && known(b)) return unless(__builtin_mul_overflow(*known(a), *known(b), &out), out);
  if (known(a) == 0 || known(b) == 0) return dim(0);
  if (isOne(a)) return b;
  if (isOne(b)) return a;
  return make<tir::Mul>(a, b);
}

Dim floorDiv(const Dim& a, const Dim& b) {
  if (!a || !b || known(b) == 0) return nullptr;
  if (known(b) == -1) return sub(dim(0), a);
  if (known(a) && known(b)) return dim(floorDivided(*known(a), *known(b)));
  if (isOne(b)) return a;
  return make<tir::FloorDiv>(a, b);
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
