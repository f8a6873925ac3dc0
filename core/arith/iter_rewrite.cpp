#include "core/arith/iter_rewrite.h"

#include <algorithm>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/linear.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::arith {

using namespace tir;

PrimExpr zeroLike(const PrimExpr& expr) { return constantInt(expr->dtype, 0); }
PrimExpr oneLike(const PrimExpr& expr) { return constantInt(expr->dtype, 1); }

PrimExpr normalProduct(const PrimExpr& a, const PrimExpr& b) {
  int64_t constant = 1;
  PrimExpr rest = oneLike(a);
  for (const PrimExpr* side : {&a, &b}) {
    for (const PrimExpr& factor : factorsOf(*side)) {
      if (const auto value = asInt(factor)) {
        constant *= *value;
      } else {
        rest = mul(rest, factor);
      }
    }
  }
  return constant == 1 ? rest : mul(rest, constantInt(rest->dtype, constant));
}

IterMarkRef markOf(PrimExpr plain, PrimExpr extent) {
  return std::make_shared<const IterMark>(IterMark{std::move(plain), {}, std::move(extent)});
}
IterMarkRef markOf(IterSum sum, PrimExpr extent) {
  return std::make_shared<const IterMark>(IterMark{nullptr, std::move(sum), std::move(extent)});
}
IterSplit splitOf(const IterMarkRef& mark, PrimExpr scale) {
  return {mark, oneLike(mark->extent), mark->extent, std::move(scale)};
}

IterRewriter::IterRewriter(Analyzer& analyzer, std::span<const IterRange> iters, IterMapLevel level, bool dropUnitIters)
    : analyzer_(analyzer), level_(level) {
  for (const auto& [var, min, extent] : iters) {
    IterValue& value = vars_[var.get()];
    if (dropUnitIters && isOne(extent)) {
      value.sum = IterSum{{}, min};
      continue;
    }
    inputs_.push_back(markOf(isZero(min) ? PrimExpr(var) : sub(var, min), extent));
    value.sum = IterSum{{splitOf(inputs_.back(), oneLike(extent))}, min};
  }
}

namespace {

IterSum sumOf(const IterValue& value) { return value.isIter() ? *value.sum : IterSum{{}, value.plain}; }

/// a + sign * b, pieces of one place joined.
IterSum added(IterSum a, const IterSum& b, bool subtract, bool (*same)(const IterSplit&, const IterSplit&)) {
  for (IterSplit split : b.args) {
    bool joined = false;
    for (IterSplit& old : a.args) {
      if (!same(old, split)) continue;
      old.scale = subtract ? sub(old.scale, split.scale) : add(old.scale, split.scale);
      joined = true;
      break;
    }
    if (joined) continue;
    if (subtract) split.scale = neg(split.scale);
    a.args.push_back(std::move(split));
  }
  a.base = subtract ? sub(a.base, b.base) : add(a.base, b.base);
  return a;
}

bool samePlace(const IterSplit& a, const IterSplit& b) {
  return a.source == b.source && sameExpr(a.lower, b.lower) && sameExpr(a.extent, b.extent);
}

bool isArithmetic(Kind kind) {
  return kind == Kind::tir_Add || kind == Kind::tir_Sub || kind == Kind::tir_Mul || kind == Kind::tir_FloorDiv ||
         kind == Kind::tir_FloorMod;
}

}  // namespace

IterValue IterRewriter::product(const IterValue& a, const IterValue& b, const PrimExpr& whole) {
  if (a.isIter() && b.isIter()) {
    failed_ = true;
    return {whole, {}};
  }
  IterSum sum = a.isIter() ? *a.sum : *b.sum;
  const PrimExpr& factor = a.isIter() ? b.plain : a.plain;
  for (IterSplit& split : sum.args) split.scale = mul(split.scale, factor);
  sum.base = mul(sum.base, factor);
  return {nullptr, std::move(sum)};
}

IterValue IterRewriter::divided(const IterValue& a, const IterValue& b, const PrimExpr& whole) {
  if (b.isIter()) {
    failed_ = true;
    return {whole, {}};
  }
  std::optional<IterSum> dividend = a.sum;
  if (dividend->args.empty()) return {whole, {}};
  if (dividend->args.size() > 1) {
    dividend = fuse(*dividend, true);
    if (!dividend) {
      failed_ = true;
      return {whole, {}};
    }
  }
  const IterSplit& split = dividend->args[0];
  auto made =
      isa<FloorDiv>(whole) ? quotient(split, dividend->base, b.plain) : remainder(split, dividend->base, b.plain);
  if (!made) return {whole, {}};
  if (made->args.empty()) return {made->base, {}};
  return {nullptr, std::move(made)};
}

IterValue IterRewriter::binary(const PrimExpr& whole, const IterValue& a, const IterValue& b) {
  if (!a.isIter() && !b.isIter()) {
    const auto* node = as<BinaryNode>(whole);
    if (PrimExpr folded = tryFold(whole->kind(), a.plain, b.plain)) return {folded, {}};
    if (a.plain == node->a && b.plain == node->b) return {whole, {}};
    return {makeBinary(whole->kind(), a.plain, b.plain), {}};
  }
  switch (whole->kind()) {
    case Kind::tir_Add:
    case Kind::tir_Sub:
      return {nullptr, added(sumOf(a), sumOf(b), isa<Sub>(whole), samePlace)};
    case Kind::tir_Mul:
      return product(a, b, whole);
    default:
      if (!a.isIter()) {
        failed_ = true;
        return {whole, {}};
      }
      return divided(a, b, whole);
  }
}

IterValue IterRewriter::step(const PrimExpr& expr, const std::unordered_map<const Node*, IterValue>& done) {
  if (const auto* var = as<Var>(expr)) {
    const auto found = vars_.find(var);
    return found == vars_.end() ? IterValue{expr, {}} : found->second;
  }
  if (isArithmetic(expr->kind()) && isIndexType(expr->dtype)) {
    const auto* node = as<BinaryNode>(expr);
    return binary(expr, done.at(node->a.get()), done.at(node->b.get()));
  }
  // An iterator inside anything else has no linear form.
  std::vector<const Node*> children;
  appendChildren(*expr, Into::Parts, children);
  for (const Node* child : children) {
    const auto found = done.find(child);
    if (found != done.end() && found->second.isIter()) failed_ = true;
  }
  return {expr, {}};
}

IterValue IterRewriter::valueOf(const PrimExpr& root) {
  std::unordered_map<const Node*, IterValue> done;
  walkPostOrder(*root, Into::Parts, [&](const Node& node) {
    if (failed_ || !isa<ExprNode>(&node) || done.contains(&node)) return;
    done.emplace(&node, step(PrimExpr(static_cast<const ExprNode*>(&node)), done));
  });
  return failed_ ? IterValue{root, {}} : done.at(root.get());
}

std::optional<IterSum> IterRewriter::index(const PrimExpr& expr, bool learnPadding) {
  learning_ = learnPadding;
  IterSum sum = sumOf(valueOf(expr));
  if (!failed_ && !sum.args.empty()) {
    auto fused = fuse(std::move(sum), true);
    if (!fused) return failed();
    sum = std::move(*fused);
  }
  learning_ = false;
  return failed_ ? std::nullopt : std::optional(std::move(sum));
}

std::optional<IterSum> IterRewriter::byStride(const PrimExpr& expr) {
  IterSum sum = joinSplits(sumOf(valueOf(expr)));
  if (failed_) return std::nullopt;
  // Constant factors count before symbolic ones; pieces of one stride stay in their order.
  std::vector<std::tuple<int64_t, size_t, size_t>> keys;
  for (const IterSplit& split : sum.args) {
    int64_t constant = 1;
    size_t symbols = 0;
    for (const PrimExpr& factor : factorsOf(split.scale)) {
      const auto number = asInt(factor);
      if (number) constant *= *number;
      if (!number) ++symbols;
    }
    keys.emplace_back(constant, symbols, sum.args.size() - keys.size());
  }
  std::sort(keys.rbegin(), keys.rend());
  std::vector<IterSplit> ordered;
  for (const auto& key : keys) ordered.push_back(sum.args[sum.args.size() - std::get<2>(key)]);
  sum.args = std::move(ordered);
  return sum;
}

bool IterRewriter::constrain(const PrimExpr& expr, PrimExpr lower, PrimExpr upper) {
  IterSum sum = sumOf(valueOf(expr));
  if (failed_) return false;
  if (!isZero(sum.base)) {
    if (lower) lower = sub(lower, sum.base);
    if (upper) upper = sub(upper, sum.base);
    sum.base = zeroLike(sum.base);
  }
  const auto whole = fuse(std::move(sum), false);
  if (!whole || !isOne(whole->args[0].scale)) return false;
  for (Fused& known : fused_) {
    if (known.mark != whole->args[0].source) continue;
    PrimExpr low = known.offset, high = add(low, known.mark->extent), moved = zeroLike(low);
    if (lower) {
      moved = sub(max(lower, low), low);
      low = max(lower, low);
    }
    // The canonical rules know what is rounded up, whatever is bound.
    if (upper)
      high = analyzer_.canProve(le(upper, high)) || canon_.canProve(le(upper, high)) ? upper : min(upper, high);
    IterSum form = known.mark->sum;
    if (!isZero(moved)) form.base = sub(form.base, moved);
    known.mark = markOf(std::move(form), sub(high, low));
    known.offset = low;
    constrained_.push_back(known.flat);
    return true;
  }
  return false;
}

bool IterRewriter::constraintsAgree() const {
  for (size_t i = 0; i < constrained_.size(); ++i) {
    for (size_t j = i + 1; j < constrained_.size(); ++j) {
      size_t shared = 0;
      for (const IterSplit& piece : constrained_[i]) {
        for (const IterSplit& other : constrained_[j]) {
          if (!sameSplit(piece, other, true)) continue;
          ++shared;
          break;
        }
      }
      if (shared != 0 && shared != constrained_[i].size()) return false;
    }
  }
  return true;
}

}  // namespace rx::arith
