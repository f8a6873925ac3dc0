#include "core/ir/node_rewriter.h"

#include "core/ir/node_fields.h"

namespace rx {

NodeRef NodeRewriter::rewriteBelow(const NodeRef& root, Into into) {
  if (!root) return nullptr;
  Walk walk{into, open_.size(), known_.size(), {}};
  enter(walk, root, false);
  while (open_.size() > walk.firstOpen) {
    Open& top = open_.back();
    if (top.next == waiting_.size()) {
      leaveTop(walk);
      continue;
    }
    const NodeRef& part = *waiting_[top.next++];
    // What one other alone holds is reached once: nobody asks for it again.
    enter(walk, part, part && !part->unique());
  }
  known_.erase(known_.begin() + static_cast<std::ptrdiff_t>(walk.firstKnown), known_.end());
  NodeRef result = std::move(made_.back());
  made_.pop_back();
  return result;
}

void NodeRewriter::enter(Walk& walk, const NodeRef& node, bool shared) {
  if (!node) return made_.emplace_back(), void();
  if (const NodeRef* value = shared ? known(walk, node.get()) : nullptr) {
    NodeRef again = *value;
    return made_.push_back(std::move(again));
  }
  if (NodeRef replaced = before(node)) return finish(walk, node, shared, std::move(replaced));
  const size_t first = waiting_.size();
  wait(*node, walk.into);
  if (waiting_.size() > first) return open_.push_back({&node, shared, first, first, made_.size()});
  NodeRef value = after(node, node);
  finish(walk, node, shared && value, std::move(value));
}

void NodeRewriter::leaveTop(Walk& walk) {
  const Open top = open_.back();
  open_.pop_back();
  NodeRef made = closed(*top.node, walk.into, top.firstWaiting, top.firstMade);
  NodeRef value = after(*top.node, made ? made : *top.node);
  finish(walk, *top.node, top.shared, std::move(value ? value : made));
}

void NodeRewriter::finish(Walk& walk, const NodeRef& node, bool shared, NodeRef value) {
  if (value == node) value = nullptr;
  if (shared) remember(walk, node, value);
  made_.push_back(std::move(value));
}

void NodeRewriter::wait(const Node& node, Into into) {
  eachChild(node, into, [&](const NodeRef& part) { waiting_.push_back(&part); });
}

NodeRef NodeRewriter::closed(const NodeRef& node, Into into, size_t firstWaiting, size_t firstMade) {
  bool changed = false;
  for (size_t i = firstMade; i < made_.size(); ++i) changed |= static_cast<bool>(made_[i]);
  NodeRef value;
  if (changed) {
    for (size_t i = firstMade; i < made_.size(); ++i)
      if (!made_[i]) made_[i] = *waiting_[firstWaiting + (i - firstMade)];
    value = withChildren(node, into, {made_.data() + firstMade, made_.size() - firstMade});
  }
  waiting_.resize(firstWaiting);
  made_.erase(made_.begin() + static_cast<std::ptrdiff_t>(firstMade), made_.end());
  return value;
}

namespace {
/// So many known nodes are looked through; more are hashed.
constexpr size_t kFew = 12;
}  // namespace

const NodeRef* NodeRewriter::known(const Walk& walk, const Node* node) const {
  if (!walk.numbers.empty()) {
    const auto found = walk.numbers.find(node);
    return found == walk.numbers.end() ? nullptr : &known_[found->second].second;
  }
  for (size_t i = walk.firstKnown; i < known_.size(); ++i)
    if (known_[i].first == node) return &known_[i].second;
  return nullptr;
}

void NodeRewriter::remember(Walk& walk, const NodeRef& node, const NodeRef& value) {
  known_.emplace_back(node.get(), value);
  if (known_.size() - walk.firstKnown <= kFew) return;
  const size_t first = walk.numbers.empty() ? walk.firstKnown : known_.size() - 1;
  for (size_t i = first; i < known_.size(); ++i) walk.numbers.emplace(known_[i].first, i);
}

namespace {

class ByFunctions final : public NodeRewriter {
 public:
  using Step = std::function<NodeRef(const NodeRef&)>;
  ByFunctions(const Step& pre, const Step& post) : pre_(pre), post_(post) {}
  NodeRef run(const NodeRef& root, Into into) {
    NodeRef made = rewriteBelow(root, into);
    return made ? made : root;
  }

 private:
  NodeRef before(const NodeRef& node) override { return pre_ ? pre_(node) : nullptr; }
  NodeRef after(const NodeRef&, const NodeRef& made) override { return post_ ? post_(made) : nullptr; }

  const Step& pre_;
  const Step& post_;
};

}  // namespace

NodeRef rewriteNodes(const NodeRef& root, Into into, const std::function<NodeRef(const NodeRef&)>& pre,
                     const std::function<NodeRef(const NodeRef&)>& post) {
  return ByFunctions(pre, post).run(root, into);
}

}  // namespace rx
