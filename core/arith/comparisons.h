// Known comparisons between expressions, and what follows from them.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/arith/equal.h"

namespace rx::arith {

/// Which of the three outcomes of a comparison are possible, as bits.
enum class Order : uint8_t {
  Impossible = 0,
  Equal = 1,
  Less = 2,
  LessOrEqual = 3,
  Greater = 4,
  GreaterOrEqual = 5,
  NotEqual = 6,
  Unknown = 7,
};
constexpr Order operator&(Order a, Order b) {
  return static_cast<Order>(static_cast<uint8_t>(a) & static_cast<uint8_t>(b));
}
/// The order of b and a where `order` is that of a and b.
constexpr Order reversed(Order order) {
  const auto bits = static_cast<uint8_t>(order);
  return static_cast<Order>((bits & 1) | ((bits & 2) << 1) | ((bits & 4) >> 1));
}
/// One outcome is left.
constexpr bool isCertain(Order order) {
  return order == Order::Equal || order == Order::Less || order == Order::Greater;
}

class Comparisons {
 public:
  /// Remembers for good that `a OP b`, OP a kind of comparison.
  void learn(Kind op, const tir::PrimExpr& a, const tir::PrimExpr& b);
  /// Forgets what was learnt for good about the expression itself.
  void drop(const tir::PrimExpr& expr);
  /// Remembers what the comparisons of a conjunction say, until leave() with the count before.
  void enter(const tir::PrimExpr& condition);
  size_t count() const { return scoped_.size(); }
  void leave(size_t count);

  /// How a and b compare by what is known of exactly these two, constants apart; `through`: also by chains over others.
  Order compare(const tir::PrimExpr& a, const tir::PrimExpr& b, bool through) const;

 private:
  using Key = uint32_t;
  /// left OP right + offset, OP one of ==, !=, <=, >=.
  struct Known {
    Key left, right;
    int64_t offset;
    Order order;
  };
  static Known normal(Key left, Key right, int64_t offset, Order order);
  static std::optional<Known> withLeft(const Known& known, Key left);
  static bool implies(const Known& strong, const Known& weak);
  /// What is left of `order` for a difference of `offset` under what is known.
  static Order narrowed(Order order, const Known& known, int64_t offset);

  std::optional<Key> keyOf(const tir::PrimExpr& expr) const { return keyOf(expr, arith::hashExpr(expr)); }
  std::optional<Key> keyOf(const tir::PrimExpr& expr, size_t hash) const;
  Key makeKey(const tir::PrimExpr& expr);
  std::optional<Known> knownOf(Kind op, const tir::PrimExpr& a, const tir::PrimExpr& b);
  /// Calls `see` with everything that is known of it, with it on the left.
  template <class See>
  void eachAbout(Key left, See&& see) const {
    if (const auto lasting = lasting_.find(left); lasting != lasting_.end())
      for (const Known& known : lasting->second) see(known);
    for (const Known& known : scoped_)
      if (const auto turned = withLeft(known, left)) see(*turned);
  }
  std::vector<Known> chains(Key left, Key right) const;

  std::vector<tir::PrimExpr> exprs_;
  std::unordered_multimap<size_t, Key> keys_;
  std::unordered_map<Key, std::vector<Known>> lasting_;  ///< by either side, that side on the left
  std::vector<Known> scoped_;
};

}  // namespace rx::arith
