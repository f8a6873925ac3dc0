#include "core/arith/linear.h"

#include <algorithm>
#include <tuple>

#include "core/arith/equal.h"
#include "core/arith/fold.h"

namespace rx::arith {

using namespace tir;

bool isIndexType(DataType dtype) { return dtype.isInt() && dtype.lanes == 1 && dtype.bits >= 32; }

std::vector<PrimExpr> factorsOf(const PrimExpr& expr) {
  // Beyond the limit a product counts as one factor: powers by repeated squaring have too many.
  constexpr int kProducts = 64;
  std::vector<PrimExpr> factors, open{expr};
  for (int visits = 0; !open.empty(); ++visits) {
    PrimExpr next = std::move(open.back());
    open.pop_back();
    if (const auto* product = visits < kProducts ? as<Mul>(next) : nullptr) {
      open.push_back(product->b);
      open.push_back(product->a);
    } else {
      factors.push_back(std::move(next));
    }
  }
  return factors;
}

size_t indexHash(const PrimExpr& expr) {
  if (!isa<Mul>(expr)) return hashExpr(expr);
  size_t sum = 0x51ed27;
  for (const PrimExpr& factor : factorsOf(expr)) sum += hashExpr(factor);
  return sum;
}

bool sameIndex(const PrimExpr& a, const PrimExpr& b) {
  if (a == b) return true;
  if (!isa<Mul>(a) || !isa<Mul>(b)) return sameExpr(a, b);
  std::vector<PrimExpr> left = factorsOf(a), right = factorsOf(b);
  if (left.size() != right.size()) return false;
  for (const PrimExpr& factor : left) {
    auto found = std::find_if(right.begin(), right.end(), [&](const PrimExpr& x) { return x && sameExpr(factor, x); });
    if (found == right.end()) return false;
    *found = nullptr;
  }
  return true;
}

Split splitOf(const PrimExpr& expr, int64_t scale) {
  Split split{expr, 1, Split::kNoUpper, scale, 0};
  auto constant = [](const PrimExpr& e) {
    auto value = asInt(e);
    return value && *value > 0 ? *value : 0;
  };
  PrimExpr current = expr;
  // x mod u div l is stored as written; x div l mod u is x mod (l*u) div l.
  if (const auto* div = as<FloorDiv>(current)) {
    if (int64_t lower = constant(div->b)) {
      split.lower = lower;
      split.index = div->a;
      if (const auto* mod = as<FloorMod>(div->a)) {
        int64_t upper = constant(mod->b);
        if (upper && upper % lower == 0) {
          split.upper = upper;
          split.index = mod->a;
        }
      }
    }
  } else if (const auto* mod = as<FloorMod>(current)) {
    if (int64_t upper = constant(mod->b)) {
      split.upper = upper;
      split.index = mod->a;
      if (const auto* inner = as<FloorDiv>(mod->a)) {
        int64_t lower = constant(inner->b), product = 0;
        if (lower && !__builtin_mul_overflow(lower, upper, &product)) {
          split.lower = lower;
          split.upper = product;
          split.index = inner->a;
        }
      }
    }
  }
  split.hash = indexHash(split.index);
  return split;
}

PrimExpr splitExpr(const Split& term, int64_t scale) {
  PrimExpr e = term.index;
  DataType type = e->dtype;
  if (term.upper != Split::kNoUpper) e = floorMod(e, intImm(term.upper, type));
  if (term.lower != 1) e = floorDiv(e, intImm(term.lower, type));
  return scale == 1 ? e : mul(e, intImm(scale, type));
}

void Linear::addConst(int64_t value) { overflow |= __builtin_add_overflow(constant, value, &constant); }

void Linear::add(Split term) {
  constexpr size_t kScan = 32;
  if (term.scale == 0) return;
  size_t first = terms.size();
  if (terms.size() < kScan) {
    for (size_t i = 0; i < terms.size() && first == terms.size(); ++i) {
      if (terms[i].hash == term.hash && sameIndex(terms[i].index, term.index)) first = i;
    }
  } else {
    if (!indexed_) {
      for (uint32_t i = 0; i < terms.size(); ++i) byHash_.emplace(terms[i].hash, i);
      indexed_ = true;
    }
    auto [begin, end] = byHash_.equal_range(term.hash);
    for (auto it = begin; it != end; ++it) {
      if (sameIndex(terms[it->second].index, term.index)) first = std::min<size_t>(first, it->second);
    }
  }
  size_t at = first;
  for (; at < terms.size() && terms[at].hash == term.hash && sameIndex(terms[at].index, term.index); ++at) {
    if (terms[at].lower == term.lower && terms[at].upper == term.upper) {
      overflow |= __builtin_add_overflow(terms[at].scale, term.scale, &terms[at].scale);
      return;
    }
    if (term.lower > terms[at].lower) break;
  }
  if (at == terms.size() && indexed_) byHash_.emplace(term.hash, static_cast<uint32_t>(at));
  if (at != terms.size() && indexed_) {
    // An insertion in the middle moves the others; the table is built again when it is next needed.
    byHash_.clear();
    indexed_ = false;
  }
  terms.insert(terms.begin() + static_cast<std::ptrdiff_t>(at), std::move(term));
}

void Linear::addExpr(const PrimExpr& expr, int64_t scale) {
  struct Item {
    PrimExpr expr;
    int64_t scale;
  };
  std::vector<Item> open{{expr, scale}};
  while (!open.empty()) {
    Item item = std::move(open.back());
    open.pop_back();
    if (const auto* imm = as<IntImm>(item.expr)) {
      int64_t product = 0;
      overflow |= __builtin_mul_overflow(imm->value, item.scale, &product);
      addConst(product);
    } else if (const auto* sum = as<Add>(item.expr)) {
      open.push_back({sum->b, item.scale});
      open.push_back({sum->a, item.scale});
    } else if (const auto* difference = as<Sub>(item.expr)) {
      open.push_back({difference->b, -item.scale});
      open.push_back({difference->a, item.scale});
    } else if (const auto* product = as<Mul>(item.expr); product && (asInt(product->b) || asInt(product->a))) {
      bool right = asInt(product->b).has_value();
      int64_t next = 0;
      overflow |= __builtin_mul_overflow(*asInt(right ? product->b : product->a), item.scale, &next);
      open.push_back({right ? product->a : product->b, next});
    } else {
      add(splitOf(item.expr, item.scale));
    }
  }
}

void Linear::addLinear(const Linear& other, int64_t scale) {
  overflow |= other.overflow;
  for (Split term : other.terms) {
    overflow |= __builtin_mul_overflow(term.scale, scale, &term.scale);
    add(std::move(term));
  }
  int64_t product = 0;
  overflow |= __builtin_mul_overflow(other.constant, scale, &product);
  addConst(product);
}

void Linear::mergeSplits() {
  bool whole = false;
  for (size_t i = 0; i < terms.size(); ++i) {
    for (size_t j = i + 1; j < terms.size(); ++j) {
      Split &high = terms[i], &low = terms[j];
      if (high.hash != low.hash || !sameIndex(high.index, low.index)) break;
      if (!low.scale || !high.scale || high.lower != low.upper || high.scale % low.scale != 0) continue;
      if (high.scale / low.scale != high.lower / low.lower || high.lower % low.lower != 0) continue;
      low.upper = high.upper;
      high.scale = 0;
      whole |= low.lower == 1 && low.upper == Split::kNoUpper;
      break;
    }
  }
  std::erase_if(terms, [](const Split& t) { return t.scale == 0; });
  byHash_.clear();
  indexed_ = false;
  if (!whole) return;
  // A joined index may be a sum itself.
  Linear flat(dtype);
  flat.constant = constant;
  flat.overflow = overflow;
  for (Split& term : terms) {
    if (term.lower == 1 && term.upper == Split::kNoUpper) {
      flat.addExpr(term.index, term.scale);
    } else {
      flat.add(std::move(term));
    }
  }
  *this = std::move(flat);
}

PrimExpr Linear::build() {
  mergeSplits();
  PrimExpr result = intImm(0, dtype);
  auto number = [&](int64_t value) { return intImm(value, dtype); };
  std::vector<size_t> order(terms.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t i, size_t j) {
    const Split &a = terms[i], &b = terms[j];
    return std::tie(b.scale, b.lower, b.upper, i) < std::tie(a.scale, a.lower, a.upper, j);
  });
  for (size_t i : order) {
    const Split& term = terms[i];
    if (term.scale > 0) result = arith::add(result, splitExpr(term, term.scale));
  }
  if (constant > 0) result = arith::add(result, number(constant));
  for (size_t i : order) {
    const Split& term = terms[i];
    if (term.scale < 0 && term.scale != std::numeric_limits<int64_t>::min()) {
      result = arith::sub(result, splitExpr(term, -term.scale));
    } else if (term.scale < 0) {
      result = arith::add(result, splitExpr(term, term.scale));
    }
  }
  if (constant < 0) {
    bool lowest = constant == std::numeric_limits<int64_t>::min();
    result = lowest ? arith::add(result, number(constant)) : arith::sub(result, number(-constant));
  }
  return result;
}

}  // namespace rx::arith
