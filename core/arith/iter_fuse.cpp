// Fusing a sum of iterator pieces into one iterator.
#include <algorithm>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/iter_rewrite.h"
#include "core/arith/linear.h"

namespace rx::arith {

using namespace tir;

bool IterRewriter::sameSplit(const IterSplit& a, const IterSplit& b, bool withScale) const {
  return a.source == b.source && sameExpr(a.lower, b.lower) && sameExpr(a.extent, b.extent) &&
         (!withScale || sameExpr(a.scale, b.scale));
}

/// The piece with the smallest scale: constants before products, short products before long ones. Pieces of one source
/// where one is given.
std::optional<size_t> IterRewriter::smallest(const IterSum& sum, const std::vector<bool>& taken, const IterMark* source,
                                             size_t end) const {
  auto open = [&](size_t i) { return !taken[i] && (!source || sum.args[i].source.get() == source); };
  std::optional<size_t> best;
  int64_t least = 0;
  for (size_t i = end; i-- > 0;) {
    const auto scale = asInt(sum.args[i].scale);
    if (!open(i) || !scale) continue;
    const bool tie = best && *scale == least && isOne(sum.args[i].extent) && !isOne(sum.args[*best].extent);
    if (best && *scale >= least && !tie) continue;
    least = *scale;
    best = i;
  }
  if (best) return best;
  size_t factors = 0;
  for (size_t i = end; i-- > 0;) {
    if (!open(i)) continue;
    const size_t count = factorsOf(sum.args[i].scale).size();
    if (best && count >= factors) continue;
    factors = count;
    best = i;
  }
  return best;
}

/// The last piece of this scale, or one of a single step, which leaves the scale as it is.
std::optional<size_t> IterRewriter::withScale(const IterSum& sum, const std::vector<bool>& taken, const PrimExpr& scale,
                                              const IterMark* source, size_t end) const {
  std::optional<size_t> found;
  for (size_t i = end; i-- > 0;) {
    if (taken[i] || (source && sum.args[i].source.get() != source)) continue;
    if (!analyzer_.canProveEqual(sum.args[i].scale, scale)) continue;
    if (isOne(sum.args[i].extent)) return i;
    if (!found) found = i;
  }
  return found;
}

/// The piece whose scale is the largest that is not larger than `scale`.
std::optional<size_t> IterRewriter::nextSmaller(const IterSum& sum, const std::vector<bool>& taken,
                                                const PrimExpr& scale) const {
  std::optional<size_t> found;
  for (size_t i = sum.args.size(); i-- > 0;) {
    const PrimExpr& here = sum.args[i].scale;
    if (taken[i] || !analyzer_.canProveGreaterEqual(sub(scale, here), 0)) continue;
    if (!analyzer_.canProveGreaterEqual(here, 0)) continue;
    if (!found || analyzer_.canProveLess(sub(sum.args[*found].scale, here), 0)) found = i;
  }
  return found;
}

/// Joins pieces of one source that lie side by side: x // (c * s) % m * s + x // c % s is x // c % (m * s).
IterSum IterRewriter::joinSplits(IterSum sum) const {
  std::unordered_map<const IterMark*, int> count;
  bool repeated = false;
  for (const IterSplit& split : sum.args) repeated |= ++count[split.source.get()] > 1;
  if (!repeated) return sum;
  std::vector<bool> taken(sum.args.size(), false);
  std::vector<IterSplit> joined;  // from the last to the first
  for (size_t end = sum.args.size(); end > 0;) {
    if (taken[end - 1]) {
      --end;
      continue;
    }
    const IterMark* source = sum.args[end - 1].source.get();
    const size_t base = count[source] == 1 ? end - 1 : *smallest(sum, taken, source, end);
    taken[base] = true;
    IterSplit low = sum.args[base];
    while (count[source] > 1) {
      const auto next = withScale(sum, taken, normalProduct(low.extent, low.scale), source, end);
      if (!next) break;
      const IterSplit& high = sum.args[*next];
      if (!analyzer_.canProveEqual(high.lower, normalProduct(low.lower, low.extent))) break;
      taken[*next] = true;
      low.extent = normalProduct(high.extent, low.extent);
    }
    joined.push_back(low);
  }
  std::reverse(joined.begin(), joined.end());
  sum.args = std::move(joined);
  return sum;
}

/// The longest constraint whose last piece is this one.
const std::vector<IterSplit>* IterRewriter::constraintEndingIn(const IterSplit& split) const {
  const std::vector<IterSplit>* longest = nullptr;
  for (const auto& pieces : constrained_) {
    if (sameSplit(split, pieces.back(), false) && (!longest || longest->size() < pieces.size())) longest = &pieces;
  }
  return longest;
}

IterRewriter::Fused* IterRewriter::findFused(const std::vector<IterSplit>& flat) {
  for (Fused& known : fused_) {
    if (known.flat.size() != flat.size()) continue;
    bool same = true;
    for (size_t i = 0; same && i < flat.size(); ++i) same = sameSplit(known.flat[i], flat[i], true);
    if (same) return &known;
  }
  return nullptr;
}

/// sum = (x1 * s1 + ... + xn) * c + base, as one iterator of scale c. `mayStaySplit` leaves a sum of one piece alone.
std::optional<IterSum> IterRewriter::fuse(IterSum sum, bool mayStaySplit) {
  const bool joined = sum.args.size() > 1;
  const size_t before = sum.args.size();
  sum = joinSplits(std::move(sum));
  if (joined && sum.args.size() != before && sum.args.size() <= 1 && mayStaySplit) return sum;
  std::vector<bool> taken(sum.args.size(), false);
  const auto first = smallest(sum, taken, nullptr, sum.args.size());
  if (!first) return std::nullopt;
  const PrimExpr scale = sum.args[*first].scale;
  std::vector<IterSplit> flat, grouped;  // from the innermost to the outermost
  PrimExpr offset = zeroLike(sum.base), tail = zeroLike(sum.base), expected = scale;
  for (size_t done = 0; done < sum.args.size();) {
    auto at = done == 0 ? first : withScale(sum, taken, expected, nullptr, sum.args.size());
    const bool exact = at.has_value();
    if (!at && level_ != IterMapLevel::Bijective && isOne(scale)) at = nextSmaller(sum, taken, expected);
    if (!at) return std::nullopt;
    const PrimExpr matched = exact ? expected : sum.args[*at].scale;
    if (!exact) tail = add(tail, sub(expected, matched));
    if (const auto* pieces = constraintEndingIn(sum.args[*at])) {
      for (size_t p = pieces->size(); p-- > 0;) {
        size_t k = 0;
        while (k < sum.args.size() && (taken[k] || !sameSplit(sum.args[k], (*pieces)[p], false) ||
                                       !analyzer_.canProveEqual(mul((*pieces)[p].scale, matched), sum.args[k].scale))) {
          ++k;
        }
        if (k == sum.args.size()) return std::nullopt;
        taken[k] = true;
        flat.push_back(sum.args[k]);
      }
      const Fused* known = findFused(*pieces);
      grouped.push_back(splitOf(known->mark, floorDiv(matched, scale)));
      offset = add(offset, mul(known->offset, matched));
      expected = normalProduct(known->mark->extent, matched);
      done += pieces->size();
    } else {
      taken[*at] = true;
      IterSplit piece = sum.args[*at];
      expected = normalProduct(piece.extent, matched);
      piece.scale = canon_.simplify(floorDiv(piece.scale, scale));
      flat.push_back(piece);
      grouped.push_back(piece);
      ++done;
    }
  }
  std::reverse(flat.begin(), flat.end());
  std::reverse(grouped.begin(), grouped.end());
  const Fused* known = findFused(flat);
  if (known && !analyzer_.canProveEqual(offset, mul(known->offset, scale))) return std::nullopt;
  if (!known) {
    IterMarkRef mark = markOf(IterSum{std::move(grouped), zeroLike(sum.base)}, add(truncDiv(expected, scale), tail));
    fused_.push_back({std::move(flat), std::move(mark), offset});
    known = &fused_.back();
  }
  return IterSum{{splitOf(known->mark, scale)}, add(sum.base, offset)};
}

}  // namespace rx::arith
