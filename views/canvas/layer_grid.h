// The working state of a layered layout: vertices and the dummies of long edges, in layers.
#pragma once

#include <limits>

#include "views/canvas/layered.h"

namespace rx {

class LayerGrid {
 public:
  LayerGrid(const FlatGraph& graph, const LayoutOptions& options);

  /// Orders each layer for few crossings by barycentre sweeps; keeps the best order seen. False when cancelled.
  bool order(const CancelToken& cancel);
  /// x of all vertices: each sweep moves a layer towards its neighbours as far as the gaps allow. False when cancelled.
  bool placeX(const CancelToken& cancel);
  void placeY();

  GraphPoint center(uint32_t vertex) const { return {cells_[vertex].x, cells_[vertex].y}; }
  FlatLayout::Band band(uint32_t vertex) const { return bands_[static_cast<size_t>(cells_[vertex].rank)]; }
  /// Points between the ends of an edge.
  std::vector<GraphPoint> bends(uint32_t edge) const;
  GraphSize size() const { return size_; }
  uint64_t crossings() const;

 private:
  static constexpr double kNoWish = std::numeric_limits<double>::quiet_NaN();
  struct Cell {
    double left = 0, right = 0, height = 0, x = 0, y = 0;  // extents to both sides of x
    int rank = 0;
    uint32_t place = 0;  // in its layer
    bool dummy = false;
    double wish = kNoWish;
    std::vector<uint32_t> up, down;
  };
  void addEdge(const GraphEdge& edge, const LayoutOptions& options);
  void connect(uint32_t from, uint32_t to);
  void numberPlaces();
  /// By their wishes where most vertices have one: then the order is that of the other layout, and stays.
  bool orderByWishes();
  void sortLayer(std::vector<uint32_t>& layer, bool byUpper);
  uint64_t crossingsBetween(const std::vector<uint32_t>& upper, size_t lowerSize, std::vector<uint32_t>& tree) const;
  void packLayers();
  void straighten();
  enum class Pull : uint8_t { Up, Down, Both };
  void pullLayer(const std::vector<uint32_t>& layer, Pull pull);
  double gapBetween(const Cell& left, const Cell& right) const;

  const LayoutOptions options_;
  std::vector<Cell> cells_;
  std::vector<std::vector<uint32_t>> layers_;
  std::vector<FlatLayout::Band> bands_;  // of each layer, once y is placed
  struct Chain {
    uint32_t first = 0, count = 0;
    bool reversed = false;
  };
  std::vector<Chain> chains_;  // dummies of each edge, from the upper to the lower end
  GraphSize size_;
};

}  // namespace rx
