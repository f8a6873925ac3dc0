// Nodes as a list in which what a node holds stands before it, each node once: how IR is written as data.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "core/ir/node.h"

namespace rx::script {

class NodeOrder {
 public:
  /// Calls `write` for what the fields of the node hold, whatever their role, and then for itself; not for what an
  /// earlier call had. While a node is written its number is size().
  void add(const Node& root, const std::function<void(const Node&)>& write);
  /// The number of a node that was written.
  size_t at(const Node* node) const { return numbers_.at(node); }
  size_t size() const { return numbers_.size(); }

 private:
  std::unordered_map<const Node*, size_t> numbers_;
};

}  // namespace rx::script
