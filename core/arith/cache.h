// A bounded table of results by node.
#pragma once

#include <unordered_map>

#include "core/ir/prim_expr.h"

namespace rx::arith {

/// Results by the identity of a node, which it keeps alive. Forgets everything when it is full.
template <class Value>
class NodeCache {
 public:
  const Value* find(const Node* node) const {
    const auto found = entries_.find(node);
    return found == entries_.end() ? nullptr : &found->second.second;
  }
  void put(const tir::PrimExpr& node, Value value) {
    if (entries_.size() >= kMost) entries_.clear();
    entries_.insert_or_assign(node.get(), std::pair(node, std::move(value)));
  }
  void clear() {
    if (!entries_.empty()) entries_.clear();
  }

 private:
  static constexpr size_t kMost = 1 << 14;
  std::unordered_map<const Node*, std::pair<tir::PrimExpr, Value>> entries_;
};

}  // namespace rx::arith
