// Comparisons in the rewriter. Source of the steps: TVM v0.25 (src/arith/rewrite_simplify.cc), whose order the form
// depends on: bounds, then known inequalities, then the rules.
#include <algorithm>
#include <numeric>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/rewriter.h"
#include "core/arith/saturating.h"
#include "core/ir/all_nodes.h"

namespace rx::arith {

using namespace tir;

namespace {

bool isIndex(DataType type) { return type == DataType::Int(32) || type == DataType::Int(64); }

Order orderWithin(ConstIntBound bound, int64_t value) {
  if (bound.min == value && bound.max == value) return Order::Equal;
  if (bound.min > value) return Order::Greater;
  if (bound.max < value) return Order::Less;
  if (bound.min >= value) return Order::GreaterOrEqual;
  return bound.max <= value ? Order::LessOrEqual : Order::Unknown;
}

/// Whether the outcomes that are `asked` for are certain, or certainly none; nothing where both can be.
std::optional<bool> decided(Order known, Order asked) {
  const Order common = known & asked;
  if (known == Order::Impossible || (common != known && common != Order::Impossible)) return std::nullopt;
  return common == known;
}

/// x + c, x - c and c - x without their constant.
std::pair<PrimExpr, int64_t> withoutOffset(const PrimExpr& expr) {
  const auto* binary = as<BinaryNode>(expr);
  const auto left = binary ? asInt(binary->a) : std::nullopt, right = binary ? asInt(binary->b) : std::nullopt;
  if (right && isa<Add>(expr)) return {binary->a, *right};
  if (right && isa<Sub>(expr)) return {binary->a, -*right};
  if (left && isa<Sub>(expr)) return {binary->b, *left};
  return {expr, 0};
}

}  // namespace

Order Rewriter::compare(const PrimExpr& expr, int64_t value) {
  const PrimExpr simple = visit(expr);
  if (const auto* imm = as<IntImm>(simple)) {
    return imm->value == value ? Order::Equal : imm->value > value ? Order::Greater : Order::Less;
  }
  const Order order = orderWithin(canon_.boundOf(simple), value);
  if (order == Order::Unknown && value == 0 && canon_.modularOf(simple).base != 0) return Order::NotEqual;
  return order;
}

std::optional<Order> Rewriter::compareVariable(const PrimExpr& var, const PrimExpr& constant) {
  constexpr int64_t kFar = int64_t{1} << 62;  // differences of what is nearer fit
  const auto value = asInt(constant);
  if (!value || *value > kFar || *value < -kFar) return std::nullopt;
  if (!isa<Var>(var) || canon_.values_.contains(as<Var>(var))) return std::nullopt;
  const Order order = orderWithin(canon_.boundOf(var), *value);
  if (isCertain(order)) return order;
  // Something may be known of the difference itself.
  if (!canon_.bounds_.onlyOfVariables()) return std::nullopt;
  const ModularSet set = canon_.modularOf(var);
  const bool apart = set.coeff == 0 ? set.base != *value : floorModInt(set.base - *value, set.coeff) != 0;
  return order == Order::Unknown && apart ? Order::NotEqual : order;
}

Order Rewriter::compare(const PrimExpr& a, const PrimExpr& b) {
  Order order;
  if (const auto known = compareVariable(a, b)) {
    order = *known;
  } else if (const auto turned = compareVariable(b, a)) {
    order = reversed(*turned);
  } else {
    order = compare(sub(a, b), 0);
  }
  if (isCertain(order)) return order;
  order = order & canon_.comparisons_.compare(a, b, extensions().chainInequalities);
  if (isCertain(order) || !extensions().productAgainstSum) return order;
  return order & compareProductAndSum(a, b);
}

namespace {

/// (a + b) * c - (a * b) * d.
struct ProductAndSum {
  PrimExpr a, b, c, d;
};

/// The two factors of `product` in any order are a and b of the sum?
std::optional<ProductAndSum> productAndSum(const PrimExpr& scaledSum, const PrimExpr& product, const PrimExpr& d) {
  const auto* scaled = as<Mul>(scaledSum);
  const auto* sum = scaled ? as<Add>(scaled->a) : nullptr;
  const auto* factors = as<Mul>(product);
  if (!sum || !factors) return std::nullopt;
  const bool straight = sameExpr(sum->a, factors->a) && sameExpr(sum->b, factors->b);
  const bool crossed = sameExpr(sum->a, factors->b) && sameExpr(sum->b, factors->a);
  if (!straight && !crossed) return std::nullopt;
  return ProductAndSum{sum->a, sum->b, scaled->b, d};
}

ConstIntBound mirrored(ConstIntBound b) { return {negatedInf(b.max), negatedInf(b.min)}; }

}  // namespace

Order Rewriter::compareProductAndSum(const PrimExpr& x, const PrimExpr& y) {
  const PrimExpr difference = visit(sub(x, y));
  const auto* sum = as<Add>(difference);
  if (!sum) return Order::Unknown;
  std::optional<ProductAndSum> found;
  for (const auto& [first, second] : {std::pair(sum->a, sum->b), std::pair(sum->b, sum->a)}) {
    if (const auto* product = as<Mul>(second); product && !found)
      found = productAndSum(first, product->a, neg(product->b));
    if (!found) found = productAndSum(first, second, intImm(-1, DataType::Int(32)));
  }
  if (!found) return Order::Unknown;
  ConstIntBound a = canon_.boundOf(found->a), b = canon_.boundOf(found->b), c = canon_.boundOf(found->c),
                d = canon_.boundOf(found->d);
  const bool upper = d.max < 0;
  if (upper) c = mirrored(c), d = mirrored(d);
  if (c.max < 0) a = mirrored(a), b = mirrored(b), c = mirrored(c);
  if (a.min <= 0 || b.min <= 0 || c.min <= 0 || d.min <= 0 || isInfinite(d.max)) return Order::Unknown;
  // The difference is positive where 1/(a d) + 1/(b d) > 1/c, in the worst case of the bounds.
  const __int128 high = c.min;
  bool positive = static_cast<__int128>(std::min(a.max, b.max)) * d.max <= high;
  if (!positive && !isInfinite(a.max) && !isInfinite(b.max)) {
    positive = timesInf(timesInf(a.max, b.max), d.max) < timesInf(c.min, plusInf(a.max, b.max));
  }
  if (!positive) return Order::Unknown;
  return upper ? Order::Less : Order::Greater;
}

PrimExpr Rewriter::visitComparison(const PrimExpr& expr) {
  const auto* given = as<BinaryNode>(expr);
  if (isa<GT>(expr)) return visit(lt(given->b, given->a));
  if (isa<GE>(expr)) return visit(le(given->b, given->a));
  const PrimExpr node = visitParts(expr);
  const auto* binary = as<BinaryNode>(node);
  if (PrimExpr folded = tryFold(node->kind(), binary->a, binary->b)) return folded;
  if (PrimExpr truth = literal(node)) return truth;
  switch (node->kind()) {
    case Kind::tir_EQ:
      return equalByRules(node);
    case Kind::tir_NE:
      return visitNotEqual(node);
    case Kind::tir_LT:
      return lessByRules(node);
    default:
      return visitLessOrEqual(node);
  }
}

PrimExpr Rewriter::equalByRules(const PrimExpr& node) {
  const auto* equal = as<BinaryNode>(node);
  if (isIndex(equal->a->dtype)) {
    if (const auto truth = decided(compare(equal->a, equal->b), Order::Equal)) return boolImm(*truth);
  }
  return byRules(node);
}

PrimExpr Rewriter::visitNotEqual(const PrimExpr& node) {
  const auto* binary = as<BinaryNode>(node);
  if (isIndex(binary->a->dtype)) {
    const Order order = compare(binary->a, binary->b);
    if (const auto truth = decided(order, Order::NotEqual)) return boolImm(*truth);
    if (order == Order::GreaterOrEqual) return lessByRules(make<LT>(binary->b, binary->a));
    if (order == Order::LessOrEqual) return lessByRules(make<LT>(binary->a, binary->b));
  }
  return byRules(make<Not>(equalByRules(make<EQ>(binary->a, binary->b))));
}

PrimExpr Rewriter::visitLessOrEqual(const PrimExpr& node) {
  const auto* given = as<BinaryNode>(node);
  const PrimExpr result = byRules(make<Not>(lessByRules(make<LT>(given->b, given->a))));
  const auto* rest = as<LE>(result);
  if (!rest || !isIndex(rest->a->dtype)) return result;
  const Order order = compare(rest->a, rest->b);
  if (const auto truth = decided(order, Order::LessOrEqual)) return boolImm(*truth);
  if (order == Order::NotEqual) return lessByRules(make<LT>(rest->a, rest->b));
  return order == Order::GreaterOrEqual ? equalByRules(make<EQ>(rest->a, rest->b)) : result;
}

/// One constant at most, on one side; null where that is so already.
PrimExpr Rewriter::mergeOffsets(const BinaryNode& less) {
  const auto [left, leftOffset] = withoutOffset(less.a);
  const auto [right, rightOffset] = withoutOffset(less.b);
  int64_t difference = 0;
  if ((leftOffset == 0 && rightOffset == 0) || __builtin_sub_overflow(rightOffset, leftOffset, &difference)) {
    return nullptr;
  }
  if (difference == 0) return lt(left, right);
  if (difference == 1) return le(left, right);
  if (difference < 0 && rightOffset != 0) return lt(add(left, intImm(-difference, left->dtype)), right);
  if (difference > 0 && leftOffset != 0) return lt(left, add(right, intImm(difference, right->dtype)));
  return nullptr;
}

PrimExpr Rewriter::lessByRules(const PrimExpr& node) {
  const auto* less = as<BinaryNode>(node);
  if (!isIndex(less->a->dtype)) return byRules(node);
  if (const auto truth = decided(compare(less->a, less->b), Order::Less)) return boolImm(*truth);
  if (Rewritten result = applyRules(node, *this); result.value) {
    return result.again ? again(result.value) : result.value;
  }
  if (PrimExpr merged = mergeOffsets(*less)) return again(merged);
  const ModularSet a = canon_.modularOf(less->a), b = canon_.modularOf(less->b);
  const int64_t factor = std::gcd(std::gcd(a.base, a.coeff), std::gcd(b.base, b.coeff));
  if (factor <= 1) return node;
  const auto reduced = [&](const PrimExpr& e) { return floorDiv(e, intImm(factor, e->dtype)); };
  return again(lt(reduced(less->a), reduced(less->b)));
}

}  // namespace rx::arith
