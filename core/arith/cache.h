// A bounded table of results by node and by the facts that they hold under.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "core/ir/prim_expr.h"

namespace rx::arith {

/// Results by the identity of a node, which it keeps alive, and by the number of the facts in force. Forgets everything
/// when it is full. A few results stand in a list, many are found through their addresses.
template <class Value>
class NodeCache {
 public:
  const Value* find(const Node* node, uint32_t facts) const {
    if (places_.empty()) {
      for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry)
        if (entry->node.get() == node && entry->facts == facts) return &entry->value;
      return nullptr;
    }
    const uint32_t place = places_[slotOf(node, facts)];
    return place ? &entries_[place - 1].value : nullptr;
  }
  /// The later result of a node counts.
  void put(const tir::PrimExpr& node, uint32_t facts, Value value) {
    if (entries_.size() >= kMost) clear();
    entries_.push_back({node, facts, std::move(value)});
    if (entries_.size() <= kFew) return;
    if (entries_.size() * 2 > places_.size()) return grow();
    places_[slotOf(node.get(), facts)] = static_cast<uint32_t>(entries_.size());
  }
  void clear() {
    if (entries_.empty()) return;
    entries_.clear();
    places_.clear();
  }

 private:
  static constexpr size_t kMost = 1 << 14, kFew = 8;
  struct Entry {
    tir::PrimExpr node;
    uint32_t facts;
    Value value;
  };

  /// Where it stands in places_, or could.
  size_t slotOf(const Node* node, uint32_t facts) const {
    const size_t mask = places_.size() - 1;
    const uint64_t mixed = (reinterpret_cast<uintptr_t>(node) + facts) * 0x9e3779b97f4a7c15ULL;
    for (size_t slot = (mixed >> 32) & mask;; slot = (slot + 1) & mask) {
      if (!places_[slot]) return slot;
      const Entry& entry = entries_[places_[slot] - 1];
      if (entry.node.get() == node && entry.facts == facts) return slot;
    }
  }
  void grow() {
    places_.assign(std::bit_ceil(entries_.size() * 4), 0);
    for (size_t i = 0; i < entries_.size(); ++i)
      places_[slotOf(entries_[i].node.get(), entries_[i].facts)] = static_cast<uint32_t>(i + 1);
  }

  std::vector<Entry> entries_;
  std::vector<uint32_t> places_;  ///< 1 + the place in entries_, by address; empty while there are few
};

}  // namespace rx::arith
