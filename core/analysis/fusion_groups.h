// Groups of bindings that become one function: a union-find over variables.
#pragma once

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
  /// A group of this variable alone. Groups count from 0 in the order in which they are added.
  uint32_t add(const relax::Var* var, OpPattern pattern = OpPattern::Opaque);
  /// The group that this one was merged into, or itself.
  uint32_t root(uint32_t group);
  /// The root of the variable's group, or nothing where it was not added.
  std::optional<uint32_t> find(const relax::Var* var);
  /// The group that was added with the variable.
  uint32_t own(const relax::Var* var) const { return byVar_.at(var); }

  FusionGroup& operator[](uint32_t group) { return groups_[group]; }
  size_t size() const { return groups_.size(); }
  /// Merges the group of `child` into that of `parent`.
  void join(uint32_t child, uint32_t parent);
  /// Takes the group itself, with what was merged into it, out of where it is and into the root `parent`.
  void move(uint32_t group, uint32_t parent);

 private:
  std::vector<FusionGroup> groups_;
  std::unordered_map<const relax::Var*, uint32_t> byVar_;
};

/// The groups that TVM's rules of fusion make: element-wise, broadcast, injective and reducing kernels join their
/// post-dominator where everything between can join too. Level 0 fuses nothing; no group gets more than `maxDepth`.
/// Stops early where it is cancelled.
FusionGroups fuseGroups(const ForwardGraph& graph, int64_t level, int64_t maxDepth, const CancelToken& cancel = {});

}  // namespace rx::analysis
