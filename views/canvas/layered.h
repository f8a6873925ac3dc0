// Layered layout of one flat graph: ranks from top to bottom, few crossings, no overlaps.
#pragma once

#include <optional>

#include "core/support/cancel.h"
#include "views/graph/graph_model.h"

namespace rx {

/// Distances in the units of the node sizes.
struct LayoutOptions {
  double nodeGap = 24;
  double rankGap = 36;
  double regionPad = 14;
  double regionTitle = 20;
  int maxSpan = 40;          ///< an edge over more ranks becomes a stub
  bool weightLabels = true;  ///< what is no node has a label beside each use; else it has no place
  int sweeps = 24;
};

/// Vertices are numbers below sizes.size(). Edges against the order of a topological sort (cycles) are drawn upwards.
struct FlatGraph {
  std::vector<GraphSize> sizes;
  /// Free space that each vertex needs left of its box (empty: none).
  std::vector<double> leftPads;
  std::vector<GraphEdge> edges;
  /// Rank of each vertex, as `rankVertices` made it and the caller may have changed it.
  std::vector<int> ranks;
  /// x that each vertex would like to stand at, not a number where it has no wish (empty: none has). Wishes are from
  /// another layout: they say who stands left of whom and how far.
  std::vector<double> wishes;
};

struct FlatLayout {
  std::vector<GraphPoint> centers;
  /// One a vertex: the layer that it stands in, which is higher than the vertex where another one of it is.
  struct Band {
    double top = 0, bottom = 0;
  };
  std::vector<Band> bands;
  /// For each edge the points between its two ends, from `from` to `to`.
  std::vector<std::vector<GraphPoint>> bends;
  GraphSize size;
};

/// Longest path from the top; a vertex without inputs moves down to just above its first use, unless it is `anchored`
/// (one char a vertex, or empty: none is) because its inputs are outside this graph.
std::vector<int> rankVertices(size_t vertices, const std::vector<GraphEdge>& edges,
                              const std::vector<char>& anchored = {});

/// Nothing when cancelled. The same input gives the same layout, bit for bit.
std::optional<FlatLayout> layoutFlat(const FlatGraph& graph, const LayoutOptions& options, const CancelToken& cancel);

}  // namespace rx
