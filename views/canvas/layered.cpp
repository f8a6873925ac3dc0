#include "views/canvas/layered.h"

#include <algorithm>

#include "views/canvas/layer_grid.h"

namespace rx {
namespace {

/// Kahn's order by index; what a cycle holds back follows in index order.
std::vector<uint32_t> topologicalOrder(size_t vertices, const std::vector<GraphEdge>& edges,
                                       const std::vector<std::vector<uint32_t>>& next) {
  std::vector<uint32_t> inputs(vertices), order;
  for (const GraphEdge& edge : edges) ++inputs[edge.to];
  for (uint32_t v = 0; v < vertices; ++v)
    if (!inputs[v]) order.push_back(v);
  std::vector<char> placed(vertices);
  uint32_t restart = 0;
  for (size_t i = 0; order.size() < vertices || i < order.size(); ++i) {
    if (i == order.size()) {
      // Only cycles are left: open one at its lowest vertex.
      for (; placed[restart] || inputs[restart] == 0; ++restart) {
      }
      inputs[restart] = 0;
      order.push_back(restart);
    }
    const uint32_t v = order[i];
    placed[v] = 1;
    for (uint32_t to : next[v])
      if (!placed[to] && inputs[to] && --inputs[to] == 0) order.push_back(to);
  }
  return order;
}

}  // namespace

std::vector<int> rankVertices(size_t vertices, const std::vector<GraphEdge>& edges, const std::vector<char>& anchored) {
  std::vector<std::vector<uint32_t>> next(vertices);
  std::vector<char> hasInput(vertices);
  for (const GraphEdge& edge : edges) {
    if (edge.from == edge.to) continue;
    next[edge.from].push_back(edge.to);
  }
  std::vector<GraphEdge> real;
  for (uint32_t v = 0; v < vertices; ++v)
    for (uint32_t to : next[v]) real.push_back({v, to}), hasInput[to] = 1;
  const std::vector<uint32_t> order = topologicalOrder(vertices, real, next);
  std::vector<uint32_t> position(vertices);
  for (uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  std::vector<int> rank(vertices);
  for (uint32_t v : order)
    for (uint32_t to : next[v])
      if (position[to] > position[v]) rank[to] = std::max(rank[to], rank[v] + 1);
  for (uint32_t v = 0; v < vertices; ++v) {
    if (hasInput[v] || next[v].empty() || (!anchored.empty() && anchored[v])) continue;
    int first = rank[next[v][0]];
    for (uint32_t to : next[v]) first = std::min(first, rank[to]);
    rank[v] = std::max(rank[v], first - 1);
  }
  return rank;
}

std::optional<FlatLayout> layoutFlat(const FlatGraph& graph, const LayoutOptions& options, const CancelToken& cancel) {
  FlatLayout layout;
  layout.bends.resize(graph.edges.size());
  layout.centers.resize(graph.sizes.size());
  if (graph.sizes.empty()) return layout;
  LayerGrid grid(graph, options);
  if (!grid.order(cancel) || !grid.placeX(cancel)) return std::nullopt;
  grid.placeY();
  for (uint32_t v = 0; v < graph.sizes.size(); ++v) {
    layout.centers[v] = grid.center(v);
    layout.bands.push_back(grid.band(v));
  }
  for (uint32_t e = 0; e < graph.edges.size(); ++e) layout.bends[e] = grid.bends(e);
  layout.size = grid.size();
  return layout;
}

}  // namespace rx
