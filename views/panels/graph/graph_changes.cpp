#include "views/panels/graph/graph_changes.h"

#include <QCoreApplication>
#include <algorithm>
#include <optional>

#include "views/panels/diff/stage_match.h"

namespace rx::views {
namespace {

uint64_t shownBy(const FunctionGraph& graph, int ordinal) { return graph.shownBy[static_cast<size_t>(ordinal)]; }

bool isOwn(uint64_t id, int ordinal) { return id == nodeId({NodeTarget::Kind::Binding, ordinal}); }

/// What a pair says of the nodes that stand for its two bindings; nothing where they are the same.
std::optional<NodeChange> changeOf(const BindingPair& pair, bool own) {
  if (pair.changed || !own) return NodeChange::Changed;
  if (pair.moved) return NodeChange::Moved;
  if (pair.renamed) return NodeChange::Renamed;
  return std::nullopt;
}

}  // namespace

NodeChanges changesOf(const StageIndex& here, const FunctionRow& function, const FunctionGraph& graph,
                      const StageIndex& other) {
  const bool otherIsLater = other.stage > here.stage;
  NodeChanges changes;
  for (const GraphNode& node : graph.model.nodes)
    if (nodeTarget(node.id).kind == NodeTarget::Kind::Binding)
      changes[node.id] = otherIsLater ? NodeChange::Removed : NodeChange::Added;
  const FunctionRow* there = other.function(function.name);
  if (!there) return changes;
  const FunctionGraph otherGraph = buildGraph(*there);
  const FunctionMatch match =
      otherIsLater ? matchFunctions(here, function, other, *there) : matchFunctions(other, *there, here, function);
  std::unordered_map<uint64_t, bool> settled;  // by the pair of the node's own binding
  for (const BindingPair& pair : match.pairs) {
    const int mine = otherIsLater ? pair.left : pair.right, theirs = otherIsLater ? pair.right : pair.left;
    const uint64_t node = shownBy(graph, mine), partner = shownBy(otherGraph, theirs);
    if (!node || !partner) continue;
    // A node has the word of its own binding; where that has no partner, a name or buffer of it may have.
    const bool own = isOwn(node, mine) && isOwn(partner, theirs);
    bool& done = settled[node];
    if (done) continue;
    done = own;
    if (const auto change = changeOf(pair, own)) {
      changes[node] = *change;
    } else {
      changes.erase(node);
    }
  }
  return changes;
}

QString changeName(NodeChange change) {
  static constexpr const char* kNames[] = {"added", "removed", "changed", "moved", "renamed"};
  return QCoreApplication::translate("Graph", kNames[static_cast<size_t>(change)]);
}

}  // namespace rx::views
