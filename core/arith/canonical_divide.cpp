// Quotients and remainders of linear sums. Source of the steps: TVM v0.25 (src/arith/canonical_simplify.cc).
#include <algorithm>
#include <numeric>

#include "core/arith/canonicalizer.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"

namespace rx::arith {

using namespace tir;

std::vector<PrimExpr> factorsOf(const PrimExpr& product, int64_t& scale) {
  std::vector<PrimExpr> found, open{product};
  while (!open.empty()) {
    const PrimExpr next = std::move(open.back());
    open.pop_back();
    if (const auto* node = as<Mul>(next)) {
      open.push_back(node->b);
      open.push_back(node->a);
    } else if (const auto number = asInt(next)) {
      scale *= *number;
    } else {
      found.push_back(next);
    }
  }
  return found;
}

namespace {

/// May the divisor join the term's own? Not where a floored quotient changes its sign: -(x // 2) % 7 is no remainder of
/// x by -14. (TVM makes it one.)
bool foldsInto(const Term& term, int64_t by, bool floor) {
  return by % term.scale == 0 && (term.scale > 0 || term.lower == 1 || !floor);
}

PrimExpr remainderOf(const PrimExpr& a, int64_t by, bool floor) {
  const PrimExpr number = intImm(by, a->dtype);
  return floor ? floorMod(a, number) : truncMod(a, number);
}

/// Dividend and divisor without what both have, which is `common`.
struct Reduced {
  PrimExpr a, b, common;
};
std::optional<Reduced> withoutCommonFactors(const PrimExpr& a, const PrimExpr& b) {
  if (isa<IntImm>(b)) return std::nullopt;
  int64_t scaleA = 1, scaleB = 1;
  std::vector<PrimExpr> left = factorsOf(a, scaleA);
  PrimExpr divisor = intImm(1, b->dtype), common = divisor;
  bool shared = false;
  for (const PrimExpr& factor : factorsOf(b, scaleB)) {
    const auto same = std::ranges::find_if(left, [&](const PrimExpr& e) { return e && sameExpr(e, factor); });
    if (same == left.end()) {
      divisor = mul(divisor, factor);
      continue;
    }
    *same = nullptr;
    shared = true;
    common = mul(common, factor);
  }
  const int64_t divisorOfScales = std::gcd(scaleA, scaleB);
  if (divisorOfScales == 0 || (!shared && divisorOfScales == 1)) return std::nullopt;
  PrimExpr dividend = intImm(1, a->dtype);
  for (const PrimExpr& factor : left) {
    if (factor) dividend = mul(dividend, factor);
  }
  return Reduced{mul(dividend, intImm(scaleA / divisorOfScales, a->dtype)),
                 mul(divisor, intImm(scaleB / divisorOfScales, b->dtype)),
                 mul(common, intImm(divisorOfScales, b->dtype))};
}

}  // namespace

bool Canonicalizer::isWithin(const PrimExpr& expr, int64_t limit) {
  return compare(expr, limit) == Order::Less && canon_.isAtLeast(expr, 0);
}

Term Canonicalizer::quotient(Term term, int64_t by, bool floor) {
  term = withRounding(std::move(term), floor);
  if (term.scale % by == 0) {
    term.scale /= by;
    return term;
  }
  if (foldsInto(term, by, floor)) {
    const int64_t divisor = term.lower * (by / term.scale);
    if (term.upper == Term::kNoUpper || term.upper % divisor == 0) {
      term.scale = 1;
      term.lower = divisor;
      return term;
    }
    if (term.upper <= divisor) return asTerm(intImm(0, term.dtype));
    term.index = remainderOf(term.index, term.upper, floor);
    term.upper = Term::kNoUpper;
    term.scale = 1;
    term.lower = divisor;
    return term;
  }
  term = asTerm(term.write());
  term.lower *= by;
  term.floor = floor;
  return term;
}

Term Canonicalizer::remainder(Term term, int64_t by, bool floor) {
  term = withRounding(std::move(term), floor);
  if (term.scale % by == 0) {
    term.scale = 0;
    return term;
  }
  if (foldsInto(term, by, floor)) {
    const int64_t upper = term.lower * (by / term.scale);
    if (term.upper == Term::kNoUpper) {
      term.upper = upper;
      return term;
    }
    if (term.upper % upper == 0) {
      if (upper == term.upper) return term;
      // The index may be simpler for the smaller modulus.
      Term updated = asTerm(visit(remainderOf(term.index, upper, floor)));
      if (term.lower != 1) updated = quotient(updated, term.lower, floor);
      updated.scale *= term.scale;
      return updated;
    }
    if (upper % term.upper == 0) return term;
  }
  term = asTerm(term.write());
  term.floor = floor;
  term.upper = by;
  return term;
}

void Canonicalizer::addQuotient(Sum& sum, const Sum& rest, int64_t by) {
  const PrimExpr left = rest.write();
  if (const auto number = asInt(left)) {
    sum.base += floorDivInt(*number, by);
  } else if (!isWithin(left, by)) {
    sum.add(quotient(asTerm(left), by, true), 1);
  }
}

Canonicalizer::Form Canonicalizer::quotientOfSum(Sum sum, int64_t by, bool floor, const PrimExpr& whole) {
  auto [multiple, rest] = partsOf(sum, by);
  if (rest.isZero()) {
    multiple.divide(by);
    return multiple;
  }
  if (floor) {
    multiple.divide(by);
    addQuotient(multiple, rest, by);
    return multiple;
  }
  const PrimExpr left = rest.write();
  if (!canon_.isAtLeast(multiple.write(), 0) || !canon_.isAtLeast(left, 0)) {
    return quotient(sum.base == 0 && sum.terms.size() == 1 ? sum.terms[0] : asTerm(whole), by, false);
  }
  multiple.divide(by);
  if (const auto number = asInt(left)) {
    multiple.base += *number / by;
  } else if (compare(left, by) != Order::Less) {
    multiple.add(quotient(asTerm(left), by, false), 1);
  }
  return multiple;
}

/// floordiv(floormod(i, m * n), n) is floormod(floordiv(i, n), m), which helps where parts of i are multiples of n.
std::optional<Canonicalizer::Form> Canonicalizer::quotientOfRemainder(const Term& term, int64_t by) {
  if (term.lower != 1 || term.scale != 1 || term.upper == Term::kNoUpper || term.upper % by != 0 ||
      !term.agrees(true)) {
    return std::nullopt;
  }
  const Form index = mutate(term.index);
  const auto* sum = std::get_if<Sum>(&index);
  if (!sum) return std::nullopt;
  auto [multiple, rest] = partsOf(*sum, by);
  if (multiple.isZero()) return std::nullopt;
  multiple.divide(by);
  addQuotient(multiple, rest, by);
  return Form(visit(remainderOf(multiple.write(), term.upper / by, true)));
}

Canonicalizer::Form Canonicalizer::remainderOfSum(Sum sum, int64_t by, bool floor, const PrimExpr& whole) {
  auto [multiple, rest] = partsOf(sum, by);
  const PrimExpr left = rest.write();
  if (floor) {
    if (isa<IntImm>(left)) return remainderOf(left, by, true);
    if (isWithin(left, by)) return left;
    rest.base = floorModInt(rest.base, by);
    return remainder(asTerm(rest), by, true);
  }
  if (rest.isZero()) return intImm(0, sum.dtype);
  PrimExpr value = whole;
  if (canon_.isAtLeast(multiple.write(), 0) && canon_.isAtLeast(left, 0)) {
    if (isa<IntImm>(left)) return remainderOf(left, by, false);
    if (compare(left, by) == Order::Less) return left;
    sum = rest;
    value = left;
  }
  // (x - 5) % 3 is (x - 2) % 3 while both are not negative.
  const ConstIntBound bound = canon_.boundOf(value);
  const int64_t base = sum.base % by;
  if (bound.min >= 0 && bound.min - sum.base + base >= 0) sum.base = base;
  return remainder(asTerm(sum), by, false);
}

Canonicalizer::Form Canonicalizer::mutateDivision(const PrimExpr& expr) {
  const auto* node = as<BinaryNode>(expr);
  const Kind kind = expr->kind();
  const bool floor = kind == Kind::tir_FloorDiv || kind == Kind::tir_FloorMod;
  const bool divides = kind == Kind::tir_Div || kind == Kind::tir_FloorDiv;
  const Form a = mutate(node->a), b = mutate(node->b);
  const auto *left = std::get_if<PrimExpr>(&a), *right = std::get_if<PrimExpr>(&b);
  if (left && right) {
    if (PrimExpr value = tryFold(kind, *left, *right)) return value;
  }
  const auto by = right ? asInt(*right) : std::nullopt;
  if (by && *by > 0) {
    if (*by == 1) return divides ? a : Form(intImm(0, expr->dtype));
    const PrimExpr whole = written(a);
    if (const auto* sum = std::get_if<Sum>(&a)) {
      return divides ? quotientOfSum(*sum, *by, floor, whole) : remainderOfSum(*sum, *by, floor, whole);
    }
    const ConstIntBound bound = canon_.boundOf(whole);
    if (bound.min >= 0 && bound.max < *by) return divides ? Form(intImm(0, expr->dtype)) : a;
    if (!divides) return remainder(asTerm(a), *by, floor);
    if (const auto* term = std::get_if<Term>(&a); term && floor) {
      if (auto form = quotientOfRemainder(*term, *by)) return *form;
    }
    return quotient(asTerm(a), *by, floor);
  }
  const PrimExpr dividend = written(a), divisor = written(b);
  if (const auto reduced = withoutCommonFactors(dividend, divisor)) {
    const PrimExpr value = makeBinary(kind, reduced->a, reduced->b);
    return divides ? value : mul(value, reduced->common);
  }
  if (dividend == node->a && divisor == node->b) return expr;
  return makeBinary(kind, dividend, divisor);
}

}  // namespace rx::arith
