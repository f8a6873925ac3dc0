#include "core/arith/sums.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/arith/equal.h"
#include "core/arith/fold.h"

namespace rx::arith {

using namespace tir;

namespace {

int64_t wrappedMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
int64_t wrappedAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

/// Joins what divisions took apart: x / (c * s) * s + x % (c * s) / c is x / c.
void mergeTerms(std::vector<Term>& terms) {
  for (size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].scale == 0) continue;
    for (size_t j = i + 1; j < terms.size(); ++j) {
      Term &high = terms[i], &low = terms[j];
      if (!high.sameIndex(low) || high.upper < low.lower) break;
      if (!high.agrees(low.floor)) continue;
      if (high.upper == low.upper && high.lower == low.lower) {
        low.scale = wrappedAdd(low.scale, high.scale);
        high.scale = 0;
      } else if (high.lower == low.upper && low.scale != 0 && high.scale % low.scale == 0 &&
                 high.lower == wrappedMul(high.scale / low.scale, low.lower)) {
        low.upper = high.upper;
        high.scale = 0;
        break;
      }
    }
  }
}

}  // namespace

bool Term::sameIndex(const Term& other) const { return index == other.index || sameExpr(index, other.index); }

PrimExpr Term::write(int64_t factor) const {
  const auto number = [&](int64_t v) { return intImm(v, dtype); };
  if (scale == 0) return number(0);
  PrimExpr value = index;
  if (upper != kNoUpper) value = floor ? floorMod(value, number(upper)) : truncMod(value, number(upper));
  if (lower != 1) value = floor ? floorDiv(value, number(lower)) : truncDiv(value, number(lower));
  const int64_t by = wrappedMul(factor, scale);
  return by == 1 ? value : mul(value, number(by));
}

void Sum::add(Term term, int64_t scale) {
  if (term.scale == 0) return;
  const auto same = [&](const Term& t) { return t.sameIndex(term); };
  auto at = std::ranges::find_if(terms, same);
  for (; at != terms.end(); ++at) {
    if (!at->sameIndex(term) || term.lower > at->lower) break;
    if (term.lower == at->lower && term.upper == at->upper && term.agrees(at->floor)) {
      at->scale = wrappedAdd(at->scale, wrappedMul(term.scale, scale));
      return;
    }
  }
  term.scale = wrappedMul(term.scale, scale);
  terms.insert(at, std::move(term));
}

void Sum::add(const Sum& other, int64_t scale) {
  for (const Term& term : other.terms) add(term, scale);
  base = wrappedAdd(base, wrappedMul(other.base, scale));
}

void Sum::multiply(int64_t scale) {
  base = wrappedMul(base, scale);
  for (Term& term : terms) term.scale = wrappedMul(term.scale, scale);
}

void Sum::divide(int64_t scale) {
  base /= scale;
  for (Term& term : terms) term.scale /= scale;
}

PrimExpr Sum::write() const {
  const auto number = [&](int64_t v) { return intImm(v, dtype); };
  if (terms.empty()) return number(base);
  std::vector<Term> merged = terms;
  mergeTerms(merged);
  // Largest first; terms that tie keep their order.
  std::vector<const Term*> sorted;
  for (const Term& term : merged) sorted.push_back(&term);
  std::ranges::sort(sorted, [](const Term* a, const Term* b) {
    return std::tie(a->scale, a->lower, a->upper, a->floor, b) > std::tie(b->scale, b->lower, b->upper, b->floor, a);
  });
  const bool lowest =
      base == (dtype.bits >= 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (dtype.bits - 1)));
  PrimExpr value = number(0);
  for (const Term* term : sorted) {
    if (term->scale > 0) value = arith::add(value, term->write());
  }
  if (base > 0 || lowest) value = arith::add(value, number(base));
  for (const Term* term : sorted) {
    if (term->scale < 0) value = sub(value, term->write(-1));
  }
  return base < 0 && !lowest ? sub(value, number(-base)) : value;
}

Parts partsOf(const Sum& sum, int64_t factor) {
  Parts parts{Sum(sum.dtype), Sum(sum.dtype)};
  (sum.base % factor == 0 ? parts.multiple : parts.rest).base = sum.base;
  for (const Term& term : sum.terms) (term.scale % factor == 0 ? parts.multiple : parts.rest).terms.push_back(term);
  return parts;
}

}  // namespace rx::arith
