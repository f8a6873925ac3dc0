// Repeated layers of a model as one node with a count.
#pragma once

#include <map>
#include <set>

#include "views/canvas/graph_model.h"

namespace rx {

/// `repeats` times the same `period` nodes in a row, the first at `begin` (in the order of GraphModel::nodes).
struct LayerRun {
  uint32_t begin = 0;
  uint32_t period = 0;
  uint32_t repeats = 0;
  uint32_t end() const { return begin + period * repeats; }
  bool operator==(const LayerRun&) const = default;
};

/// Runs that do not overlap: stretches of nodes of one region whose keys and relative inputs repeat at least three
/// times, the longest stretch first. Inputs from nodes of another region (parameters) count as equal.
std::vector<LayerRun> findLayers(const GraphModel& model);

struct FoldedGraph {
  GraphModel model;
  /// Node of `model` that shows each original node.
  std::vector<uint32_t> shownBy;
  /// Id of a folded node to its index in the runs.
  std::map<uint64_t, size_t> runOf;
};

/// Replaces each run by one node whose id is that of its first node with the top bit set; runs in `open` stay.
FoldedGraph foldLayers(const GraphModel& model, const std::vector<LayerRun>& runs, const std::set<size_t>& open);

}  // namespace rx
