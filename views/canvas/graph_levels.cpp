#include "views/canvas/graph_levels.h"

#include <algorithm>

namespace rx {

/// The regions that an edge leaves, innermost first, and enters, outermost first; between them the level that holds
/// both ends.
struct LevelTree::Crossing {
  std::vector<int> left, entered;
  int common = -1;
  uint32_t from = 0, to = 0;  // vertices of the common level
};

LevelTree::LevelTree(const GraphModel& model, int maxSpan) : model_(model), maxSpan_(maxSpan) {
  levels.resize(model.regions.size() + 1);
  portVertices_.resize(levels.size());
  for (const GraphRegion& region : model.regions)
    depth_.push_back(region.parent < 0 ? 1 : depth_[static_cast<size_t>(region.parent)] + 1);
  findHidden();
  fillLevels();
  rankLevels();
  for (uint32_t e = 0; e < model.edges.size(); ++e) {
    const GraphEdge& edge = model.edges[e];
    if (edge.from == edge.to) continue;
    const Crossing crossing = hidden[edge.from] ? Crossing() : crossingOf(edge);
    if (!hidden[edge.from] && isLine(edge, crossing)) {
      addLine(e, crossing);
    } else {
      stubs.push_back(e);
    }
  }
  rankPorts();
}

void LevelTree::findHidden() {
  hidden.assign(model_.nodes.size(), 0);
  for (const GraphEdge& edge : model_.edges) hidden[edge.from] = model_.nodes[edge.from].stubOnly;
  // What has inputs is more than a label.
  for (const GraphEdge& edge : model_.edges) hidden[edge.to] = 0;
}

void LevelTree::fillLevels() {
  vertex_.resize(model_.nodes.size());
  regionVertex_.resize(model_.regions.size());
  for (uint32_t n = 0; n < model_.nodes.size(); ++n) {
    if (hidden[n]) continue;
    auto& nodes = levels[levelOf(n)].nodes;
    vertex_[n] = static_cast<uint32_t>(nodes.size());
    nodes.push_back(n);
  }
  for (uint32_t r = 0; r < model_.regions.size(); ++r)
    levels[static_cast<size_t>(parentOf(static_cast<int>(r)) + 1)].regions.push_back(r);
  for (GraphLevel& level : levels) {
    for (uint32_t i = 0; i < level.regions.size(); ++i)
      regionVertex_[level.regions[i]] = static_cast<uint32_t>(level.nodes.size() + i);
    level.anchored.resize(level.nodes.size() + level.regions.size());
    // What comes into the function stands in one row above it, also where nothing is around what reads it.
    for (size_t i = 0; i < level.nodes.size(); ++i)
      level.anchored[i] =
          model_.nodes[level.nodes[i]].kind == OpKind::Parameter && !model_.nodes[level.nodes[i]].stubOnly;
  }
}

LevelTree::Crossing LevelTree::crossingOf(const GraphEdge& edge) const {
  Crossing crossing;
  int a = model_.nodes[edge.from].region, b = model_.nodes[edge.to].region;
  const auto depth = [this](int region) { return region < 0 ? 0 : depth_[static_cast<size_t>(region)]; };
  while (a != b) {
    if (depth(a) >= depth(b)) {
      crossing.left.push_back(a), a = parentOf(a);
    } else {
      crossing.entered.push_back(b), b = parentOf(b);
    }
  }
  std::reverse(crossing.entered.begin(), crossing.entered.end());
  crossing.common = a;
  crossing.from = crossing.left.empty() ? vertex_[edge.from] : regionVertex_[static_cast<size_t>(crossing.left.back())];
  crossing.to =
      crossing.entered.empty() ? vertex_[edge.to] : regionVertex_[static_cast<size_t>(crossing.entered.front())];
  return crossing;
}

void LevelTree::rankLevels() {
  for (const GraphEdge& edge : model_.edges) {
    if (hidden[edge.from] || edge.from == edge.to) continue;
    const Crossing crossing = crossingOf(edge);
    if (crossing.from != crossing.to)
      levels[static_cast<size_t>(crossing.common + 1)].flat.edges.push_back({crossing.from, crossing.to});
    if (!crossing.entered.empty()) anchorInside(edge.to, crossing.common);
  }
  for (GraphLevel& level : levels) {
    level.flat.ranks = rankVertices(level.anchored.size(), level.flat.edges, level.anchored);
    for (int rank : level.flat.ranks) level.lastRank = std::max(level.lastRank, rank);
    level.flat.edges.clear();
  }
}

/// The node, and each region around it below `top`, has an input from outside.
void LevelTree::anchorInside(uint32_t node, int top) {
  uint32_t vertex = vertex_[node];
  for (int r = model_.nodes[node].region; r != top; vertex = regionVertex_[static_cast<size_t>(r)], r = parentOf(r))
    levels[static_cast<size_t>(r + 1)].anchored[vertex] = 1;
}

/// A line can be followed by the eye as far as `maxSpan` ranks, on each level that it crosses.
bool LevelTree::isLine(const GraphEdge& edge, const Crossing& crossing) const {
  const GraphLevel& common = levels[static_cast<size_t>(crossing.common + 1)];
  if (crossing.from == crossing.to) return false;
  if (common.flat.ranks[crossing.to] - common.flat.ranks[crossing.from] > maxSpan_) return false;
  uint32_t vertex = vertex_[edge.from];
  for (int region : crossing.left) {
    const GraphLevel& level = levels[static_cast<size_t>(region + 1)];
    if (level.lastRank - level.flat.ranks[vertex] >= maxSpan_) return false;
    vertex = regionVertex_[static_cast<size_t>(region)];
  }
  for (size_t i = 0; i < crossing.entered.size(); ++i) {
    const GraphLevel& level = levels[static_cast<size_t>(crossing.entered[i] + 1)];
    const uint32_t inside = i + 1 < crossing.entered.size()
                                ? regionVertex_[static_cast<size_t>(crossing.entered[i + 1])]
                                : vertex_[edge.to];
    if (level.flat.ranks[inside] >= maxSpan_) return false;
  }
  return true;
}

void LevelTree::addLine(uint32_t index, const Crossing& crossing) {
  const GraphEdge& edge = model_.edges[index];
  GraphLine line{index, {}};
  uint32_t from = vertex_[edge.from];
  for (int region : crossing.left) {
    const auto level = static_cast<uint32_t>(region + 1);
    line.parts.push_back(part(level, from, makePort(level, {edge.from, true}), edge.from));
    from = regionVertex_[static_cast<size_t>(region)];
  }
  auto at = static_cast<uint32_t>(crossing.common + 1);
  for (int region : crossing.entered) {
    line.parts.push_back(part(at, from, regionVertex_[static_cast<size_t>(region)], edge.from));
    at = static_cast<uint32_t>(region + 1);
    from = makePort(at, {edge.from, false});
  }
  line.parts.push_back(part(at, from, vertex_[edge.to], edge.from));
  lines.push_back(std::move(line));
}

uint32_t LevelTree::makePort(uint32_t level, GraphLevel::Port port) {
  GraphLevel& one = levels[level];
  const auto next = static_cast<uint32_t>(one.nodes.size() + one.regions.size() + one.ports.size());
  const auto [at, isNew] = portVertices_[level].try_emplace(port, next);
  if (isNew) one.ports.push_back(port);
  return at->second;
}

uint32_t LevelTree::portVertex(uint32_t level, GraphLevel::Port port) const { return portVertices_[level].at(port); }

/// Lines of one value share the way as far as they go together.
LinePart LevelTree::part(uint32_t level, uint32_t from, uint32_t to, uint32_t source) {
  auto& edges = levels[level].flat.edges;
  const auto [at, isNew] = parts_.try_emplace({level, from, to, source}, static_cast<uint32_t>(edges.size()));
  if (isNew) edges.push_back({from, to});
  return {level, at->second};
}

/// Ports stand above and below everything else.
void LevelTree::rankPorts() {
  for (GraphLevel& level : levels) {
    const bool enters = std::any_of(level.ports.begin(), level.ports.end(), [](auto& port) { return !port.exit; });
    if (enters)
      for (int& rank : level.flat.ranks) ++rank;
    const int below = level.lastRank + (enters ? 2 : 1);
    for (const GraphLevel::Port& port : level.ports) level.flat.ranks.push_back(port.exit ? below : 0);
  }
}

}  // namespace rx
