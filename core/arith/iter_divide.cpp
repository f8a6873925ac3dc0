// Quotients and remainders of iterators, and the padding that makes them come out even.
#include <numeric>

#include "core/arith/fold.h"
#include "core/arith/iter_rewrite.h"

namespace rx::arith {

using namespace tir;

namespace {

/// An expression as factor * constant.
std::pair<PrimExpr, int64_t> factored(const PrimExpr& expr) {
  if (const auto value = asInt(expr)) return {oneLike(expr), *value};
  if (const auto* product = as<Mul>(expr)) {
    if (const auto value = asInt(product->b)) return {product->a, *value};
    if (const auto value = asInt(product->a)) return {product->b, *value};
  }
  return {expr, 1};
}

/// A common multiple, the least one as far as can be told.
PrimExpr commonMultiple(Analyzer& analyzer, const PrimExpr& a, const PrimExpr& b) {
  const auto [x, scaleX] = factored(a);
  const auto [y, scaleY] = factored(b);
  const PrimExpr scale = constantInt(a->dtype, std::lcm(scaleX, scaleY));
  if (analyzer.canProveEqual(x, y) || analyzer.canProveEqual(floorMod(x, y), zeroLike(x))) return mul(x, scale);
  if (analyzer.canProveEqual(floorMod(y, x), zeroLike(y))) return mul(y, scale);
  return mul(mul(x, y), scale);
}

PrimExpr roundedUp(const PrimExpr& value, const PrimExpr& divisor) {
  return floorDiv(sub(add(value, divisor), oneLike(value)), divisor);
}

}  // namespace

bool IterRewriter::divisible(const PrimExpr& value, const PrimExpr& by) {
  const auto a = asInt(value), b = asInt(by);
  if (b && *b == 0) return false;
  if (a && b) return *a % *b == 0;
  return equal(value, by) || equal(floorMod(value, by), zeroLike(value));
}

/// Decides on the padded form of a mark when its first padded split is met.
bool IterRewriter::padMark(const IterSplit& split, Padding& info, PrimExpr& left) {
  if (!divisible(info.left, split.lower)) return false;
  left = floorDiv(info.left, split.lower);
  const IterMarkRef& mark = split.source;
  const PrimExpr edge = add(mark->extent, info.left);
  const PrimExpr right = divisible(edge, info.factor) ? zeroLike(edge) : floorMod(neg(edge), info.factor);
  IterSum moved{{splitOf(mark, oneLike(mark->extent))}, info.left};
  info.padded = markOf(std::move(moved), canon_.simplify(add(edge, right)));
  unpadded_[info.padded.get()] = mark;
  return true;
}

/// The split as it must be for `(split + base) // divisor` to come out even, and the padding on its left.
std::optional<std::pair<IterSplit, PrimExpr>> IterRewriter::padTo(IterSplit split, const PrimExpr& base,
                                                                  const PrimExpr& divisor) {
  PrimExpr left = canon_.simplify(floorMod(base, divisor));
  const PrimExpr edge = add(left, split.extent);
  const PrimExpr right = divisible(edge, divisor) ? zeroLike(edge) : canon_.simplify(floorMod(neg(edge), divisor));
  const IterMarkRef mark = split.source;
  if (learning_) {
    auto entry = padding_.try_emplace(mark.get(), Padding{mark, oneLike(divisor), zeroLike(divisor), nullptr}).first;
    Padding& info = entry->second;
    info.factor = commonMultiple(analyzer_, info.factor, mul(divisor, split.lower));
    if (isZero(left) && isZero(right)) return std::pair{split, zeroLike(divisor)};
    needsPadding_ = true;
    info.left = max(info.left, mul(left, split.lower));
    split.extent = canon_.simplify(add(add(left, split.extent), right));
    return std::pair{split, left};
  }
  const auto found = padding_.find(mark.get());
  if (found == padding_.end()) return std::pair{split, left};
  Padding& info = found->second;
  if (isZero(info.left) && divisible(mark->extent, info.factor)) return std::pair{split, left};
  if (!divisible(info.factor, split.lower) || !divisible(info.factor, divisor)) return failed();
  if (!info.padded && !padMark(split, info, left)) return failed();
  split.source = info.padded;
  split.extent = floorDiv(info.padded->extent, split.lower);
  return std::pair{split, left};
}

/// (lhs + base) // divisor.
std::optional<IterSum> IterRewriter::quotient(IterSplit lhs, PrimExpr base, PrimExpr divisor) {
  if (isOne(divisor)) return IterSum{{lhs}, base};
  if (!isOne(lhs.scale)) {
    if (divisible(lhs.scale, divisor) && (isZero(base) || divisible(base, divisor))) {
      lhs.scale = floorDiv(lhs.scale, divisor);
      return IterSum{{lhs}, isZero(base) ? base : floorDiv(base, divisor)};
    }
    if (!divisible(divisor, lhs.scale) || !(isZero(base) || divisible(base, lhs.scale))) return failed();
    if (!isZero(base)) base = floorDiv(base, lhs.scale);
    divisor = floorDiv(divisor, lhs.scale);
    lhs.scale = oneLike(divisor);
  }
  const auto padding = padTo(lhs, base, divisor);
  if (!padding) return std::nullopt;
  const auto& [padded, left] = *padding;
  IterSplit made{padded.source, mul(padded.lower, divisor), nullptr, padded.scale};
  if (divisible(padded.extent, divisor)) {
    made.extent = canon_.simplify(floorDiv(padded.extent, divisor));
  } else {
    made.extent = canon_.simplify(roundedUp(padded.extent, divisor));
    if (isOne(padded.lower) && analyzer_.canProveEqual(padded.extent, padded.source->extent)) {
      made.lower = divisor;
    } else {
      made = {markOf(IterSum{{padded}, zeroLike(divisor)}, padded.extent), divisor, made.extent, oneLike(divisor)};
    }
  }
  return IterSum{{made}, canon_.simplify(floorDiv(sub(base, left), divisor))};
}

/// (lhs + base) % divisor.
std::optional<IterSum> IterRewriter::remainder(IterSplit lhs, PrimExpr base, PrimExpr divisor) {
  const IterSum nothing{{}, zeroLike(lhs.extent)};
  if (isOne(divisor)) return nothing;
  if (!isOne(lhs.scale)) {
    if (divisible(lhs.scale, divisor) && divisible(base, divisor)) return nothing;
    if (!divisible(divisor, lhs.scale) || !(isZero(base) || divisible(base, lhs.scale))) return failed();
    if (!isZero(base)) base = floorDiv(base, lhs.scale);
    divisor = floorDiv(divisor, lhs.scale);
  }
  const auto padding = padTo(lhs, base, divisor);
  if (!padding) return std::nullopt;
  const IterSplit& padded = padding->first;
  return IterSum{{{padded.source, padded.lower, divisor, padded.scale}}, zeroLike(divisor)};
}

}  // namespace rx::arith
