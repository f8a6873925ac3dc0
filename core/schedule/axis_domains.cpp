#include "core/schedule/axis_domains.h"

#include <algorithm>

#include "core/arith/fold.h"
#include "core/arith/iter_map.h"

namespace rx::schedule {

using namespace tir;

namespace {

using arith::IntSet;
using Domains = std::unordered_map<const Var*, AxisDomain>;

PrimExpr oneOf(const PrimExpr& like) { return arith::constantInt(like->dtype, 1); }

IntSet together(const IntSet& a, const IntSet& b) { return a.nothing ? b : b.nothing ? a : arith::unite(a, b); }

void unite(AxisDomain& into, const AxisDomain& other) {
  into.domain = together(into.domain, other.domain);
  into.bound = together(into.bound, other.bound);
}

IntSet simplified(const IntSet& set, arith::Canon& canon) {
  if (set.nothing) return set;
  return {set.min ? canon.simplify(set.min) : nullptr, set.max ? canon.simplify(set.max) : nullptr};
}

/// Drops the bound where it says nothing new, or is all that there is to say.
AxisDomain reduced(AxisDomain axis, arith::Canon& canon) {
  axis.bound = simplified(axis.bound, canon);
  if (axis.domain.nothing) return axis.bound.bounded() ? AxisDomain{axis.bound, IntSet::none()} : axis;
  axis.domain = simplified(axis.domain, canon);
  const IntSet both = simplified(arith::intersect(axis.domain, axis.bound), canon);
  auto same = [&](const IntSet& a, const IntSet& b) {
    return a.bounded() && b.bounded() && canon.canProveEqual(a.min, b.min) && canon.canProveEqual(a.max, b.max);
  };
  if (same(axis.domain, both)) return {axis.domain, IntSet::none()};
  if (same(axis.bound, both)) return {axis.bound, IntSet::none()};
  if (both.bounded() && isa<IntImm>(both.min) && isa<IntImm>(both.max)) return {both, IntSet::none()};
  return axis;
}

/// The variables of an iterator map where its sums are at the ends of the sets.
std::optional<std::unordered_map<const Var*, IntSet>> inverseSets(std::span<const arith::IterSum> sums,
                                                                  std::span<const IntSet> sets, arith::Canon& canon) {
  arith::Analyzer analyzer;
  std::vector<PrimExpr> low, high;
  for (const IntSet& set : sets) {
    if (!set.bounded()) return std::nullopt;
    low.push_back(set.min);
    high.push_back(set.max);
  }
  const auto first = arith::invertIterMap(sums, low, analyzer), last = arith::invertIterMap(sums, high, analyzer);
  if (!first || !last) return std::nullopt;
  std::unordered_map<const Var*, IntSet> made;
  for (const auto& [var, from] : *first) {
    const PrimExpr& to = last->at(var);
    made[var] = {canon.simplify(arith::min(from, to)), canon.simplify(arith::max(from, to))};
  }
  return made;
}

/// The domains where each element is provided by one step; false where the axes can not be told from the element.
bool byInverse(const Array<Ref<IterVar>>& axes, const Provision& provision, arith::Canon& canon, Domains& domains) {
  std::vector<PrimExpr> indices;
  std::vector<IntSet> whole;
  for (size_t i = 0; i < provision.provided.size(); ++i) {
    const IntSet& set = provision.provided[i];
    if (!set.bounded() || !canon.canProveEqual(set.min, set.max)) return false;
    indices.push_back(set.min);
    const PrimExpr& size = provision.buffer->shape[i];
    const PrimExpr zero = arith::constantInt(size->dtype, 0);
    whole.push_back({zero, arith::max(arith::sub(size, oneOf(size)), zero)});
  }
  std::vector<arith::IterRange> ranges;
  for (const auto& axis : axes) ranges.push_back({axis->var, axis->dom->min, axis->dom->extent});
  arith::Analyzer analyzer;
  const auto sums = arith::detectIterMap({indices, ranges, nullptr, arith::IterMapLevel::Bijective, false}, analyzer);
  if (!sums) return false;
  const auto inner = inverseSets(*sums, provision.required, canon), outer = inverseSets(*sums, whole, canon);
  if (!inner || !outer) return false;
  for (const auto& [var, set] : *inner) unite(domains[var], {set, outer->at(var)});
  return true;
}

/// One dimension: which variable decides it, and over what it has to run.
struct Solved {
  const Var* var;
  AxisDomain axis;
};

/// Takes a quotient or a remainder of the provided index apart; null where it is neither.
const BinaryNode* asPiece(const PrimExpr& index) {
  return isa<FloorDiv>(index) || isa<FloorMod>(index) ? as<BinaryNode>(index) : nullptr;
}

std::optional<Solved> solved(PrimExpr provided, IntSet required, const PrimExpr& last, arith::Canon& canon) {
  for (;;) {
    provided = canon.simplify(provided);
    const PrimExpr zero = arith::constantInt(last->dtype, 0);
    if (const auto* var = as<Var>(provided)) return Solved{var, {required, {zero, last}}};
    const auto* piece = asPiece(provided);
    if (!piece || !canon.canProve(arith::ge(piece->b, oneOf(piece->b)))) return std::nullopt;
    if (isa<FloorMod>(provided)) {
      // A remainder does not narrow what it is taken of.
      if (const auto* var = as<Var>(piece->a)) return Solved{var, {}};
      if (!required.min || !canon.canProve(arith::ge(required.min, zero))) return std::nullopt;
      required = {required.min, nullptr};
      provided = piece->a;
      continue;
    }
    auto lastOf = [&](const PrimExpr& value) {
      return value ? canon.simplify(arith::sub(arith::add(arith::mul(value, piece->b), piece->b), oneOf(piece->b)))
                   : nullptr;
    };
    required = {required.min ? arith::mul(required.min, piece->b) : nullptr, lastOf(required.max)};
    if (const auto* var = as<Var>(piece->a)) return Solved{var, {required, {zero, lastOf(last)}}};
    provided = piece->a;
  }
}

/// The place that one step provides begins with a multiple of an axis.
std::optional<Solved> multiple(const PrimExpr& begin, const IntSet& required, const PrimExpr& last) {
  const auto* product = as<Mul>(begin);
  if (!product || !required.bounded()) return std::nullopt;
  const auto* var = as<Var>(product->a) ? as<Var>(product->a) : as<Var>(product->b);
  if (!var) return std::nullopt;
  const PrimExpr by = product->a.get() == var ? product->b : product->a;
  return Solved{var,
                {{arith::floorDiv(required.min, by), arith::floorDiv(required.max, by)},
                 {arith::constantInt(last->dtype, 0), arith::floorDiv(last, by)}}};
}

/// Each dimension by itself.
bool byDimension(const Provision& provision, arith::Canon& canon, Domains& domains) {
  for (size_t i = 0; i < provision.provided.size(); ++i) {
    const PrimExpr& size = provision.buffer->shape[i];
    const PrimExpr last = arith::max(arith::sub(size, oneOf(size)), arith::constantInt(size->dtype, 0));
    const IntSet provided = simplified(provision.provided[i], canon);
    const IntSet required = simplified(provision.required[i], canon);
    if (!provided.bounded()) return false;
    const bool point = canon.canProveEqual(provided.min, provided.max);
    if (point && isa<IntImm>(provided.min)) {
      if (!required.bounded() || !canon.canProveEqual(provided.min, required.min) ||
          !canon.canProveEqual(required.min, required.max)) {
        return false;
      }
      continue;
    }
    auto found = multiple(provided.min, required, last);
    if (!found && point) found = solved(provided.min, required, last, canon);
    if (!found) return false;
    const auto axis = domains.find(found->var);
    if (axis != domains.end()) {
      unite(axis->second, found->axis);
    } else if (!required.bounded() || !canon.canProveEqual(provided.min, required.min) ||
               !canon.canProveEqual(provided.max, required.max)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<std::vector<AxisDomain>> axisDomains(const Array<Ref<IterVar>>& axes,
                                                   std::span<const Provision> provisions, arith::Canon& canon) {
  Domains domains;
  for (const auto& axis : axes) domains[axis->var.get()] = {};
  for (const Provision& provision : provisions) {
    if (provision.required.empty()) continue;
    if (!byInverse(axes, provision, canon, domains) && !byDimension(provision, canon, domains)) return std::nullopt;
  }
  std::vector<AxisDomain> made;
  for (const auto& axis : axes) {
    AxisDomain domain = domains.at(axis->var.get());
    const IntSet own = IntSet::fromRange(*axis->dom);
    domain.bound = domain.bound.nothing ? own : arith::intersect(domain.bound, own);
    made.push_back(reduced(domain, canon));
    if (made.back().domain.nothing) return std::nullopt;
  }
  return made;
}

}  // namespace rx::schedule
