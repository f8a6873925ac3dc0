#include "views/canvas/graph_focus.h"

#include <algorithm>

namespace rx {

GraphModel neighbourhood(const GraphModel& model, uint64_t id, int distance) {
  const auto centre = std::find_if(model.nodes.begin(), model.nodes.end(), [id](auto& node) { return node.id == id; });
  if (centre == model.nodes.end()) return model;
  std::vector<std::vector<uint32_t>> next(model.nodes.size());
  for (const GraphEdge& edge : model.edges) next[edge.from].push_back(edge.to), next[edge.to].push_back(edge.from);
  std::vector<int> away(model.nodes.size(), -1);
  std::vector<uint32_t> queue{static_cast<uint32_t>(centre - model.nodes.begin())};
  away[queue.front()] = 0;
  for (size_t i = 0; i < queue.size(); ++i) {
    const uint32_t at = queue[i];
    // A weight or a mask that everything reads is no way from one of its readers to the others.
    if (away[at] == distance || (at != queue.front() && model.nodes[at].stubOnly)) continue;
    for (uint32_t n : next[at])
      if (away[n] < 0) away[n] = away[at] + 1, queue.push_back(n);
  }
  GraphModel near;
  std::vector<uint32_t> moved(model.nodes.size());
  for (uint32_t n = 0; n < model.nodes.size(); ++n) {
    if (away[n] < 0) continue;
    moved[n] = static_cast<uint32_t>(near.nodes.size());
    near.nodes.push_back(model.nodes[n]);
    near.nodes.back().region = -1;
  }
  for (const GraphEdge& edge : model.edges)
    if (away[edge.from] >= 0 && away[edge.to] >= 0)
      near.edges.push_back({moved[edge.from], moved[edge.to], edge.label});
  return near;
}

}  // namespace rx
