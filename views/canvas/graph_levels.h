// The flat graphs that a graph with regions consists of: one for the outside, one for the inside of each region. A line
// that crosses the border of a region does so through a port, so that each of its parts belongs to one flat graph.
#pragma once

#include <array>
#include <compare>
#include <map>

#include "views/canvas/layered.h"

namespace rx {

/// Vertices of `flat` are nodes, then regions, then ports.
struct GraphLevel {
  /// Where the value of `node` crosses the border: at the top on its way in, at the bottom on its way out.
  struct Port {
    uint32_t node = 0;
    bool exit = false;
    auto operator<=>(const Port&) const = default;
  };
  std::vector<uint32_t> nodes;
  std::vector<uint32_t> regions;
  std::vector<Port> ports;
  FlatGraph flat;
  std::vector<char> anchored;  ///< vertices with inputs from outside the region
  int lastRank = 0;
};

/// A part of a line: an edge of the flat graph of a level.
struct LinePart {
  uint32_t level = 0;
  uint32_t edge = 0;
};

/// An edge of the model that is drawn, by its parts from source to target.
struct GraphLine {
  uint32_t edge = 0;
  std::vector<LinePart> parts;
};

class LevelTree {
 public:
  LevelTree(const GraphModel& model, int maxSpan);

  /// Level 0 is the outside, level r + 1 the inside of region r.
  std::vector<GraphLevel> levels;
  std::vector<GraphLine> lines;
  std::vector<uint32_t> stubs;  ///< edges of the model that labels stand for
  std::vector<char> hidden;     ///< nodes that are shown by labels only

  uint32_t vertexOf(uint32_t node) const { return vertex_[node]; }
  uint32_t vertexOfRegion(uint32_t region) const { return regionVertex_[region]; }
  uint32_t levelOf(uint32_t node) const { return static_cast<uint32_t>(model_.nodes[node].region + 1); }
  uint32_t parentLevel(uint32_t level) const {
    return static_cast<uint32_t>(parentOf(static_cast<int>(level) - 1) + 1);
  }
  uint32_t portVertex(uint32_t level, GraphLevel::Port port) const;

 private:
  struct Crossing;
  void findHidden();
  void fillLevels();
  void rankLevels();
  void anchorInside(uint32_t node, int top);
  Crossing crossingOf(const GraphEdge& edge) const;
  bool isLine(const GraphEdge& edge, const Crossing& crossing) const;
  void addLine(uint32_t index, const Crossing& crossing);
  uint32_t makePort(uint32_t level, GraphLevel::Port port);
  LinePart part(uint32_t level, uint32_t from, uint32_t to, uint32_t source);
  void rankPorts();
  int parentOf(int region) const { return model_.regions[static_cast<size_t>(region)].parent; }

  const GraphModel& model_;
  const int maxSpan_;
  std::vector<int> depth_;
  std::vector<uint32_t> vertex_, regionVertex_;
  std::vector<std::map<GraphLevel::Port, uint32_t>> portVertices_;  // one a level
  std::map<std::array<uint32_t, 4>, uint32_t> parts_;               // level, ends and source to the edge
};

}  // namespace rx
