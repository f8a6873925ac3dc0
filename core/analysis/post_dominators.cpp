#include "core/analysis/post_dominators.h"

#include <algorithm>

namespace rx::analysis {

namespace {

/// The nearest common post-dominator of two nodes, with the patterns on the ways to it joined to `pattern`.
uint32_t commonParent(const std::vector<PostDominator>& tree, uint32_t a, uint32_t b, OpPattern& pattern) {
  auto climb = [&](uint32_t& node) {
    pattern = std::max(pattern, tree[node].pattern);
    node = tree[node].parent;
  };
  while (a != b && a != kNoNode && b != kNoNode) {
    const uint32_t depthA = tree[a].depth, depthB = tree[b].depth;
    if (depthA >= depthB) climb(a);
    if (depthB >= depthA) climb(b);
  }
  return a == b ? a : kNoNode;
}

}  // namespace

std::vector<PostDominator> postDominators(const std::vector<ForwardNode>& nodes) {
  std::vector<PostDominator> tree(nodes.size());
  for (size_t i = nodes.size(); i-- > 0;) {
    const ForwardNode& node = nodes[i];
    if (node.outside || node.uses.empty()) {
      if (!node.outside) tree[i].pattern = OpPattern::ElementWise;
      continue;
    }
    uint32_t parent = node.uses[0].to;
    OpPattern pattern = node.uses[0].pattern;
    for (size_t use = 1; use < node.uses.size(); ++use) {
      parent = commonParent(tree, parent, node.uses[use].to, pattern);
      pattern = std::max(pattern, node.uses[use].pattern);
    }
    tree[i] = {parent, parent == kNoNode ? 1 : tree[parent].depth + 1, pattern};
  }
  return tree;
}

}  // namespace rx::analysis
