// Comparisons, and the analyzer's questions.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/arith/fold.h"
#include "core/arith/linear.h"
#include "core/arith/state.h"

namespace rx::arith {

using namespace tir;

namespace {

constexpr int64_t kInf = ConstIntBound::kPosInf;

/// a - b in [low, high] decides a op b, or not.
std::optional<bool> decide(Kind op, ConstIntBound d) {
  switch (op) {
    case Kind::tir_LT:
      return d.max < 0 ? std::optional(true) : d.min >= 0 ? std::optional(false) : std::nullopt;
    case Kind::tir_LE:
      return d.max <= 0 ? std::optional(true) : d.min > 0 ? std::optional(false) : std::nullopt;
    case Kind::tir_EQ:
      if (d.min == 0 && d.max == 0) return true;
      return d.min > 0 || d.max < 0 ? std::optional(false) : std::nullopt;
    default:
      return std::nullopt;
  }
}

/// A sum that is a multiple of g plus a constant is zero only if g divides the constant.
bool neverZero(const Linear& sum) {
  int64_t g = 0;
  for (const Split& term : sum.terms) g = std::gcd(g, term.scale);
  return g > 1 && sum.constant % g != 0;
}

/// Two sums: what both have is taken away, and the constant stands, positive, on one side.
PrimExpr compareSums(Kind op, const PrimExpr& a, const PrimExpr& b, const Linear& difference) {
  Linear left(a->dtype), right(a->dtype);
  left.addExpr(a, 1);
  right.addExpr(b, 1);
  if (left.overflow || right.overflow) return nullptr;
  bool shared = difference.terms.size() != left.terms.size() + right.terms.size();
  bool tidy = (left.constant == 0 || right.constant == 0) && left.constant >= 0 && right.constant >= 0;
  // x + 1 <= y is x < y, and x < y + 1 is x <= y.
  const bool strict = op == Kind::tir_LE && difference.constant == 1;
  const bool unit = strict || (op == Kind::tir_LT && difference.constant == -1);
  if (!shared && !unit && (tidy || op == Kind::tir_EQ)) return nullptr;
  if (shared) {
    left = right = Linear(a->dtype);
    for (Split term : difference.terms) {
      bool positive = term.scale > 0;
      if (!positive) term.scale = -term.scale;
      (positive ? left : right).add(std::move(term));
    }
  }
  left.constant = std::max<int64_t>(difference.constant, 0);
  right.constant = std::max<int64_t>(-difference.constant, 0);
  if (unit) {
    left.constant = right.constant = 0;
    op = strict ? Kind::tir_LT : Kind::tir_LE;
  }
  return makeBinary(op, left.build(), right.build());
}

/// The simplified comparison, made where no rule applies.
PrimExpr compareOr(Analyzer::State& state, Kind op, const PrimExpr& a, const PrimExpr& b) {
  PrimExpr value = simplifyCompare(state, op, a, b);
  return value ? value : makeBinary(op, a, b);
}

}  // namespace

PrimExpr simplifyCompare(Analyzer::State& state, Kind op, const PrimExpr& a, const PrimExpr& b) {
  if (PrimExpr folded = tryFold(op, a, b)) return folded;
  if (op == Kind::tir_GT) return compareOr(state, Kind::tir_LT, b, a);
  if (op == Kind::tir_GE) return compareOr(state, Kind::tir_LE, b, a);
  if (!isIndexType(a->dtype)) {
    bool reflexive = !a->dtype.isFloat() && sameExpr(a, b);
    return reflexive ? boolImm(op == Kind::tir_EQ || op == Kind::tir_LE) : nullptr;
  }
  if (op == Kind::tir_NE) {
    PrimExpr equal = compareOr(state, Kind::tir_EQ, a, b);
    if (auto c = asInt(equal)) return boolImm(*c == 0);
    const auto* rest = as<EQ>(equal);
    return rest ? ne(rest->a, rest->b) : nullptr;
  }
  Linear difference(a->dtype);
  difference.addExpr(a, 1);
  difference.addExpr(b, -1);
  if (difference.overflow) return nullptr;
  difference.mergeSplits();
  if (auto answer = decide(op, state.bound(difference.build()))) return boolImm(*answer);
  if (op == Kind::tir_EQ && neverZero(difference)) return boolImm(false);
  for (const auto& [low, high] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const auto* var = as<Var>(*low);
    auto below = var ? state.below.find(var) : state.below.end();
    if (below == state.below.end() || !sameIndex(below->second, *high)) continue;
    if (op == Kind::tir_EQ) return boolImm(false);
    return boolImm(low == &a);
  }
  if (!isa<IntImm>(a) && !isa<IntImm>(b)) return compareSums(op, a, b, difference);
  if (difference.terms.size() > 1) {
    // The constant gathers on its own side.
    Linear rest(a->dtype);
    bool constLeft = isa<IntImm>(a);
    for (Split term : difference.terms) {
      if (constLeft) term.scale = -term.scale;
      rest.add(std::move(term));
    }
    PrimExpr number = intImm(constLeft ? difference.constant : -difference.constant, a->dtype);
    PrimExpr sum = rest.build();
    bool same = constLeft ? *asInt(number) == *asInt(a) : *asInt(number) == *asInt(b);
    if (same) return nullptr;
    return constLeft ? makeBinary(op, number, sum) : makeBinary(op, sum, number);
  }
  if (difference.constant == -(asInt(a) ? -*asInt(a) : *asInt(b)) && difference.terms.size() == 1 &&
      std::abs(difference.terms[0].scale) == 1) {
    return nullptr;
  }
  // What is positive stands on the left of a constant, what is negative on the right.
  Linear left(a->dtype), right(a->dtype);
  int64_t g = 0;
  for (const Split& term : difference.terms) g = std::gcd(g, term.scale);
  if (g > 1 && difference.constant % g == 0) {
    for (Split& term : difference.terms) term.scale /= g;
    difference.constant /= g;
  } else if (g > 1 && op != Kind::tir_EQ) {
    // g*x + c < 0 is x < ceil(-c/g); g*x + c <= 0 is x <= floor(-c/g).
    for (Split& term : difference.terms) term.scale /= g;
    int64_t floor = floorDivInt(-difference.constant, g);
    difference.constant = op == Kind::tir_LT ? -(floor + 1) : -floor;
  }
  for (Split term : difference.terms) {
    if (term.scale > 0) {
      left.add(std::move(term));
    } else {
      term.scale = -term.scale;
      right.add(std::move(term));
    }
  }
  if (left.isConst()) {
    left.addConst(difference.constant);
  } else {
    right.addConst(-difference.constant);
  }
  return makeBinary(op, left.build(), right.build());
}

void Analyzer::State::assume(const PrimExpr& condition) {
  forget();
  std::vector<PrimExpr> open{condition};
  while (!open.empty()) {
    PrimExpr next = std::move(open.back());
    open.pop_back();
    truths.push(next);
    if (const auto* both = as<And>(next)) {
      open.push_back(both->a);
      open.push_back(both->b);
      continue;
    }
    bool inverse = isa<Not>(next);
    PrimExpr inner = inverse ? as<Not>(next)->a : next;
    if (inverse && isa<Or>(inner)) {
      open.push_back(logicalNot(as<Or>(inner)->a));
      open.push_back(logicalNot(as<Or>(inner)->b));
      continue;
    }
    const auto* compare = as<BinaryNode>(inner);
    if (!compare || inner->kind() < Kind::tir_EQ || inner->kind() > Kind::tir_GE) continue;
    if (!isIndexType(compare->a->dtype)) continue;
    Kind op = inner->kind();
    if (inverse && (op == Kind::tir_EQ || op == Kind::tir_NE)) op = op == Kind::tir_EQ ? Kind::tir_NE : Kind::tir_EQ;
    PrimExpr a = compare->a, b = compare->b;
    if (inverse && (op == Kind::tir_LT || op == Kind::tir_LE || op == Kind::tir_GT || op == Kind::tir_GE)) {
      op = op == Kind::tir_LT   ? Kind::tir_GE
           : op == Kind::tir_LE ? Kind::tir_GT
           : op == Kind::tir_GT ? Kind::tir_LE
                                : Kind::tir_LT;
    }
    if (op == Kind::tir_NE) continue;
    bool upper = op == Kind::tir_LT || op == Kind::tir_LE || op == Kind::tir_EQ;
    bool lower = op == Kind::tir_GT || op == Kind::tir_GE || op == Kind::tir_EQ;
    int64_t strict = op == Kind::tir_LT || op == Kind::tir_GT ? 1 : 0;
    ConstIntBound left = bound(a), right = bound(b);
    ConstIntBound forA, forB;
    if (upper) {
      if (right.max != kInf) forA.max = right.max - strict;
      if (left.min != -kInf) forB.min = left.min + strict;
    }
    if (lower) {
      if (right.min != -kInf) forA.min = right.min + strict;
      if (left.max != kInf) forB.max = left.max - strict;
    }
    if (!isa<IntImm>(a)) addFact(a, forA);
    if (!isa<IntImm>(b)) addFact(b, forB);
  }
  forget();
}

namespace {

/// A monomial: factors sorted by a hash that is stable within one comparison.
struct Monomial {
  std::vector<PrimExpr> factors;
  size_t hash;
  int64_t scale;
};

constexpr size_t kMaxMonomials = 256;

/// Expands into monomials; false when it grows beyond the limit or overflows.
bool expand(const PrimExpr& expr, std::vector<Monomial>& out, int depth) {
  constexpr int kMaxDepth = 64;
  if (depth > kMaxDepth) return false;
  Linear sum(expr->dtype);
  sum.addExpr(expr, 1);
  if (sum.overflow) return false;
  if (sum.constant) out.push_back({{}, 0, sum.constant});
  for (const Split& term : sum.terms) {
    std::vector<PrimExpr> factors = factorsOf(splitExpr(term, 1));
    if (factors.size() > kMaxDepth) return false;
    std::vector<Monomial> product{{{}, 0, term.scale}};
    for (const PrimExpr& factor : factors) {
      std::vector<Monomial> inner;
      bool sumFactor = factors.size() > 1 && (isa<Add>(factor) || isa<Sub>(factor));
      if (sumFactor) {
        if (!expand(factor, inner, depth + 1)) return false;
      } else {
        inner.push_back({{factor}, hashExpr(factor), 1});
      }
      std::vector<Monomial> next;
      for (const Monomial& x : product) {
        for (const Monomial& y : inner) {
          Monomial m{x.factors, x.hash + y.hash, 0};
          if (__builtin_mul_overflow(x.scale, y.scale, &m.scale)) return false;
          m.factors.insert(m.factors.end(), y.factors.begin(), y.factors.end());
          next.push_back(std::move(m));
          if (next.size() > kMaxMonomials) return false;
        }
      }
      product = std::move(next);
    }
    out.insert(out.end(), product.begin(), product.end());
    if (out.size() > kMaxMonomials) return false;
  }
  return true;
}

bool sameFactors(const Monomial& a, const Monomial& b) {
  if (a.hash != b.hash || a.factors.size() != b.factors.size()) return false;
  std::vector<PrimExpr> right = b.factors;
  for (const PrimExpr& factor : a.factors) {
    auto found = std::find_if(right.begin(), right.end(), [&](const PrimExpr& x) { return x && sameExpr(x, factor); });
    if (found == right.end()) return false;
    *found = nullptr;
  }
  return true;
}

}  // namespace

bool samePolynomial(const PrimExpr& a, const PrimExpr& b) {
  std::vector<Monomial> left, right;
  if (!expand(a, left, 0) || !expand(b, right, 0)) return false;
  for (Monomial& m : right) {
    if (m.scale == std::numeric_limits<int64_t>::min()) return false;
    m.scale = -m.scale;
    left.push_back(std::move(m));
  }
  for (size_t i = 0; i < left.size(); ++i) {
    for (size_t j = i + 1; j < left.size(); ++j) {
      if (!left[j].scale || !sameFactors(left[i], left[j])) continue;
      if (__builtin_add_overflow(left[i].scale, left[j].scale, &left[i].scale)) return false;
      left[j].scale = 0;
    }
    if (left[i].scale) return false;
  }
  return true;
}

}  // namespace rx::arith
