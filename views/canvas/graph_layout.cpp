// Regions are laid out from the innermost outwards: each becomes one box in the flat graph of its parent, so regions
// never overlap and nothing foreign stands inside one.
#include "views/canvas/graph_layout.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "views/canvas/graph_levels.h"

namespace rx {
namespace {

/// A layer that goes on so many gaps between layers beyond one of its vertices holds something much higher.
constexpr double kBeside = 1;

class Composer {
 public:
  Composer(const GraphModel& model, const GraphMetrics& metrics)
      : model_(model), metrics_(metrics), tree_(model, metrics.options.maxSpan) {}

  std::optional<GraphLayout> run(const CancelToken& cancel) {
    result_.nodes.resize(model_.nodes.size());
    result_.chips.resize(model_.nodes.size());
    result_.regions.resize(model_.regions.size());
    placed_.resize(tree_.levels.size());
    stubsOf_.resize(tree_.levels.size());
    for (uint32_t e : tree_.stubs) {
      if (!metrics_.options.weightLabels && tree_.hidden[model_.edges[e].from]) continue;
      stubsOf_[tree_.levelOf(model_.edges[e].to)].push_back(static_cast<uint32_t>(result_.stubs.size()));
      result_.stubs.push_back({model_.edges[e].from, model_.edges[e].to, {}});
    }
    for (size_t level = tree_.levels.size(); level-- > 0;)
      if (!layoutLevel(level, cancel)) return std::nullopt;
    place();
    route();
    return std::move(result_);
  }

 private:
  struct Placed {
    FlatLayout layout;
    GraphPoint origin;  // of its content, once placed
  };

  bool layoutLevel(size_t index, const CancelToken& cancel) {
    GraphLevel& one = tree_.levels[index];
    const LayoutOptions& options = metrics_.options;
    for (uint32_t n : one.nodes) one.flat.sizes.push_back(cellOf(n));
    for (uint32_t r : one.regions) {
      const GraphSize inner = placed_[r + 1].layout.size;
      one.flat.sizes.push_back(
          {inner.width + 2 * options.regionPad, inner.height + 2 * options.regionPad + options.regionTitle});
    }
    one.flat.sizes.resize(one.flat.sizes.size() + one.ports.size());
    if (!metrics_.wishes.empty()) {
      one.flat.wishes.assign(one.flat.sizes.size(), std::numeric_limits<double>::quiet_NaN());
      for (size_t v = 0; v < one.nodes.size(); ++v) one.flat.wishes[v] = metrics_.wishes[one.nodes[v]];
    }
    makeRoomForStubs(index);
    auto layout = layoutFlat(one.flat, options, cancel);
    if (!layout) return false;
    placed_[index].layout = std::move(*layout);
    widenForTitle(index);
    return true;
  }

  bool hasChip(uint32_t node) const { return node < metrics_.chipSizes.size() && metrics_.chipSizes[node].width > 0; }
  double chipGap() const { return metrics_.options.rankGap * 0.3; }

  /// The node and, under it, its chip.
  GraphSize cellOf(uint32_t node) const {
    GraphSize cell = metrics_.sizes[node];
    if (!hasChip(node)) return cell;
    cell.width = std::max(cell.width, metrics_.chipSizes[node].width);
    cell.height += chipGap() + metrics_.chipSizes[node].height;
    return cell;
  }

  /// Labels stand in a column left of the node that uses them, so no line to the node crosses them.
  void makeRoomForStubs(size_t index) {
    GraphLevel& one = tree_.levels[index];
    one.flat.leftPads.assign(one.flat.sizes.size(), 0);
    for (uint32_t s : stubsOf_[index]) {
      const StubBox& stub = result_.stubs[s];
      const GraphSize label = metrics_.stubSizes[stub.source];
      StubColumn& column = columns_[stub.target];
      column.height += label.height + (column.height > 0 ? stubGap() : 0);
      double& pad = one.flat.leftPads[tree_.vertexOf(stub.target)];
      pad = std::max(pad, label.width + stubGap() * 3);
      double& height = one.flat.sizes[tree_.vertexOf(stub.target)].height;
      height = std::max(height, column.height);
    }
  }

  double stubGap() const { return metrics_.options.regionPad * 0.3; }

  void placeStubs(size_t index) {
    for (uint32_t s : stubsOf_[index]) {
      StubBox& stub = result_.stubs[s];
      const GraphSize label = metrics_.stubSizes[stub.source];
      const GraphRect& node = result_.nodes[stub.target];
      StubColumn& column = columns_[stub.target];
      // Beside the cell: a chip may be wider than its node.
      const GraphSize cell = cellOf(stub.target);
      const double middle = node.y + cell.height / 2, left = node.x + (node.width - cell.width) / 2;
      stub.box = {left - stubGap() * 3 - label.width, middle - column.height / 2 + column.filled, label.width,
                  label.height};
      column.filled += label.height + stubGap();
    }
  }

  void widenForTitle(size_t index) {
    if (index == 0) return;
    // About nine tenths of the title's height a letter is wide enough for its name.
    const double wanted =
        static_cast<double>(model_.regions[index - 1].title.size()) * metrics_.options.regionTitle * 0.5;
    GraphSize& size = placed_[index].layout.size;
    const double extra = wanted - size.width;
    if (extra <= 0) return;
    size.width = wanted;
    for (GraphPoint& p : placed_[index].layout.centers) p.x += extra / 2;
    for (auto& bends : placed_[index].layout.bends)
      for (GraphPoint& p : bends) p.x += extra / 2;
  }

  static GraphRect around(GraphPoint center, GraphSize size, GraphPoint origin) {
    return {origin.x + center.x - size.width / 2, origin.y + center.y - size.height / 2, size.width, size.height};
  }

  void place() {
    const LayoutOptions& options = metrics_.options;
    placed_[0].origin = {options.regionPad, options.regionPad};
    result_.size = {placed_[0].layout.size.width + 2 * options.regionPad,
                    placed_[0].layout.size.height + 2 * options.regionPad};
    // A parent comes before its children, so its origin is known.
    for (size_t index = 0; index < tree_.levels.size(); ++index) {
      const GraphLevel& one = tree_.levels[index];
      const Placed& placed = placed_[index];
      size_t vertex = 0;
      auto next = [&] {
        const GraphRect box = around(placed.layout.centers[vertex], one.flat.sizes[vertex], placed.origin);
        ++vertex;
        return box;
      };
      for (uint32_t n : one.nodes) placeNode(n, next());
      for (uint32_t r : one.regions) {
        const GraphRect box = result_.regions[r] = next();
        placed_[r + 1].origin = {box.x + options.regionPad, box.y + options.regionPad + options.regionTitle};
      }
      placeStubs(index);
    }
  }

  /// In the middle of its cell, which may be taller than the node for its labels.
  void placeNode(uint32_t n, const GraphRect& cell) {
    const GraphSize size = metrics_.sizes[n];
    const double height = cellOf(n).height, middle = cell.x + cell.width / 2;
    GraphRect& box = result_.nodes[n];
    box = {middle - size.width / 2, cell.y + (cell.height - height) / 2, size.width, size.height};
    if (!hasChip(n)) return;
    const GraphSize chip = metrics_.chipSizes[n];
    result_.chips[n] = {middle - chip.width / 2, box.bottom() + chipGap(), chip.width, chip.height};
  }

  /// Where lines leave a node.
  const GraphRect& outletOf(uint32_t node) const {
    return result_.chips[node].width > 0 ? result_.chips[node] : result_.nodes[node];
  }

  void route() {
    for (const GraphLine& line : tree_.lines) {
      const GraphEdge& edge = model_.edges[line.edge];
      EdgePath path{line.edge, {}};
      const GraphRect &from = outletOf(edge.from), &to = result_.nodes[edge.to];
      path.points.push_back({from.x + from.width / 2, from.bottom()});
      for (size_t i = 0; i < line.parts.size(); ++i) {
        const auto [level, flatEdge] = line.parts[i];
        const Placed& placed = placed_[level];
        for (GraphPoint p : placed.layout.bends[flatEdge])
          path.points.push_back({p.x + placed.origin.x, p.y + placed.origin.y});
        if (i + 1 < line.parts.size()) addPort(level, line.parts[i + 1].level, edge.from, &path.points);
      }
      path.points.push_back({to.x + to.width / 2, to.y});
      result_.edges.push_back(std::move(path));
    }
    spreadPorts(true);
    spreadPorts(false);
    for (EdgePath& path : result_.edges) leaveLayers(&path);
  }

  /// Where a line goes from one level into the other: at the bottom of the region that it leaves, or at the top of the
  /// one that it enters. Of two levels the inner one has the larger number.
  void addPort(uint32_t level, uint32_t next, uint32_t source, std::vector<GraphPoint>* points) const {
    const bool exits = level > next && tree_.parentLevel(level) == next;
    const uint32_t inner = exits ? level : next, outer = exits ? next : level;
    const Placed& placed = placed_[inner];
    const GraphRect& box = result_.regions[inner - 1];
    const GraphPoint port = placed.layout.centers[tree_.portVertex(inner, {source, exits})];
    const double x = port.x + placed.origin.x;
    const FlatLayout::Band layer = bandOf(outer, tree_.vertexOfRegion(inner - 1));
    if (!exits && box.y - layer.top > kBeside * rankGap()) points->push_back({x, layer.top});
    points->push_back({x, exits ? box.bottom() : box.y});
    if (exits && layer.bottom - box.bottom() > kBeside * rankGap()) points->push_back({x, layer.bottom});
  }

  FlatLayout::Band bandOf(uint32_t level, uint32_t vertex) const {
    const FlatLayout::Band band = placed_[level].layout.bands[vertex];
    return {band.top + placed_[level].origin.y, band.bottom + placed_[level].origin.y};
  }

  double rankGap() const { return metrics_.options.rankGap; }

  /// Beside what is much higher than its ends a line goes straight down.
  void leaveLayers(EdgePath* path) const {
    const GraphEdge& edge = model_.edges[path->edge];
    const GraphPoint first = path->points.front(), last = path->points.back();
    const FlatLayout::Band from = bandOf(tree_.levelOf(edge.from), tree_.vertexOf(edge.from));
    const FlatLayout::Band to = bandOf(tree_.levelOf(edge.to), tree_.vertexOf(edge.to));
    if (last.y <= first.y) return;
    if (last.y - to.top > kBeside * rankGap()) path->points.insert(path->points.end() - 1, {last.x, to.top});
    if (from.bottom - first.y > kBeside * rankGap())
      path->points.insert(path->points.begin() + 1, {first.x, from.bottom});
  }

  /// Lines that meet at one side of a node end beside each other, in the order in which they arrive. Those that share
  /// their way into or out of a region share their place here too.
  void spreadPorts(bool atTarget) {
    struct Port {
      uint32_t node;
      double x, y;  // of the point before or behind it
      size_t edge;
    };
    std::vector<Port> ports;
    for (size_t i = 0; i < result_.edges.size(); ++i) {
      const auto& points = result_.edges[i].points;
      const GraphEdge& edge = model_.edges[result_.edges[i].edge];
      const GraphPoint& next = atTarget ? points[points.size() - 2] : points[1];
      ports.push_back({atTarget ? edge.to : edge.from, next.x, next.y, i});
    }
    std::sort(ports.begin(), ports.end(),
              [](auto& a, auto& b) { return std::tie(a.node, a.x, a.y, a.edge) < std::tie(b.node, b.x, b.y, b.edge); });
    const auto shared = [&](size_t a, size_t b) { return ports[a].x == ports[b].x && ports[a].y == ports[b].y; };
    for (size_t begin = 0; begin < ports.size();) {
      size_t end = begin;
      while (end < ports.size() && ports[end].node == ports[begin].node) ++end;
      const GraphRect& box = atTarget ? result_.nodes[ports[begin].node] : outletOf(ports[begin].node);
      double count = 1;
      for (size_t i = begin + 1; i < end; ++i) count += !shared(i - 1, i);
      const double step = std::min(box.width * 0.7 / count, box.height * 0.4);
      double slot = 0;
      for (size_t i = begin; i < end; ++i) {
        if (i > begin) slot += !shared(i - 1, i);
        auto& points = result_.edges[ports[i].edge].points;
        (atTarget ? points.back() : points.front()).x = box.x + box.width / 2 + (slot - (count - 1) / 2) * step;
      }
      begin = end;
    }
  }

  /// The labels left of one node.
  struct StubColumn {
    double height = 0, filled = 0;
  };

  const GraphModel& model_;
  const GraphMetrics& metrics_;
  LevelTree tree_;
  GraphLayout result_;
  std::unordered_map<uint32_t, StubColumn> columns_;
  std::vector<Placed> placed_;                  // one a level
  std::vector<std::vector<uint32_t>> stubsOf_;  // indices in result_.stubs, one list a level
};

}  // namespace

std::optional<GraphLayout> layoutGraph(const GraphModel& model, const GraphMetrics& metrics,
                                       const CancelToken& cancel) {
  if (cancel.cancelled()) return std::nullopt;
  return Composer(model, metrics).run(cancel);
}

}  // namespace rx
