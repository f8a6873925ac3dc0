#include "core/arith/iter_map.h"

#include <algorithm>
#include <unordered_set>

#include "core/arith/canon.h"
#include "core/arith/conditions.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/iter_rewrite.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::arith {

using namespace tir;

namespace {

using IterVars = std::unordered_set<const Node*>;

bool usesAny(const PrimExpr& expr, const IterVars& vars) {
  bool found = false;
  walk(*expr, Into::Parts, [&](const Node& node) {
    found = found || vars.contains(&node);
    return !found;
  });
  return found;
}

size_t sizeOf(const PrimExpr& expr) {
  size_t count = 0;
  walk(*expr, Into::Parts, [&](const Node& node) {
    count += isa<ExprNode>(&node) ? 1 : 0;
    return true;
  });
  return count;
}

/// lower <= expr < upper, either null.
struct Constraint {
  PrimExpr expr, lower, upper;
  size_t size = 0;   ///< in nodes
  size_t place = 0;  ///< among the constraints
};

/// Moves what holds no iterator from the left to the right of `left op right`.
void separate(PrimExpr& left, PrimExpr& right, const IterVars& vars) {
  PrimExpr with = zeroLike(left), without = zeroLike(left);
  std::vector<std::pair<PrimExpr, bool>> open{{right, true}, {left, false}};
  while (!open.empty()) {
    auto [part, negative] = open.back();
    open.pop_back();
    if (isa<Add>(part) || isa<Sub>(part)) {
      const auto* node = as<BinaryNode>(part);
      open.push_back({node->b, negative != isa<Sub>(part)});
      open.push_back({node->a, negative});
    } else if (usesAny(part, vars)) {
      with = negative ? sub(with, part) : add(with, part);
    } else {
      without = negative ? add(without, part) : sub(without, part);
    }
  }
  Analyzer analyzer;
  left = analyzer.simplify(with);
  right = analyzer.simplify(without);
}

/// One comparison as a constraint; nothing where it is none of integers. A null expr where no iterator is concerned.
std::optional<Constraint> constraintOf(const PrimExpr& part, const IterVars& vars) {
  const bool less = isa<LT>(part) || isa<LE>(part), greater = isa<GT>(part) || isa<GE>(part);
  if (!less && !greater) return std::nullopt;
  const auto* node = as<BinaryNode>(part);
  PrimExpr left = node->a, right = node->b;
  if (!left->dtype.isIntegral()) return std::nullopt;
  const bool inLeft = usesAny(left, vars), inRight = usesAny(right, vars);
  if (!inLeft && !inRight) return Constraint{};
  if (inLeft && inRight) separate(left, right, vars);
  const bool boundAtLeft = !inLeft;
  const bool orEqual = isa<LE>(part) || isa<GE>(part);
  Constraint made{boundAtLeft ? right : left, nullptr, nullptr};
  const PrimExpr bound = boundAtLeft ? left : right;
  // `expr > bound` and `bound < expr` say the same.
  if (greater != boundAtLeft) {
    made.lower = orEqual ? bound : add(bound, oneLike(bound));
  } else {
    made.upper = orEqual ? add(bound, oneLike(bound)) : bound;
  }
  return made;
}

/// Takes the predicate apart; constraints of single iterators narrow their ranges. False where a part is no comparison.
bool takeApart(const PrimExpr& predicate, std::vector<IterRange>& iters, const IterVars& vars,
               std::vector<Constraint>& constraints) {
  for (const PrimExpr& part : conjuncts(predicate)) {
    auto constraint = constraintOf(part, vars);
    if (!constraint) return false;
    if (!constraint->expr) continue;
    const auto single =
        std::find_if(iters.begin(), iters.end(), [&](const IterRange& iter) { return iter.var == constraint->expr; });
    if (single == iters.end()) {
      constraint->size = sizeOf(constraint->expr);
      constraint->place = constraints.size();
      constraints.push_back(std::move(*constraint));
      continue;
    }
    PrimExpr low = single->min, high = add(single->min, single->extent);
    if (constraint->lower) low = max(low, constraint->lower);
    if (constraint->upper) high = min(high, constraint->upper);
    single->min = low;
    single->extent = sub(high, low);
  }
  return true;
}

}  // namespace

std::optional<std::vector<IterSum>> detectIterMap(const IterMapQuery& query, Analyzer& analyzer) {
  IterVars vars;
  for (const IterRange& iter : query.iters) vars.insert(iter.var.get());
  for (const IterRange& iter : query.iters) {
    if (usesAny(iter.min, vars) || usesAny(iter.extent, vars)) return std::nullopt;
  }
  std::vector<IterRange> iters(query.iters.begin(), query.iters.end());
  std::vector<Constraint> constraints;
  const bool constrained = query.predicate && !isOne(query.predicate);
  if (constrained && !takeApart(query.predicate, iters, vars, constraints)) return std::nullopt;
  std::sort(constraints.begin(), constraints.end(), [](const Constraint& a, const Constraint& b) {
    return std::pair(a.size, a.place) < std::pair(b.size, b.place);
  });
  IterRewriter rewriter(analyzer, iters, query.level, query.dropUnitIters);
  for (const Constraint& constraint : constraints) {
    if (!rewriter.constrain(constraint.expr, constraint.lower, constraint.upper)) return std::nullopt;
  }
  if (!rewriter.constraintsAgree()) return std::nullopt;
  // Divisions may pad iterators: the first round learns by how much, the second applies it everywhere.
  const bool mayPad = query.level != IterMapLevel::Bijective;
  std::vector<IterSum> sums;
  for (const bool learn : {true, false}) {
    if (learn ? !mayPad : mayPad && !rewriter.needsPadding()) continue;
    sums.clear();
    for (const PrimExpr& index : query.indices) {
      auto sum = rewriter.index(index, learn);
      if (!sum) return std::nullopt;
      sums.push_back(std::move(*sum));
    }
  }
  if (!rewriter.covers(sums)) return std::nullopt;
  return sums;
}

std::optional<IterSum> sumByStride(const PrimExpr& index, std::span<const IterRange> iters, Analyzer& analyzer) {
  return IterRewriter(analyzer, iters, IterMapLevel::NoCheck, true).byStride(index);
}

PrimExpr exprOf(const IterSplit& split, Analyzer& analyzer) {
  Canon canon;
  auto equal = [&](const PrimExpr& a, const PrimExpr& b) {
    return analyzer.canProveEqual(a, b) || canon.canProveEqual(a, b);
  };
  const IterMark& mark = *split.source;
  const PrimExpr source = mark.plain ? mark.plain : exprOf(mark.sum, analyzer);
  if (isOne(split.lower) && equal(split.extent, mark.extent)) return mul(source, split.scale);
  if (equal(mark.extent, mul(split.lower, split.extent))) {
    // A piece of one step is zero, unless its iterator itself has one step only.
    if (isOne(split.extent) && !isOne(mark.extent)) return zeroLike(split.extent);
    return mul(floorDiv(source, split.lower), split.scale);
  }
  const PrimExpr full = canon.simplify(mul(split.extent, split.lower));
  return mul(floorDiv(floorMod(source, full), split.lower), split.scale);
}

PrimExpr exprOf(const IterSum& sum, Analyzer& analyzer) {
  PrimExpr whole;
  for (const IterSplit& split : sum.args) {
    PrimExpr part = exprOf(split, analyzer);
    whole = whole ? add(whole, part) : part;
  }
  return whole ? add(whole, sum.base) : sum.base;
}

std::vector<PrimExpr> simplifyIndices(const IterMapQuery& query, Analyzer& analyzer) {
  auto sums = detectIterMap(query, analyzer);
  if (!sums && query.predicate && !isOne(query.predicate) && query.level != IterMapLevel::Bijective) {
    IterMapQuery free = query;
    free.predicate = nullptr;
    sums = detectIterMap(free, analyzer);
  }
  std::vector<PrimExpr> indices(query.indices.begin(), query.indices.end());
  for (size_t i = 0; sums && i < sums->size(); ++i) indices[i] = exprOf((*sums)[i], analyzer);
  return indices;
}

}  // namespace rx::arith
