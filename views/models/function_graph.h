// The graph of a function as plain data: bindings as nodes, blocks and branches as regions.
#pragma once

#include <compare>

#include "views/graph/graph_model.h"
#include "views/models/known_sizes.h"
#include "views/models/stage_index.h"

namespace rx::views {

/// What a node of the graph stands for.
struct NodeTarget {
  enum class Kind : uint8_t { None, Binding, Param, Constant, Field, Result };
  Kind kind = Kind::None;
  int index = -1;
  auto operator<=>(const NodeTarget&) const = default;
};

uint64_t nodeId(const NodeTarget& target);
/// None for the id of a folded layer.
NodeTarget nodeTarget(uint64_t id);

/// Label of a constant from what the index calls it, which may be its StructInfo: "const f16", "const (3, 3) f32".
QString constantLabel(const QString& name);

/// A field of a parameter that is a tuple.
struct ParamField {
  int param = -1;
  int element = -1;
  auto operator<=>(const ParamField&) const = default;
};

/// A function as a graph.
struct FunctionGraph {
  GraphModel model;
  std::vector<ParamField> fields;  ///< what the targets of kind Field stand for, by their index
  std::vector<uint64_t> shownBy;   ///< one a binding: id of the node that stands for it, 0 for none
  int folded = 0;                  ///< bindings that are no nodes: names, tuples, buffers, the machine
};

/// Weights and constants are no nodes on the way of the values (GraphNode::stubOnly). Values flow through names, tuples
/// and the buffers that calls write; with `machine` allocations, kills and names are nodes too.
/// Bytes that depend on symbols are numbers where `sizes` has these.
FunctionGraph buildGraph(const FunctionRow& function, bool machine = false, const SymbolSizes& sizes = {});

/// The same for who looks for blocks and draws nothing: operations have no titles, chips and places.
FunctionGraph undrawnGraph(const FunctionRow& function);

}  // namespace rx::views
