// views/graph: a graph of operations as plain data, the blocks that come again in it, their names, and their folding.
//
// Nothing here knows the IR or a widget: models fill a GraphModel from their rows, views/canvas lays it out and shows
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "views/theme/palette.h"

namespace rx {

enum class NodeShape : uint8_t { Box, Pill };

/// A parameter or constant that an operation reads besides the values of the program.
struct GraphWeight {
  uint64_t id = 0;     ///< of its node
  std::string name;    ///< "w5"
  std::string type;    ///< "(64, 64, 3, 3) f32"
  int64_t bytes = -1;  ///< -1 where the size is symbolic or unknown
};

/// One operation, parameter or result.
struct GraphNode {
  uint64_t id = 0;       ///< the panel's own; not 0, unique in the model
  std::string title;     ///< "q matmul"
  std::string subtitle;  ///< "(n, 512) f16"
  OpKind kind = OpKind::Other;
  NodeShape shape = NodeShape::Box;
  int region = -1;        ///< index in GraphModel::regions, -1: outside all
  bool stubOnly = false;  ///< no node on the way of the values: weights and constants, shown by the rail or by labels
  int64_t bytes = -1;     ///< of a weight; -1 for all else and where it is unknown
  bool impure = false;
  uint32_t bindings = 1;  ///< of the function that it stands for: its own, and names, tuples and buffers folded into it
  uint32_t count = 1;     ///< original nodes that a folded layer stands for
  uint32_t stack = 1;     ///< equal layers that a folded node stands for
  std::string members;    ///< of a stack: the names of its blocks, "layer1.0 … layer1.1"
  std::vector<GraphWeight> weights;  ///< what it reads of them, each once; filled by foldLayers
  std::string foldFamily;            ///< the same for blocks that only come again, with other shapes
  std::string placeKey;  ///< what keeps its column when another stage of the same graph is shown; empty: nothing
  std::string chip;      ///< the buffer that its value lies in, shown under it: "s4 · 288 B"
  std::string foldKey;   ///< what has to be equal for two nodes to be the same part of two equal layers; empty: never
  bool isWeight() const { return stubOnly && (kind == OpKind::Parameter || !subtitle.empty()); }
};

/// Indices of nodes; the value flows from `from` to `to`.
struct GraphEdge {
  uint32_t from = 0;
  uint32_t to = 0;
  std::string label = {};  ///< how the value is read: "[1]", "reshaped"
  bool operator==(const GraphEdge&) const = default;
};

/// Scope: where values are computed, in a language whose text may write them elsewhere.
enum class RegionKind : uint8_t { Dataflow, Branch, Function, Layer, Scope };

/// A box around nodes and other regions. A parent comes before its children.
struct GraphRegion {
  std::string title;
  RegionKind kind = RegionKind::Dataflow;
  int parent = -1;
  uint64_t foldId = 0;     ///< of an unfolded block: asked for when it is to be folded again
  int branch = -1;         ///< of a scope: which block of its owner it is; -1: the function itself
  std::string brief = {};  ///< the title where there is little room; empty where there is no shorter one
};

struct GraphModel {
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
  std::vector<GraphRegion> regions;

  /// What is wrong with the indices, or an empty text. Everything else takes a model that is right.
  std::string fault() const;
};

struct GraphPoint {
  double x = 0, y = 0;
};
struct GraphSize {
  double width = 0, height = 0;
};
/// Left top corner and size.
struct GraphRect {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
  bool overlaps(const GraphRect& other) const {
    return x < other.right() && other.x < right() && y < other.bottom() && other.y < bottom();
  }
  bool contains(const GraphRect& inner) const {
    return x <= inner.x && y <= inner.y && inner.right() <= right() && inner.bottom() <= bottom();
  }
};

}  // namespace rx
