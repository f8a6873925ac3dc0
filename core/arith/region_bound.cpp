// regionBound of int_set.h: through iterator maps where they apply.
#include <algorithm>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/int_set.h"
#include "core/arith/iter_map.h"
#include "core/arith/iter_rewrite.h"

namespace rx::arith {

using namespace tir;

namespace {

/// `extent` places from every value of the sum; nothing where steps of the sum are larger than that.
std::optional<IntSet> touched(const IterSum& sum, const PrimExpr& extent, Analyzer& analyzer) {
  if (analyzer.canProveEqual(extent, zeroLike(extent))) return IntSet::none();
  if (sum.args.empty()) return IntSet::fromRange(sum.base, extent);
  const IterSplit& split = sum.args[0];
  if (analyzer.canProveEqual(split.extent, zeroLike(split.extent))) return IntSet::none();
  if (!analyzer.canProve(ge(extent, split.scale))) return std::nullopt;
  const PrimExpr way = mul(sub(split.extent, oneLike(split.extent)), split.scale);
  if (analyzer.canProve(lt(split.scale, zeroLike(split.scale)))) {
    return IntSet::fromRange(add(sum.base, way), sub(extent, way));
  }
  return IntSet::fromRange(sum.base, add(extent, way));
}

/// The iterators in the order in which the indices first use them: no order of addresses may show.
std::vector<IterRange> rangesOf(std::span<const Ref<Range>> region, const PrimExpr& predicate, const Domains& iters) {
  std::vector<IterRange> ranges;
  auto take = [&](const PrimExpr& expr) {
    for (const VarRef& var : freeVars(expr)) {
      const auto domain = iters.find(var.get());
      if (domain == iters.end() ||
          std::any_of(ranges.begin(), ranges.end(), [&](const IterRange& known) { return known.var == var; })) {
        continue;
      }
      const auto range = cover(domain->second, make<Range>(zeroLike(var), zeroLike(var)));
      ranges.push_back({var, range->min, range->extent});
    }
  };
  for (const auto& range : region) {
    take(range->min);
    take(range->extent);
  }
  if (predicate) take(predicate);
  // What ranges of iterators depend on counts too: such iterators make no map.
  for (size_t i = 0; i < ranges.size(); ++i) {
    const IterRange range = ranges[i];
    take(range.min);
    take(range.extent);
  }
  return ranges;
}

std::optional<std::vector<IntSet>> exact(std::span<const Ref<Range>> region, const IterMapQuery& query,
                                         Analyzer& analyzer) {
  for (const auto& range : region) {
    if (!isa<IntImm>(range->extent)) return std::nullopt;
  }
  const auto sums = detectIterMap(query, analyzer);
  if (!sums) return std::nullopt;
  std::vector<IntSet> sets;
  for (size_t i = 0; i < region.size(); ++i) {
    auto set = touched((*sums)[i], region[i]->extent, analyzer);
    if (!set) return std::nullopt;
    sets.push_back(std::move(*set));
  }
  return sets;
}

}  // namespace

std::vector<IntSet> regionBound(std::span<const Ref<Range>> region, const Domains& iters, const PrimExpr& predicate,
                                Analyzer& analyzer) {
  const std::vector<IterRange> ranges = rangesOf(region, predicate, iters);
  std::vector<PrimExpr> indices;
  for (const auto& range : region) indices.push_back(range->min);
  if (auto sets = exact(region, {indices, ranges, predicate}, analyzer)) return *sets;
  std::vector<IntSet> sets;
  for (size_t i = 0; i < region.size(); ++i) {
    const auto sum = detectIterMap({std::span(indices).subspan(i, 1), ranges, predicate}, analyzer);
    auto set = sum ? touched(sum->front(), region[i]->extent, analyzer) : std::nullopt;
    if (!set) {
      // The covers of the domains, as the map would have seen them.
      Domains covered;
      for (const IterRange& range : ranges) covered[range.var.get()] = IntSet::fromRange(range.min, range.extent);
      set = evalSet(*region[i], covered);
    }
    sets.push_back(std::move(*set));
  }
  return sets;
}

}  // namespace rx::arith
