// Value numbers: one number for all expressions that are structurally equal, given bottom-up in constant time a node.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/ir/prim_expr.h"

namespace rx::lower {

/// Variables, texts, reductions and what is no expression are equal by identity. Numbers count from 0 in the order of
/// first meeting.
class ValueNumbers {
 public:
  /// The number of a node whose node-valued fields (Into::Parts, null fields included) have these numbers; kNone for a
  /// null field.
  uint32_t number(const Node& node, std::span<const uint32_t> children);
  /// The number that the node got when it was last given to number(); kNone for one that never was.
  uint32_t of(const Node& node) const;
  size_t size() const { return known_.size(); }
  static constexpr uint32_t kNone = UINT32_MAX;

 private:
  /// What a node says itself, and the numbers of its children behind it.
  using Key = std::vector<uint64_t>;
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  std::unordered_map<Key, uint32_t, KeyHash> known_;
  std::unordered_map<const Node*, uint32_t> numbers_;
};

}  // namespace rx::lower
