// Source of the rules: transitivity as TVM v0.25 uses it (src/arith/transitive_comparison_analyzer.cc).
#include "core/arith/comparisons.h"

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_set>

#include "core/arith/conditions.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"

namespace rx::arith {

using namespace tir;

namespace {

/// An expression without a constant that is added to it; a constant is 0 and itself.
struct Offset {
  const PrimExpr& expr;  ///< a part of the expression, which outlives this
  int64_t constant = 0;
};
Offset offsetOf(const PrimExpr& expr) {
  static const PrimExpr zero = intImm(0, DataType::Int(32));
  if (const auto value = asInt(expr)) return {zero, *value};
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

std::optional<Comparisons::Key> Comparisons::keyOf(const PrimExpr& expr, size_t hash) const {
  auto [first, last] = keys_.equal_range(hash);
  for (; first != last; ++first) {
    if (sameExpr(exprs_[first->second], expr)) return first->second;
  }
  return std::nullopt;
}

Comparisons::Key Comparisons::makeKey(const PrimExpr& expr) {
  const size_t hash = hashExpr(expr);
  if (auto known = keyOf(expr, hash)) return *known;
  const Key key = static_cast<Key>(exprs_.size());
  exprs_.push_back(expr);
  keys_.emplace(hash, key);
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

std::optional<Comparisons::Known> Comparisons::knownOf(Kind op, const PrimExpr& left, const PrimExpr& right) {
  if (isa<IntImm>(left) && isa<IntImm>(right)) return std::nullopt;
  const Offset a = offsetOf(left), b = offsetOf(right);
  int64_t offset = 0;
  if (__builtin_sub_overflow(b.constant, a.constant, &offset)) return std::nullopt;
  return normal(makeKey(a.expr), makeKey(b.expr), offset, orderOf(op));
}

void Comparisons::learn(Kind op, const PrimExpr& a, const PrimExpr& b) {
  if (a->dtype != b->dtype) {
    PrimExpr left = a, right = b;
    if (matchTypes(left, right)) learn(op, left, right);
    return;
  }
  const auto known = knownOf(op, a, b);
  if (!known) return;
  lasting_[known->left].push_back(*known);
  if (known->right != known->left) lasting_[known->right].push_back(*withLeft(*known, known->right));
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

void Comparisons::enter(const PrimExpr& condition) {
  for (const PrimExpr& part : conjuncts(condition)) {
    const auto* node = as<BinaryNode>(part);
    if (!node || part->kind() < Kind::tir_EQ || part->kind() > Kind::tir_GE) continue;
    if (const auto known = knownOf(part->kind(), node->a, node->b)) scoped_.push_back(*known);
  }
}
void Comparisons::leave(size_t count) { scoped_.erase(scoped_.begin() + static_cast<ptrdiff_t>(count), scoped_.end()); }

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
  eachAbout(left, declare);
  while (!open.empty()) {
    const Key middle = open.front();
    open.pop_front();
    const std::vector<Known> first = reached[middle];
    eachAbout(middle, [&](const Known& second) {
      if (second.right == left) return;
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
    });
  }
  return reached[right];
}

Order Comparisons::narrowed(Order order, const Known& known, int64_t offset) {
  switch (known.order) {
    case Order::Equal:
      return order & (offset == known.offset ? Order::Equal : Order::NotEqual);
    case Order::LessOrEqual:
      return known.offset > offset ? order : order & (known.offset < offset ? Order::Less : Order::LessOrEqual);
    case Order::GreaterOrEqual:
      return known.offset < offset ? order : order & (known.offset > offset ? Order::Greater : Order::GreaterOrEqual);
    case Order::NotEqual:
      return known.offset == offset ? order & Order::NotEqual : order;
    default:
      return order;
  }
}

Order Comparisons::compare(const PrimExpr& a, const PrimExpr& b, bool through) const {
  if (!a->dtype.isInt() || !b->dtype.isInt()) return Order::Unknown;
  const Offset x = offsetOf(a), y = offsetOf(b);
  int64_t offset = 0;
  if (__builtin_sub_overflow(y.constant, x.constant, &offset)) return Order::Unknown;
  const auto left = keyOf(x.expr), right = left ? keyOf(y.expr) : std::nullopt;
  if (!left || !right) return Order::Unknown;
  Order order = Order::Unknown;
  const auto see = [&](const Known& known) {
    if (known.right == *right) order = narrowed(order, known, offset);
  };
  if (!through) {
    eachAbout(*left, see);
    return order;
  }
  for (const Known& known : chains(*left, *right)) see(known);
  for (const Known& known : chains(*right, *left)) see(*withLeft(known, *left));
  return order;
}

}  // namespace rx::arith
