// Groups of what becomes one function: a union-find over variables of Relax, or expressions of a graph.
#pragma once

#include <span>

#include "core/analysis/forward_graph.h"
#include "core/support/cancel.h"

namespace rx::analysis {

struct FusionGroup {
  uint32_t parent;  ///< itself where it was not merged into another
  uint32_t size = 1;
  OpPattern pattern = OpPattern::Opaque;
  bool anchored = false;  ///< holds the one operator with a reduction that element-wise ones follow
  ir::Attrs attrs;        ///< of the function that it becomes
};

class FusionGroups {
 public:
  /// A group of this node alone. Groups count from 0 in the order in which they are added.
  uint32_t add(const Node* node, OpPattern pattern = OpPattern::Opaque);
  /// The group that this one was merged into, or itself.
  uint32_t root(uint32_t group);
  /// The root of the node's group, or nothing where it was not added.
  std::optional<uint32_t> find(const Node* node);
  /// The group that was added with the node.
  uint32_t own(const Node* node) const { return byNode_.at(node); }

  FusionGroup& operator[](uint32_t group) { return groups_[group]; }
  size_t size() const { return groups_.size(); }
  /// Merges the group of `child` into that of `parent`.
  void join(uint32_t child, uint32_t parent);
  /// Takes the group itself, with what was merged into it, out of where it is and into the root `parent`.
  void move(uint32_t group, uint32_t parent);

 private:
  std::vector<FusionGroup> groups_;
  std::unordered_map<const Node*, uint32_t> byNode_;
};

/// Why a node was not fused with what follows it.
struct FusionStop {
  enum class Rule : uint8_t {
    None,       ///< it was
    Level,      ///< nothing is to be fused
    Opaque,     ///< it can not be
    Outside,    ///< its result is seen elsewhere
    NoSink,     ///< nothing lies behind all its uses
    Depth,      ///< the group would be too large
    Read,       ///< it is not read element by element
    Reduction,  ///< a reduction ends a group
    Between,    ///< what is on the way can not join
  };
  Rule rule = Rule::None;
  const relax::Var* sink = nullptr;  ///< what it could have been fused with
  const relax::Var* at = nullptr;    ///< what is in the way, with its pattern
  OpPattern pattern = OpPattern::Opaque;
};

/// The groups that TVM's rules of fusion make: element-wise, broadcast, injective and reducing kernels join their
/// post-dominator where everything between can join too. Level 0 fuses nothing; no group gets more than `maxDepth`.
/// Uses come after definitions. Stops early where it is cancelled. `stops`: one for each node, where they are asked
/// for. `ahead`: nodes of a single use that join what uses them before any rule is asked.
FusionGroups fuseGroups(const std::vector<ForwardNode>& nodes, int64_t level, int64_t maxDepth,
                        const CancelToken& cancel = {}, std::vector<FusionStop>* stops = nullptr,
                        std::span<const uint32_t> ahead = {});

}  // namespace rx::analysis
