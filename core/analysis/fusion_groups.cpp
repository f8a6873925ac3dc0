#include "core/analysis/fusion_groups.h"

#include <algorithm>

#include "core/analysis/post_dominators.h"

namespace rx::analysis {

uint32_t FusionGroups::add(const Node* node, OpPattern pattern) {
  const auto group = static_cast<uint32_t>(groups_.size());
  groups_.push_back({group, 1, pattern, pattern == OpPattern::OutEwiseFusable, nullptr});
  byNode_[node] = group;
  return group;
}

uint32_t FusionGroups::root(uint32_t group) {
  uint32_t root = group;
  while (groups_[root].parent != root) root = groups_[root].parent;
  while (groups_[group].parent != root) group = std::exchange(groups_[group].parent, root);
  return root;
}

std::optional<uint32_t> FusionGroups::find(const Node* node) {
  auto own = byNode_.find(node);
  return own == byNode_.end() ? std::nullopt : std::optional(root(own->second));
}

void FusionGroups::join(uint32_t child, uint32_t parent) {
  child = root(child);
  parent = root(parent);
  if (child == parent) return;
  FusionGroup& from = groups_[child];
  FusionGroup& into = groups_[parent];
  into.size += from.size;
  from.parent = parent;
  if (!from.anchored) return;
  into.anchored = true;
  into.pattern = std::max(into.pattern, from.pattern);
}

void FusionGroups::move(uint32_t group, uint32_t parent) {
  if (group == parent) return;
  --groups_[group].size;
  groups_[group].parent = parent;
  ++groups_[parent].size;
}

namespace {

/// TVM's phases: 0 for operators with a reduction and what follows them, 1 for injective ones, 2 for those into tuples.
constexpr int kPhases = 3;

class Fuser {
 public:
  Fuser(const std::vector<ForwardNode>& nodes, int64_t maxDepth)
      : nodes_(nodes), tree_(postDominators(nodes)), maxDepth_(maxDepth), seen_(nodes_.size()) {
    for (const ForwardNode& node : nodes_) groups.add(node.node, node.pattern);
  }

  void run(std::span<const uint32_t> ahead, const CancelToken& cancel) {
    for (const uint32_t node : ahead) groups.join(node, nodes_[node].uses.front().to);
    for (int phase = 0; phase < kPhases; ++phase) {
      for (uint32_t i = 0; i < nodes_.size() && !cancel.cancelled(); ++i) fuse(i, phase);
    }
  }

  FusionGroups groups;
  std::vector<FusionStop>* stops = nullptr;  ///< null where nobody asks

  /// Nothing was in the way of a node that is in a group now.
  void settle() {
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      if (groups[groups.root(i)].size > 1) (*stops)[i] = {};
    }
  }

 private:
  using Rule = FusionStop::Rule;
  void stop(uint32_t node, Rule rule, uint32_t sink = kNoNode, uint32_t at = kNoNode) {
    if (!stops) return;
    auto var = [&](uint32_t which) { return which == kNoNode ? nullptr : as<relax::Var>(nodes_[which].node); };
    const OpPattern pattern = at == kNoNode ? OpPattern::Opaque : groups[groups.root(at)].pattern;
    (*stops)[node] = {rule, var(sink), var(at), pattern};
  }
  /// Whether a group of this pattern may stand between a node and its post-dominator, or be that one.
  using Fits = bool (*)(OpPattern pattern, bool isSink);

  void fuse(uint32_t node, int phase) {
    const OpPattern pattern = groups[node].pattern;
    const uint32_t sink = tree_[node].parent;
    if (pattern == OpPattern::Opaque) return stop(node, Rule::Opaque);
    if (sink == kNoNode) return stop(node, nodes_[node].outside ? Rule::Outside : Rule::NoSink);
    if (tooDeep(node, sink)) return stop(node, Rule::Depth, sink);
    const Fits fits = phase == 2 ? intoTuple(pattern, sink) : intoParent(node, sink, phase);
    if (!fits) return noteWhy(node, sink, phase);
    if (pathFits(node, sink, fits)) commit(node, sink);
  }

  /// Of a node that may not join its post-dominator whatever lies between.
  void noteWhy(uint32_t node, uint32_t sink, int phase) {
    const OpPattern pattern = groups[node].pattern;
    if (pattern == OpPattern::Reduction) return stop(node, Rule::Reduction, sink);
    if (groups[sink].pattern == OpPattern::Tuple) return stop(node, Rule::Between, sink, sink);
    if (phase == 0 && pattern != OpPattern::Injective) stop(node, Rule::Read, sink);
  }

  static bool upToBroadcast(OpPattern pattern, bool) { return pattern <= OpPattern::Broadcast; }
  static bool upToInjective(OpPattern pattern, bool) { return pattern <= OpPattern::Injective; }
  static bool injectiveBeforeAnchor(OpPattern pattern, bool isSink) {
    return pattern <= OpPattern::Injective ||
           (isSink && (pattern == OpPattern::Reduction || pattern == OpPattern::OutEwiseFusable));
  }

  Fits intoParent(uint32_t node, uint32_t sink, int phase) {
    const OpPattern pattern = groups[node].pattern;
    const OpPattern uses = tree_[node].pattern;
    if (groups.root(node) == groups.root(sink) || groups[sink].pattern == OpPattern::Tuple) return nullptr;
    if (pattern == OpPattern::OutEwiseFusable) {
      return phase == 0 && uses == OpPattern::ElementWise ? upToBroadcast : nullptr;
    }
    if (pattern <= OpPattern::Broadcast) {
      const bool reads = uses <= OpPattern::Injective || uses == OpPattern::Reduction;
      return reads ? injectiveBeforeAnchor : nullptr;
    }
    const bool moves = pattern == OpPattern::Injective || pattern == OpPattern::Tuple;
    return moves && phase == 1 ? upToInjective : nullptr;
  }

  /// Fields of a tuple that was itself fused into an injective operator.
  Fits intoTuple(OpPattern pattern, uint32_t sink) {
    if (pattern > OpPattern::Injective || groups[sink].pattern != OpPattern::Tuple) return nullptr;
    return groups[groups.root(sink)].pattern <= OpPattern::Injective ? upToInjective : nullptr;
  }

  /// Calls `each` for what lies between the node and the sink, both left out, and for the sink where it is reached;
  /// false as soon as `each` is.
  template <class F>
  bool between(uint32_t node, uint32_t sink, const F& each) {
    ++round_;
    open_.clear();
    auto expand = [&](uint32_t from) {
      for (const ForwardEdge& use : nodes_[from].uses) {
        if (std::exchange(seen_[use.to], round_) != round_) open_.push_back(use.to);
      }
    };
    expand(node);
    while (!open_.empty()) {
      const uint32_t next = open_.back();
      open_.pop_back();
      if (!each(next)) return false;
      if (next != sink) expand(next);
    }
    return true;
  }

  bool pathFits(uint32_t node, uint32_t sink, Fits fits) {
    return between(node, sink, [&](uint32_t at) {
      const bool joins = fits(groups[groups.root(at)].pattern, at == sink);
      if (!joins) stop(node, Rule::Between, sink, at);
      return joins;
    });
  }

  bool tooDeep(uint32_t node, uint32_t sink) {
    int64_t count = static_cast<int64_t>(groups[groups.root(sink)].size) + groups[node].size;
    if (count > maxDepth_) return true;
    return !between(node, sink, [&](uint32_t at) {
      if (at != sink) count += groups[at].size;
      return count <= maxDepth_;
    });
  }

  void commit(uint32_t node, uint32_t sink) {
    groups.join(node, sink);
    between(node, sink, [&](uint32_t at) {
      if (at != sink) groups.join(at, sink);
      return true;
    });
  }

  const std::vector<ForwardNode>& nodes_;
  std::vector<PostDominator> tree_;
  int64_t maxDepth_;
  std::vector<uint32_t> seen_, open_;
  uint32_t round_ = 0;
};

}  // namespace

FusionGroups fuseGroups(const std::vector<ForwardNode>& nodes, int64_t level, int64_t maxDepth,
                        const CancelToken& cancel, std::vector<FusionStop>* stops, std::span<const uint32_t> ahead) {
  Fuser fuser(nodes, maxDepth);
  if (stops) stops->assign(nodes.size(), {level == 0 ? FusionStop::Rule::Level : FusionStop::Rule::None});
  fuser.stops = stops;
  if (level != 0) fuser.run(ahead, cancel);
  if (level != 0 && stops) fuser.settle();
  return std::move(fuser.groups);
}

}  // namespace rx::analysis
