// Floor division and remainder: what divides leaves, what bounds decide goes, the rest keeps one canonical form.
#include <algorithm>
#include <numeric>

#include "core/arith/fold.h"
#include "core/arith/linear.h"
#include "core/arith/state.h"

namespace rx::arith {

using namespace tir;

namespace {

/// Terms of `sum` whose scale `divisor` divides (without it), and all others.
struct Separated {
  Linear quotient;
  Linear rest;
};

Separated separate(const Linear& sum, int64_t divisor) {
  Separated s{Linear(sum.dtype), Linear(sum.dtype)};
  for (Split term : sum.terms) {
    if (term.scale % divisor == 0) {
      term.scale /= divisor;
      s.quotient.add(std::move(term));
    } else {
      s.rest.add(std::move(term));
    }
  }
  if (sum.constant % divisor == 0) {
    s.quotient.constant = sum.constant / divisor;
  } else {
    s.rest.constant = sum.constant;
  }
  return s;
}

bool within(ConstIntBound b, int64_t low, int64_t below) { return b.min >= low && b.max < below; }

/// What a scale g of the sum that divides the divisor takes out, when everything else lies in [0, g): then the rest
/// does not change the quotient.
struct LowPart {
  int64_t scale;
  Linear quotient;
};

std::optional<LowPart> lowPart(Analyzer::State& state, const Linear& sum, int64_t divisor) {
  for (const Split& term : sum.terms) {
    int64_t g = term.scale;
    if (g <= 1 || divisor % g != 0) continue;
    Separated s = separate(sum, g);
    if (s.rest.isConst() && s.rest.constant == 0) continue;
    if (within(state.bound(s.rest.build()), 0, g)) return LowPart{g, std::move(s.quotient)};
  }
  return std::nullopt;
}

int64_t commonScale(const Linear& sum, int64_t start) {
  int64_t g = start;
  for (const Split& term : sum.terms) g = std::gcd(g, term.scale);
  return g;
}

Linear scaledDown(const Linear& sum, int64_t g) {
  Linear out(sum.dtype);
  for (Split term : sum.terms) {
    term.scale /= g;
    out.add(std::move(term));
  }
  out.constant = floorDivInt(sum.constant, g);
  return out;
}

/// (x mod u div l) div c as one term.
PrimExpr divideTerm(const Linear& sum, int64_t c) {
  Split term = sum.terms.front();
  int64_t lower = 0;
  if (!__builtin_mul_overflow(term.lower, c, &lower) && (term.upper == Split::kNoUpper || term.upper % lower == 0)) {
    term.lower = lower;
    return splitExpr(term, 1);
  }
  return floorDiv(splitExpr(term, 1), intImm(c, sum.dtype));
}

PrimExpr modTerm(const Linear& sum, int64_t c) {
  Split term = sum.terms.front();
  int64_t upper = 0;
  if (!__builtin_mul_overflow(term.lower, c, &upper) && (term.upper == Split::kNoUpper || term.upper % upper == 0)) {
    term.upper = upper;
    return splitExpr(term, 1);
  }
  return floorMod(splitExpr(term, 1), intImm(c, sum.dtype));
}

bool loneTerm(const Linear& sum) { return sum.terms.size() == 1 && sum.constant == 0 && sum.terms[0].scale == 1; }

PrimExpr divideConst(Analyzer::State& state, const PrimExpr& a, int64_t c) {
  Linear sum(a->dtype);
  sum.addExpr(a, 1);
  PrimExpr divisor = intImm(c, a->dtype);
  if (sum.overflow) return floorDiv(a, divisor);
  sum.mergeSplits();
  Separated s = separate(sum, c);
  Linear result = s.quotient;
  if (s.rest.isConst()) {
    result.addConst(floorDivInt(s.rest.constant, c));
    return result.build();
  }
  ConstIntBound b = state.bound(s.rest.build());
  if (b.min != ConstIntBound::kNegInf && b.max != ConstIntBound::kPosInf &&
      floorDivInt(b.min, c) == floorDivInt(b.max, c)) {
    result.addConst(floorDivInt(b.min, c));
    return result.build();
  }
  Linear rest = s.rest;
  if (auto low = lowPart(state, rest, c)) {
    result.addExpr(divideConst(state, low->quotient.build(), c / low->scale), 1);
    return result.build();
  }
  int64_t g = commonScale(rest, c);
  if (g > 1) {
    result.addExpr(divideConst(state, scaledDown(rest, g).build(), c / g), 1);
    return result.build();
  }
  if (loneTerm(rest)) {
    result.addExpr(divideTerm(rest, c), 1);
  } else {
    result.addExpr(floorDiv(rest.build(), divisor), 1);
  }
  return result.build();
}

PrimExpr modConst(Analyzer::State& state, const PrimExpr& a, int64_t c) {
  Linear sum(a->dtype);
  sum.addExpr(a, 1);
  PrimExpr divisor = intImm(c, a->dtype);
  if (sum.overflow) return floorMod(a, divisor);
  sum.mergeSplits();
  Linear rest = separate(sum, c).rest;
  if (rest.isConst()) return intImm(floorModInt(rest.constant, c), a->dtype);
  ConstIntBound b = state.bound(rest.build());
  if (b.min != ConstIntBound::kNegInf && b.max != ConstIntBound::kPosInf &&
      floorDivInt(b.min, c) == floorDivInt(b.max, c)) {
    rest.addConst(-floorDivInt(b.min, c) * c);
    return rest.build();
  }
  for (const Split& term : rest.terms) {
    int64_t g = term.scale;
    if (g <= 1 || c % g != 0) continue;
    Separated s = separate(rest, g);
    if (!within(state.bound(s.rest.build()), 0, g)) continue;
    Linear result(a->dtype);
    result.addExpr(modConst(state, s.quotient.build(), c / g), g);
    result.addLinear(s.rest, 1);
    return result.build();
  }
  int64_t g = std::gcd(commonScale(rest, c), rest.constant);
  if (g > 1) {
    Linear result(a->dtype);
    result.addExpr(modConst(state, scaledDown(rest, g).build(), c / g), g);
    return result.build();
  }
  // Scales beyond the divisor fold into it.
  Linear folded(a->dtype);
  bool changed = false;
  for (Split term : rest.terms) {
    bool reducible = rest.terms.size() <= 2 && term.scale >= c;
    changed |= reducible;
    if (reducible) term.scale %= c;
    folded.add(std::move(term));
  }
  folded.constant = floorModInt(rest.constant, c);
  changed |= folded.constant != rest.constant;
  if (changed) return modConst(state, folded.build(), c);
  return loneTerm(rest) ? modTerm(rest, c) : floorMod(rest.build(), divisor);
}

/// The term divided by the factors of `divisor`, or null when they are not all among its factors.
PrimExpr divideFactors(const Split& term, std::span<const PrimExpr> divisor, int64_t divisorScale) {
  if (term.lower != 1 || term.upper != Split::kNoUpper || term.scale % divisorScale != 0) return nullptr;
  std::vector<PrimExpr> factors = factorsOf(term.index);
  for (const PrimExpr& d : divisor) {
    auto found = std::find_if(factors.begin(), factors.end(), [&](const PrimExpr& f) { return sameExpr(f, d); });
    if (found == factors.end()) return nullptr;
    factors.erase(found);
  }
  PrimExpr product = intImm(1, term.index->dtype);
  for (const PrimExpr& f : factors) product = mul(product, f);
  return mul(product, intImm(term.scale / divisorScale, product->dtype));
}

/// [0, divisor) by constant bounds, or because the only term is a variable that a symbolic range bounds.
bool belowDivisor(Analyzer::State& state, const Linear& rest, const PrimExpr& divisor) {
  PrimExpr value = Linear(rest).build();
  if (state.bound(value).min < 0) return false;
  if (const auto* var = as<Var>(value)) {
    auto found = state.below.find(var);
    if (found != state.below.end() && sameIndex(found->second, divisor)) return true;
  }
  return state.bound(value).max < state.bound(divisor).min;
}

struct SymbolicParts {
  Linear quotient, rest;
};

std::optional<SymbolicParts> separateSymbolic(Analyzer::State& state, const PrimExpr& a, const PrimExpr& b) {
  // A divisor that may be negative is left alone, as TVM does, unless only a proof is wanted.
  if (!state.proving && state.bound(b).min < 0) return std::nullopt;
  Linear sum(a->dtype), divisor(a->dtype);
  sum.addExpr(a, 1);
  divisor.addExpr(b, 1);
  if (sum.overflow || divisor.overflow || divisor.terms.size() != 1 || divisor.constant != 0) return std::nullopt;
  const Split& d = divisor.terms.front();
  if (d.scale <= 0) return std::nullopt;
  std::vector<PrimExpr> factors = factorsOf(splitExpr(d, 1));
  SymbolicParts parts{Linear(a->dtype), Linear(a->dtype)};
  for (const Split& term : sum.terms) {
    if (PrimExpr q = divideFactors(term, factors, d.scale)) {
      parts.quotient.addExpr(q, 1);
    } else {
      parts.rest.add(term);
    }
  }
  parts.rest.addConst(sum.constant);
  return parts;
}

}  // namespace

PrimExpr simplifyFloorDiv(Analyzer::State& state, const PrimExpr& a, const PrimExpr& b) {
  if (PrimExpr folded = tryFold(Kind::tir_FloorDiv, a, b)) return folded;
  if (!isIndexType(a->dtype)) return nullptr;
  if (auto c = asInt(b)) return *c > 0 ? divideConst(state, a, *c) : nullptr;
  if (sameIndex(a, b) && (state.proving || state.bound(b).min >= 0)) return intImm(1, a->dtype);
  auto parts = separateSymbolic(state, a, b);
  if (!parts) return nullptr;
  if (parts->rest.isConst() && parts->rest.constant == 0) return parts->quotient.build();
  if (belowDivisor(state, parts->rest, b)) return parts->quotient.build();
  if (parts->quotient.isConst() && parts->quotient.constant == 0) return nullptr;
  // TVM takes a multiple of the divisor out of a sum of two only.
  const size_t rests = parts->rest.terms.size() + (parts->rest.constant != 0 ? 1 : 0);
  if (!state.proving && (rests > 1 || parts->quotient.terms.size() > 1)) return nullptr;
  Linear result = parts->quotient;
  result.addExpr(floorDiv(parts->rest.build(), b), 1);
  return result.build();
}

PrimExpr simplifyFloorMod(Analyzer::State& state, const PrimExpr& a, const PrimExpr& b) {
  if (PrimExpr folded = tryFold(Kind::tir_FloorMod, a, b)) return folded;
  if (!isIndexType(a->dtype)) return nullptr;
  if (auto c = asInt(b)) return *c > 0 ? modConst(state, a, *c) : nullptr;
  if (sameIndex(a, b) && (state.proving || state.bound(b).min >= 0)) return intImm(0, a->dtype);
  auto parts = separateSymbolic(state, a, b);
  if (!parts) return nullptr;
  if (parts->rest.isConst() && parts->rest.constant == 0) return intImm(0, a->dtype);
  if (belowDivisor(state, parts->rest, b)) return parts->rest.build();
  if (parts->quotient.isConst() && parts->quotient.constant == 0) return nullptr;
  return floorMod(parts->rest.build(), b);
}

}  // namespace rx::arith
