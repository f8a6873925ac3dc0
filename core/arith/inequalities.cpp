#include "core/arith/inequalities.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/int_set.h"

namespace rx::arith {

using namespace tir;

namespace {

PrimExpr zero(const PrimExpr& like) { return constantInt(like->dtype, 0); }
PrimExpr one(const PrimExpr& like) { return constantInt(like->dtype, 1); }

/// `left <= 0`, or `left == 0`.
struct Relation {
  PrimExpr left;
  bool equal = false;
};
/// coefficient * v + rest <= 0.
struct Bound {
  int64_t coefficient;
  PrimExpr rest;
};
/// lower <= coefficient * v <= upper, for each.
struct Group {
  int64_t coefficient = 1;
  std::vector<PrimExpr> lower, equal, upper;
};

class Solver {
 public:
  Solver(const VarRanges& known, std::span<const VarRef> vars) : ranges_(known) {
    for (const VarRef& var : vars) {
      const auto range = known.find(var.get());
      if (range != known.end()) analyzer_.bind(var, *range->second);
    }
  }

  /// False where it is no comparison that can be solved.
  bool add(const PrimExpr& comparison) {
    const PrimExpr simple = analyzer_.simplify(comparison);
    if (const auto truth = asInt(simple)) return *truth != 0;
    const auto* node = as<BinaryNode>(simple);
    if (!node || !node->a->dtype.isIntegral()) return false;
    switch (simple->kind()) {
      case Kind::tir_EQ:
        relations_.push_back({analyzer_.simplify(sub(node->a, node->b)), true});
        return true;
      case Kind::tir_LT:
        return lessEqual(arith::add(sub(node->a, node->b), one(node->a)));
      case Kind::tir_LE:
        return lessEqual(sub(node->a, node->b));
      case Kind::tir_GT:
        return lessEqual(arith::add(sub(node->b, node->a), one(node->a)));
      case Kind::tir_GE:
        return lessEqual(sub(node->b, node->a));
      default:
        return false;
    }
  }

  /// Takes the variable out of the relations and returns what they say about it; nothing where one is not linear.
  std::optional<Group> eliminate(const VarRef& var) {
    std::vector<Relation> rest;
    std::vector<Bound> above, below;
    if (const auto range = ranges_.find(var.get()); range != ranges_.end()) {
      const auto& [min, extent] = std::pair(range->second->min, range->second->extent);
      below.push_back({-1, analyzer_.simplify(min)});
      above.push_back({1, neg(analyzer_.simplify(sub(arith::add(min, extent), one(min))))});
    }
    for (const Relation& relation : relations_) {
      const auto linear = linearIn(relation.left, var.get());
      if (!linear) return std::nullopt;
      const auto& [c, e] = *linear;
      if (c == 0) {
        rest.push_back(relation);
      } else if (relation.equal) {
        above.push_back({std::abs(c), c > 0 ? e : neg(e)});
        below.push_back({-std::abs(c), c > 0 ? neg(e) : e});
      } else {
        (c > 0 ? above : below).push_back({c, e});
      }
    }
    relations_ = std::move(rest);
    for (const Bound& high : above) {
      for (const Bound& low : below) {
        const int64_t common = std::gcd(high.coefficient, low.coefficient);
        const PrimExpr a = mul(constantInt(low.rest->dtype, high.coefficient / common), low.rest);
        const PrimExpr b = mul(constantInt(high.rest->dtype, low.coefficient / common), high.rest);
        lessEqual(sub(a, b));
      }
    }
    return grouped(var, above, below);
  }

  /// Whether nothing is left that is not known to hold.
  bool done() {
    return std::all_of(relations_.begin(), relations_.end(), [&](const Relation& relation) {
      return analyzer_.canProve(relation.equal ? eq(relation.left, zero(relation.left))
                                               : le(relation.left, zero(relation.left)));
    });
  }

 private:
  /// Notes left <= 0 unless it follows from what is known.
  bool lessEqual(const PrimExpr& left) {
    const PrimExpr simple = analyzer_.simplify(left);
    if (analyzer_.canProve(le(simple, zero(simple)))) return true;
    for (const Relation& known : relations_) {
      if (!known.equal && analyzer_.canProve(le(sub(simple, known.left), zero(simple)))) return true;
    }
    std::erase_if(relations_, [&](const Relation& known) {
      return !known.equal && analyzer_.canProve(le(sub(known.left, simple), zero(simple)));
    });
    relations_.push_back({simple, false});
    return true;
  }

  Group grouped(const VarRef& var, const std::vector<Bound>& above, const std::vector<Bound>& below) {
    Group group;
    for (const auto* side : {&above, &below}) {
      for (const Bound& bound : *side) group.coefficient = std::lcm(group.coefficient, std::abs(bound.coefficient));
    }
    auto collect = [&](const std::vector<Bound>& side, std::vector<PrimExpr>& into, bool isUpper) {
      for (const Bound& bound : side) {
        const PrimExpr value =
            analyzer_.simplify(mul(constantInt(var->dtype, -group.coefficient / bound.coefficient), bound.rest));
        auto noBetter = [&](const PrimExpr& a, const PrimExpr& b) {
          return analyzer_.canProve(isUpper ? le(sub(a, b), zero(a)) : ge(sub(a, b), zero(a)));
        };
        if (std::any_of(into.begin(), into.end(), [&](const PrimExpr& old) { return noBetter(old, value); })) continue;
        std::erase_if(into, [&](const PrimExpr& old) { return noBetter(value, old); });
        into.push_back(value);
      }
    };
    collect(above, group.upper, true);
    collect(below, group.lower, false);
    for (size_t i = 0; i < group.upper.size();) {
      const auto same = std::find_if(group.lower.begin(), group.lower.end(),
                                     [&](const PrimExpr& low) { return sameExpr(low, group.upper[i]); });
      if (same == group.lower.end()) {
        ++i;
        continue;
      }
      group.equal.push_back(*same);
      group.lower.erase(same);
      group.upper.erase(group.upper.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return group;
  }

  const VarRanges& ranges_;
  Analyzer analyzer_;
  std::vector<Relation> relations_;
};

void bindAll(Analyzer& analyzer, std::span<const VarRef> vars, const VarRanges& ranges) {
  for (const VarRef& var : vars) {
    const auto range = ranges.find(var.get());
    if (range != ranges.end()) analyzer.bind(var, *range->second);
  }
}

/// The closest range that follows from the bounds; null where there is none.
Ref<Range> bestRange(const Group& group, std::span<const VarRef> vars, const VarRanges& ranges) {
  Analyzer analyzer;
  bindAll(analyzer, vars, ranges);
  Domains domains;
  for (const auto& [var, range] : ranges) domains[var] = IntSet::fromRange(*range);
  std::vector<PrimExpr> lowers = group.equal, uppers = group.equal;
  lowers.insert(lowers.end(), group.lower.begin(), group.lower.end());
  uppers.insert(uppers.end(), group.upper.begin(), group.upper.end());
  if (lowers.size() == 1 && uppers.size() == 1 && group.coefficient == 1) {
    const PrimExpr low = analyzer.simplify(lowers[0]);
    return make<Range>(low, analyzer.simplify(sub(add(uppers[0], one(low)), low)));
  }
  PrimExpr best, least;
  for (const PrimExpr& low : lowers) {
    for (const PrimExpr& high : uppers) {
      const PrimExpr by = constantInt(low->dtype, group.coefficient);
      const PrimExpr up = analyzer.simplify(floorDiv(sub(add(low, by), one(low)), by));
      PrimExpr over;
      for (const PrimExpr& way : {floorDiv(sub(high, low), by), sub(floorDiv(high, by), up)}) {
        const IntSet set = evalSet(analyzer.simplify(way), domains);
        if (!set.max) continue;
        const PrimExpr most = analyzer.simplify(set.max);
        if (!over || analyzer.canProve(lt(sub(most, over), zero(most)))) over = most;
      }
      if (!over || (least && !analyzer.canProve(lt(sub(over, least), zero(over))))) continue;
      best = up;
      least = over;
    }
  }
  return best ? make<Range>(best, analyzer.simplify(add(least, one(least)))) : nullptr;
}

void addRange(Group& group, const Range& range) {
  Analyzer analyzer;
  const PrimExpr by = constantInt(range.min->dtype, group.coefficient);
  if (isOne(range.extent)) {
    group.equal.insert(group.equal.begin(), analyzer.simplify(mul(range.min, by)));
    return;
  }
  group.lower.insert(group.lower.begin(), analyzer.simplify(mul(range.min, by)));
  group.upper.insert(group.upper.begin(),
                     analyzer.simplify(mul(sub(add(range.min, range.extent), one(range.min)), by)));
}

/// Whether the ranges imply all that the group says of the variable.
bool implied(const VarRef& var, const Group& group, Analyzer& analyzer) {
  const PrimExpr left = mul(constantInt(var->dtype, group.coefficient), var);
  auto all = [&](const std::vector<PrimExpr>& ends, PrimExpr (*compare)(PrimExpr, PrimExpr)) {
    return std::all_of(ends.begin(), ends.end(),
                       [&](const PrimExpr& end) { return analyzer.canProve(compare(left, end)); });
  };
  return all(group.equal, eq) && all(group.lower, ge) && all(group.upper, le);
}

}  // namespace

std::optional<std::pair<int64_t, PrimExpr>> linearIn(const PrimExpr& expr, const Var* var) {
  int64_t coefficient = 0;
  PrimExpr rest = zero(expr);
  std::vector<std::pair<PrimExpr, int64_t>> open{{expr, 1}};
  while (!open.empty()) {
    auto [part, scale] = open.back();
    open.pop_back();
    if (part.get() == var) {
      if (__builtin_add_overflow(coefficient, scale, &coefficient)) return std::nullopt;
    } else if (isa<Add>(part) || isa<Sub>(part)) {
      const auto* node = as<BinaryNode>(part);
      open.push_back({node->b, isa<Add>(part) ? scale : -scale});
      open.push_back({node->a, scale});
    } else if (const auto* product = as<Mul>(part); product && (asInt(product->a) || asInt(product->b))) {
      const bool first = asInt(product->a).has_value();
      if (__builtin_mul_overflow(scale, first ? *asInt(product->a) : *asInt(product->b), &scale)) return std::nullopt;
      open.push_back({first ? product->b : product->a, scale});
    } else {
      for (const VarRef& used : freeVars(part)) {
        if (used.get() == var) return std::nullopt;
      }
      rest = add(rest, mul(part, constantInt(part->dtype, scale)));
    }
  }
  return std::pair{coefficient, rest};
}

std::optional<std::pair<std::vector<int64_t>, PrimExpr>> linearIn(PrimExpr expr, std::span<const Var* const> vars) {
  std::vector<int64_t> coefficients;
  for (const Var* var : vars) {
    auto linear = linearIn(expr, var);
    if (!linear) return std::nullopt;
    coefficients.push_back(linear->first);
    expr = std::move(linear->second);
  }
  return std::pair{std::move(coefficients), std::move(expr)};
}

std::optional<VarRanges> solveInequalities(std::span<const VarRef> vars, const VarRanges& known,
                                           std::span<const PrimExpr> comparisons) {
  Solver solver(known, vars);
  for (const PrimExpr& comparison : comparisons) {
    if (!solver.add(comparison)) return std::nullopt;
  }
  std::vector<Group> groups;
  for (const VarRef& var : vars) {
    auto group = solver.eliminate(var);
    if (!group) return std::nullopt;
    groups.push_back(std::move(*group));
  }
  VarRanges ranges = known, result;
  for (size_t i = vars.size(); i-- > 0;) {
    const VarRef& var = vars[i];
    Analyzer analyzer;
    bindAll(analyzer, vars, ranges);
    Ref<Range> range;
    Group group = groups[i];
    if (group.coefficient == 1 && !group.equal.empty()) {
      range = make<Range>(group.equal[0], one(var));
    } else {
      if (const auto old = ranges.find(var.get()); old != ranges.end()) addRange(group, *old->second);
      range = bestRange(group, vars, ranges);
      if (range && analyzer.canProveGreaterEqual(neg(range->extent), 0)) return std::nullopt;
    }
    if (range) ranges[var.get()] = result[var.get()] = range;
  }
  Analyzer analyzer;
  bindAll(analyzer, vars, ranges);
  for (size_t i = 0; i < vars.size(); ++i) {
    if (!implied(vars[i], groups[i], analyzer)) return std::nullopt;
  }
  if (!solver.done()) return std::nullopt;
  return result;
}

}  // namespace rx::arith
