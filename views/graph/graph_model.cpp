#include "views/graph/graph_model.h"

#include <unordered_set>

namespace rx {

std::string GraphModel::fault() const {
  for (size_t i = 0; i < regions.size(); ++i)
    if (regions[i].parent < -1 || regions[i].parent >= static_cast<int>(i))
      return "a region's parent does not precede it";
  std::unordered_set<uint64_t> ids;
  for (const GraphNode& node : nodes) {
    if (node.region < -1 || node.region >= static_cast<int>(regions.size()))
      return "a node names a region that is not there";
    if (node.id == 0 || !ids.insert(node.id).second) return "the ids of the nodes are not unique";
  }
  for (const GraphEdge& edge : edges)
    if (edge.from >= nodes.size() || edge.to >= nodes.size()) return "an edge names a node that is not there";
  return {};
}

}  // namespace rx
