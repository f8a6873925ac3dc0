#include "views/models/outline.h"

#include <algorithm>

#include "views/graph/layer_fold.h"
#include "views/models/function_graph.h"

namespace rx::views {
namespace {

/// The ordinal that a node stands for, -1 for a parameter, a constant or the result.
int ordinalOf(const GraphNode& node) {
  const NodeTarget target = nodeTarget(node.id);
  return target.kind == NodeTarget::Kind::Binding ? target.index : -1;
}

class OutlineWriter {
 public:
  OutlineWriter(const FunctionRow& function, const FunctionGraph& graph)
      : function_(function), graph_(graph), nodeOf_(function.bindings.size(), -1) {
    std::vector<int> nodes(function.bindings.size(), -1);
    for (size_t n = 0; n < graph.model.nodes.size(); ++n)
      if (const int ordinal = ordinalOf(graph.model.nodes[n]); ordinal >= 0)
        nodes[static_cast<size_t>(ordinal)] = static_cast<int>(n);
    for (size_t b = 0; b < nodeOf_.size(); ++b)
      if (const NodeTarget shown = nodeTarget(graph.shownBy[b]); shown.kind == NodeTarget::Kind::Binding)
        nodeOf_[b] = nodes[static_cast<size_t>(shown.index)];
  }

  std::vector<OutlineRow> run(const std::vector<LayerRun>& runs) {
    for (const LayerRun& run : runs)
      for (uint32_t r = 0; r < run.repeats; ++r) add(run, r);
    return std::move(rows_);
  }

 private:
  void add(const LayerRun& run, uint32_t repeat) {
    const uint32_t begin = run.begin + repeat * run.period, end = begin + run.period;
    OutlineRow row;
    row.name = QString::fromStdString(run.names[repeat]);
    row.kind = QString::fromStdString(run.kind);
    row.first = ordinalOf(graph_.model.nodes[begin]);
    if (row.first < 0) return;
    row.block = function_.bindings[static_cast<size_t>(row.first)].block;
    // The allocation of what the first call writes stands before it.
    const int after = rows_.empty() ? -1 : rows_.back().last;
    const auto isInside = [&](int ordinal) {
      const int node = nodeOf_[static_cast<size_t>(ordinal)];
      return node >= static_cast<int>(begin) && node < static_cast<int>(end);
    };
    while (row.first - 1 > after && isInside(row.first - 1)) --row.first;
    if (!rows_.empty() && rows_.back().block == row.block && rows_.back().last >= row.first)
      rows_.back().last = row.first - 1;
    row.last = lastOf(row, end);
    rows_.push_back(row);
  }

  /// The last of the block's bindings before the node behind it.
  int lastOf(const OutlineRow& row, uint32_t end) const {
    const int next = end < graph_.model.nodes.size() ? ordinalOf(graph_.model.nodes[end]) : -1;
    const auto& bindings = function_.blocks[static_cast<size_t>(row.block)].bindings;
    if (next < 0) return bindings.back();
    const auto at = std::lower_bound(bindings.begin(), bindings.end(), next);
    return at == bindings.begin() ? row.first : std::max(row.first, *std::prev(at));
  }

  const FunctionRow& function_;
  const FunctionGraph& graph_;
  std::vector<int> nodeOf_;  // one a binding: the node that shows it, -1 for none
  std::vector<OutlineRow> rows_;
};

}  // namespace

std::vector<OutlineRow> outlineOf(const FunctionRow& function) {
  if (function.bindings.size() < kOutlineFrom / 2) return {};
  const FunctionGraph graph = buildGraph(function);
  if (graph.model.nodes.size() < kOutlineFrom) return {};
  return OutlineWriter(function, graph).run(findLayers(graph.model));
}

}  // namespace rx::views
