// Source of the rules: transitivity as TVM v0.25 uses it (src/arith/transitive_comparison_analyzer.cc).
#include "core/arith/comparisons.h"

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_set>

#include "core/arith/conditions.h"
#include "core/arith/equal.h"
#include "core/ir/all_nodes.h"

namespace rx::arith {

using namespace tir;

namespace {

/// An expression without a constant that is added to it; a constant is 0 and itself.
struct Offset {
  PrimExpr expr;
  int64_t constant = 0;
};
Offset offsetOf(const PrimExpr& expr) {
  if (const auto value = asInt(expr)) return {intImm(0, DataType::Int(32)), *value};
  const auto* binary = as<BinaryNode>(expr);
  const auto right = binary ? asInt(binary->b) : std::nullopt;
  if (right && isa<Add>(expr)) return {binary->a, *right};
  if (right && isa<Sub>(expr)) return {binary->a, -*right};
  return {expr, 0};
}

Order orderOf(Kind kind) {
  constexpr std::array kOrders{Order::Equal,       Order::NotEqual, Order::Less,
                               Order::LessOrEqual, Order::Greater,  Order::GreaterOrEqual};
  return kOrders[static_cast<size_t>(kind) - static_cast<size_t>(Kind::tir_EQ)];
}

}  // namespace

std::optional<Comparisons::Key> Comparisons::keyOf(const PrimExpr& expr) const {
  auto [first, last] = keys_.equal_range(hashExpr(expr));
  for (; first != last; ++first) {
    if (sameExpr(exprs_[first->second], expr)) return first->second;
  }
  return std::nullopt;
}

Comparisons::Key Comparisons::makeKey(const PrimExpr& expr) {
  if (auto known = keyOf(expr)) return *known;
  const Key key = static_cast<Key>(exprs_.size());
  exprs_.push_back(expr);
  keys_.emplace(hashExpr(expr), key);
  return key;
}

/// Strict comparisons become the others, so that chains add offsets.
Comparisons::Known Comparisons::normal(Key left, Key right, int64_t offset, Order order) {
  if (order == Order::Less) return {left, right, offset - 1, Order::LessOrEqual};
  if (order == Order::Greater) return {left, right, offset + 1, Order::GreaterOrEqual};
  return {left, right, offset, order};
}

std::optional<Comparisons::Known> Comparisons::withLeft(const Known& known, Key left) {
  if (known.left == left) return known;
  if (known.right == left) return normal(known.right, known.left, -known.offset, reversed(known.order));
  return std::nullopt;
}

std::optional<Comparisons::Known> Comparisons::knownOf(const PrimExpr& comparison) {
  const auto* node = as<BinaryNode>(comparison);
  if (!node || comparison->kind() < Kind::tir_EQ || comparison->kind() > Kind::tir_GE) return std::nullopt;
  if (isa<IntImm>(node->a) && isa<IntImm>(node->b)) return std::nullopt;
  const Offset a = offsetOf(node->a), b = offsetOf(node->b);
  int64_t offset = 0;
  if (__builtin_sub_overflow(b.constant, a.constant, &offset)) return std::nullopt;
  return normal(makeKey(a.expr), makeKey(b.expr), offset, orderOf(comparison->kind()));
}

void Comparisons::collect(const PrimExpr& condition, std::vector<Known>& into) {
  for (const PrimExpr& part : conjuncts(condition)) {
    if (const auto known = knownOf(part)) into.push_back(*known);
  }
}

void Comparisons::learn(const PrimExpr& condition) {
  std::vector<Known> knowns;
  collect(condition, knowns);
  for (const Known& known : knowns) {
    lasting_[known.left].push_back(known);
    if (known.right != known.left) lasting_[known.right].push_back(*withLeft(known, known.right));
  }
}

void Comparisons::drop(const PrimExpr& expr) {
  const auto key = keyOf(expr);
  const auto about = key ? lasting_.find(*key) : lasting_.end();
  if (about == lasting_.end()) return;
  for (const Known& known : about->second) {
    if (known.right == *key) continue;
    std::erase_if(lasting_[known.right], [&](const Known& other) { return other.right == *key; });
  }
  lasting_.erase(*key);
}

void Comparisons::enter(const PrimExpr& condition) { collect(condition, scoped_); }
void Comparisons::leave(size_t count) { scoped_.erase(scoped_.begin() + static_cast<ptrdiff_t>(count), scoped_.end()); }

std::vector<Comparisons::Known> Comparisons::about(Key left) const {
  std::vector<Known> found;
  if (const auto lasting = lasting_.find(left); lasting != lasting_.end()) found = lasting->second;
  for (const Known& known : scoped_) {
    if (const auto turned = withLeft(known, left)) found.push_back(*turned);
  }
  return found;
}

bool Comparisons::implies(const Known& strong, const Known& weak) {
  if (strong.order == weak.order && strong.offset == weak.offset) return true;
  const bool most = strong.order == Order::Equal || strong.order == Order::LessOrEqual;
  const bool least = strong.order == Order::Equal || strong.order == Order::GreaterOrEqual;
  if (weak.order == Order::LessOrEqual) return most && strong.offset <= weak.offset;
  if (weak.order == Order::GreaterOrEqual) return least && strong.offset >= weak.offset;
  if (weak.order != Order::NotEqual) return false;
  if (strong.order == Order::Equal) return strong.offset != weak.offset;
  return (most && strong.offset < weak.offset) || (least && strong.offset > weak.offset);
}

/// Everything that chains of comparisons from `left` say about `right`.
std::vector<Comparisons::Known> Comparisons::chains(Key left, Key right) const {
  std::unordered_map<Key, std::vector<Known>> reached;
  std::unordered_set<Key> seen;
  std::deque<Key> open;
  const auto declare = [&](const Known& known) {
    std::vector<Known>& sofar = reached[known.right];
    for (const Known& before : sofar) {
      if (implies(before, known)) return;
    }
    if (known.right != right && seen.insert(known.right).second) open.push_back(known.right);
    for (Known& before : sofar) {
      if (!implies(known, before)) continue;
      before = known;
      return;
    }
    sofar.push_back(known);
  };
  for (const Known& known : about(left)) declare(known);
  while (!open.empty()) {
    const Key middle = open.front();
    open.pop_front();
    const std::vector<Known> first = reached[middle];
    for (const Known& second : about(middle)) {
      if (second.right == left) continue;
      for (const Known& known : first) {
        int64_t offset = 0;
        if (__builtin_add_overflow(known.offset, second.offset, &offset)) continue;
        const bool same = known.order == second.order && known.order != Order::NotEqual;
        if (known.order == Order::Equal) {
          declare({left, second.right, offset, second.order});
        } else if (second.order == Order::Equal || same) {
          declare({left, second.right, offset, known.order});
        }
      }
    }
  }
  return reached[right];
}

Order Comparisons::merge(const std::vector<Known>& knowns, int64_t offset) {
  Order result = Order::Unknown;
  for (const Known& known : knowns) {
    switch (known.order) {
      case Order::Equal:
        result = result & (offset == known.offset ? Order::Equal : Order::NotEqual);
        break;
      case Order::LessOrEqual:
        if (known.offset <= offset) result = result & (known.offset < offset ? Order::Less : Order::LessOrEqual);
        break;
      case Order::GreaterOrEqual:
        if (known.offset >= offset) result = result & (known.offset > offset ? Order::Greater : Order::GreaterOrEqual);
        break;
      case Order::NotEqual:
        if (known.offset == offset) result = result & Order::NotEqual;
        break;
      default:
        break;
    }
  }
  return result;
}

Order Comparisons::compare(const PrimExpr& a, const PrimExpr& b, bool through) const {
  if (!a->dtype.isInt() || !b->dtype.isInt()) return Order::Unknown;
  const Offset x = offsetOf(a), y = offsetOf(b);
  int64_t offset = 0;
  if (__builtin_sub_overflow(y.constant, x.constant, &offset)) return Order::Unknown;
  const auto left = keyOf(x.expr), right = left ? keyOf(y.expr) : std::nullopt;
  if (!left || !right) return Order::Unknown;
  std::vector<Known> knowns;
  if (through) {
    knowns = chains(*left, *right);
    for (const Known& known : chains(*right, *left)) knowns.push_back(*withLeft(known, *left));
  } else {
    for (const Known& known : about(*left)) {
      if (known.right == *right) knowns.push_back(known);
    }
  }
  return merge(knowns, offset);
}

}  // namespace rx::arith
