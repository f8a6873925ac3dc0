// Whether the pieces of iterators are disjoint and cover enough of them.
#include <algorithm>
#include <utility>

#include "core/arith/fold.h"
#include "core/arith/iter_rewrite.h"

namespace rx::arith {

using namespace tir;

/// The pieces, from the innermost outwards, each begin where the one before ends or, unless the map must be bijective,
/// at a multiple of that.
bool IterRewriter::covers(const IterMark& mark, const std::vector<IterSplit>& splits) {
  std::vector<bool> used(splits.size(), false);
  PrimExpr expected = oneLike(mark.extent);
  for (size_t round = 0; round < splits.size(); ++round) {
    size_t at = 0;
    while (at < splits.size() && (used[at] || !equal(splits[at].lower, expected))) ++at;
    if (at == splits.size()) {
      if (level_ == IterMapLevel::Bijective) return false;
      for (size_t i = 0; i < splits.size(); ++i) {
        if (used[i]) continue;
        if (!divisible(splits[i].lower, expected)) return false;
        if (at == splits.size() || divisible(splits[at].lower, splits[i].lower)) at = i;
      }
      if (at == splits.size()) return false;
    }
    used[at] = true;
    expected = mul(splits[at].lower, splits[at].extent);
  }
  const auto padded = unpadded_.find(&mark);
  const bool full = equal(expected, mark.extent);
  const bool even = full || divisible(mark.extent, expected);
  if (level_ == IterMapLevel::Bijective) return padded == unpadded_.end() && full;
  if (padded == unpadded_.end()) return even;
  if (level_ != IterMapLevel::Surjective) return true;
  const PrimExpr& before = padded->second->extent;
  if (!full) return even && analyzer_.canProve(ge(before, expected));
  return splits.size() == 1 && (!equal(splits[0].extent, expected) || analyzer_.canProve(ge(before, expected)));
}

bool IterRewriter::covers(std::span<const IterSum> sums) {
  std::vector<IterMarkRef> order;
  std::unordered_map<const IterMark*, std::vector<IterSplit>> pieces;
  std::unordered_map<const IterMark*, bool> entered;
  auto collect = [&](const IterSum& root) {
    std::vector<const IterSum*> open{&root};
    while (!open.empty()) {
      const IterSum* sum = open.back();
      open.pop_back();
      for (const IterSplit& split : sum->args) {
        pieces[split.source.get()].push_back(split);
        if (std::exchange(entered[split.source.get()], true)) continue;
        order.push_back(split.source);
        if (!split.source->plain) open.push_back(&split.source->sum);
      }
    }
  };
  for (const IterSum& sum : sums) collect(sum);
  for (const IterMarkRef& mark : order) {
    if (!covers(*mark, pieces[mark.get()])) return false;
  }
  if (level_ != IterMapLevel::Bijective) return true;
  return std::all_of(inputs_.begin(), inputs_.end(),
                     [&](const IterMarkRef& mark) { return isOne(mark->extent) || entered.contains(mark.get()); });
}

}  // namespace rx::arith
