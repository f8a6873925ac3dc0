// The graph of a function: bindings as nodes, blocks and branches as regions.
#pragma once

#include <unordered_map>

#include "views/canvas/graph_canvas.h"
#include "views/models/debug_session.h"
#include "views/models/stage_index.h"

namespace rx::views {

/// What a node of the graph stands for.
struct NodeTarget {
  enum class Kind : uint8_t { None, Binding, Param, Constant, Result };
  Kind kind = Kind::None;
  int index = -1;
  bool operator==(const NodeTarget&) const = default;
};

uint64_t nodeId(const NodeTarget& target);
/// None for the id of a folded layer.
NodeTarget nodeTarget(uint64_t id);

/// Label of a constant from what the index calls it, which may be its StructInfo: "const f16", "const (3, 3) f32".
QString constantLabel(const QString& name);

/// A function as a graph.
struct FunctionGraph {
  GraphModel model;
  std::vector<uint64_t> shownBy;  ///< one a binding: id of the node that stands for it, 0 for none
  int folded = 0;                 ///< bindings that are no nodes: names, tuples, buffers, the machine
};

/// The first parameter is a node, the others are labels beside their uses, as are constants. Values flow through names,
/// tuples and the buffers that calls write; with `machine` allocations, kills and names are nodes too.
FunctionGraph buildGraph(const FunctionRow& function, bool machine = false);

/// State of a run on the nodes of its stage: errors, the current binding, breakpoints, shapes with what is bad. A
/// binding that is folded marks the node that stands for it.
std::unordered_map<uint64_t, NodeMark> runMarks(int stage, const FunctionRow& function, const FunctionGraph& graph,
                                                const DebugSession& debug);

}  // namespace rx::views
