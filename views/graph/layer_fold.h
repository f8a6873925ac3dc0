// Repeated layers and blocks of a model as one node each; equal neighbours as one stack with a count.
#pragma once

#include <map>
#include <set>

#include "views/graph/graph_model.h"

namespace rx {

/// `repeats` times the same `period` nodes in a row, the first at `begin` (in the order of GraphModel::nodes). One
/// repeat: the block comes again elsewhere, with other shapes, or it is what stands before or behind all repeats.
struct LayerRun {
  uint32_t begin = 0;
  uint32_t period = 0;
  uint32_t repeats = 0;
  std::string kind = {};                ///< of one block: "residual block with projection", "layer"; empty for the ends
  std::vector<std::string> names = {};  ///< one a repeat: "layer2.0", "layers.7", "stem"
  uint32_t end() const { return begin + period * repeats; }
  bool operator==(const LayerRun&) const = default;
};

/// Runs that do not overlap, in order. Equal neighbours have equal keys and relative inputs; blocks that only come
/// again have equal families. Inputs from nodes of another region (parameters) count as equal. Blocks begin where a
/// single value is alive, so that a block has one input and one output where the model has such places. Where there are
/// any, what stands before the first and behind the last is a run of its own.
std::vector<LayerRun> findLayers(const GraphModel& model);

struct FoldedGraph {
  GraphModel model;
  /// Node of `model` that shows each original node.
  std::vector<uint32_t> shownBy;
  /// What `open` has to hold to unfold a folded node, and what it holds of an open region, by id.
  std::map<uint64_t, std::string> keyOf;
};

/// Replaces each run by one node. An open stack is a region of its blocks, an open block a region of its nodes; where
/// the first block of a stack is open and the stack is not, the others are a stack behind it. `open` holds keys, which
/// are the same at every stage of a function. Nodes get the weights that they read.
FoldedGraph foldLayers(const GraphModel& model, const std::vector<LayerRun>& runs, const std::set<std::string>& open);

/// The id of the first node in the folded block with that id; of any other node its own.
uint64_t firstNodeOf(uint64_t id);

/// The key that unfolds the block of that name; empty where there is none that stands by itself or begins a stack.
std::string blockKeyOf(const GraphModel& model, const std::vector<LayerRun>& runs, const std::string& name);

/// The keys that unfold everything.
std::set<std::string> allFoldKeys(const GraphModel& model, const std::vector<LayerRun>& runs);

}  // namespace rx
