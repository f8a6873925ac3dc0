// NodeRewriter: the walk behind rewriteNodes, for those who rewrite many roots.
#pragma once

#include <unordered_map>

#include "core/ir/reflect.h"

namespace rx {

/// Rebuilds nodes bottom-up without native recursion, as rewriteNodes does. What waits and what was made stand in
/// stacks that all walks of one object share, so that a walk of a few nodes asks for no memory; before() and after()
/// may start further walks.
class NodeRewriter {
 public:
  virtual ~NodeRewriter() = default;

 protected:
  /// A replacement that is not entered, or null.
  virtual NodeRef before(const NodeRef& node) = 0;
  /// What stands in the place of `old`, which became `made` by its rewritten parts (the very same node where none
  /// changed); null for `made` itself.
  virtual NodeRef after(const NodeRef& old, const NodeRef& made) = 0;

  /// The node and all below it rewritten; null where nothing changes. A node that is shared is rewritten once in a
  /// walk, but for leaves that stay.
  NodeRef rewriteBelow(const NodeRef& root, Into into);

  /// The node with each of its parts (null where a field is) replaced by what `each` makes of it, null for the part as
  /// it is; null where nothing changes.
  template <class Each>
  NodeRef withEach(const NodeRef& node, Into into, Each&& each) {
    const size_t firstWaiting = waiting_.size(), firstMade = made_.size();
    wait(*node, into);
    for (size_t i = firstWaiting, end = waiting_.size(); i < end; ++i) {
      NodeRef part = each(*waiting_[i]);
      made_.push_back(std::move(part));
    }
    return closed(node, into, firstWaiting, firstMade);
  }

 private:
  /// Nodes are named by the references that their parents hold, and what stays is null: counting references would cost
  /// more than the walk.
  struct Open {
    const NodeRef* node;
    bool shared;
    size_t firstWaiting, next;
    size_t firstMade;
  };
  /// What is of one walk alone: where it began in the stacks, and the numbers of known nodes once they are many.
  struct Walk {
    const Into into;
    const size_t firstOpen, firstKnown;
    std::unordered_map<const Node*, size_t> numbers;
  };
  void enter(Walk& walk, const NodeRef& node, bool shared);
  void leaveTop(Walk& walk);
  void finish(Walk& walk, const NodeRef& node, bool shared, NodeRef value);
  const NodeRef* known(const Walk& walk, const Node* node) const;
  void remember(Walk& walk, const NodeRef& node, const NodeRef& value);

  void wait(const Node& node, Into into);
  /// The node by what its parts became since; null where all stay. They leave the stacks.
  NodeRef closed(const NodeRef& node, Into into, size_t firstWaiting, size_t firstMade);

  std::vector<Open> open_;
  std::vector<const NodeRef*> waiting_;
  std::vector<NodeRef> made_;
  std::vector<std::pair<const Node*, NodeRef>> known_;
};

}  // namespace rx
