// Regions are laid out from the innermost outwards: each becomes one box in the flat graph of its parent, so regions
// never overlap and nothing foreign stands inside one.
#include "views/canvas/graph_layout.h"

#include <algorithm>
#include <unordered_map>

namespace rx {
namespace {

constexpr int kRoot = -1;

class Composer {
 public:
  Composer(const GraphModel& model, const GraphMetrics& metrics) : model_(model), metrics_(metrics) {}

  std::optional<GraphLayout> run(const CancelToken& cancel) {
    prepare();
    for (size_t level = levels_.size(); level-- > 0;)
      if (!layoutLevel(level, cancel)) return std::nullopt;
    place();
    route();
    return std::move(result_);
  }

 private:
  /// One flat graph: the root, or the inside of a region. Vertices are nodes, then regions.
  struct Level {
    std::vector<uint32_t> nodes;
    std::vector<uint32_t> regions;
    std::vector<uint32_t> edges;  // of the model, between two of its nodes, drawn with way points
    FlatGraph flat;
    FlatLayout layout;
    std::vector<uint32_t> stubs;  // indices in result_.stubs
    std::vector<char> anchored;   // vertices with inputs from outside the region
    int lastRank = 0;
    GraphPoint origin;  // of its content, once placed
  };

  Level& level(int region) { return levels_[static_cast<size_t>(region + 1)]; }
  int depth(int region) const { return region == kRoot ? 0 : depth_[static_cast<size_t>(region)]; }
  int parent(int region) const { return model_.regions[static_cast<size_t>(region)].parent; }

  void prepare() {
    levels_.resize(model_.regions.size() + 1);
    result_.nodes.resize(model_.nodes.size());
    result_.regions.resize(model_.regions.size());
    vertex_.resize(model_.nodes.size());
    regionVertex_.resize(model_.regions.size());
    hidden_.assign(model_.nodes.size(), 0);
    std::vector<char> used(model_.nodes.size());
    for (const GraphEdge& edge : model_.edges) used[edge.from] = 1;
    // What has inputs is more than a label.
    for (const GraphEdge& edge : model_.edges) used[edge.to] = 0;
    for (uint32_t n = 0; n < model_.nodes.size(); ++n) {
      hidden_[n] = model_.nodes[n].stubOnly && used[n];
      if (hidden_[n]) continue;
      auto& nodes = level(model_.nodes[n].region).nodes;
      vertex_[n] = static_cast<uint32_t>(nodes.size());
      nodes.push_back(n);
    }
    for (uint32_t r = 0; r < model_.regions.size(); ++r) {
      depth_.push_back(depth(model_.regions[r].parent) + 1);
      level(model_.regions[r].parent).regions.push_back(r);
    }
    for (Level& one : levels_)
      for (uint32_t i = 0; i < one.regions.size(); ++i)
        regionVertex_[one.regions[i]] = static_cast<uint32_t>(one.nodes.size() + i);
    rankLevels();
  }

  struct Ends {
    int region;                 // the innermost one that holds both
    uint32_t from, to;          // vertices of its level
    bool fromInside, toInside;  // the end is in a region of that level
  };

  Ends endsOf(const GraphEdge& edge) const {
    int a = model_.nodes[edge.from].region, b = model_.nodes[edge.to].region;
    int belowA = kRoot, belowB = kRoot;
    while (a != b) {
      if (depth(a) >= depth(b)) {
        belowA = a, a = parent(a);
      } else {
        belowB = b, b = parent(b);
      }
    }
    return {a, belowA == kRoot ? vertex_[edge.from] : regionVertex_[static_cast<size_t>(belowA)],
            belowB == kRoot ? vertex_[edge.to] : regionVertex_[static_cast<size_t>(belowB)], belowA != kRoot,
            belowB != kRoot};
  }

  void rankLevels() {
    for (const GraphEdge& edge : model_.edges) {
      if (hidden_[edge.from] || edge.from == edge.to) continue;
      const Ends ends = endsOf(edge);
      if (ends.from != ends.to) level(ends.region).flat.edges.push_back({ends.from, ends.to});
      if (ends.toInside) anchor(edge.to, ends.region);
    }
    for (Level& one : levels_) {
      one.anchored.resize(one.nodes.size() + one.regions.size());
      one.flat.ranks = rankVertices(one.anchored.size(), one.flat.edges, one.anchored);
      for (int rank : one.flat.ranks) one.lastRank = std::max(one.lastRank, rank);
      one.flat.edges.clear();
    }
    for (uint32_t e = 0; e < model_.edges.size(); ++e) addEdge(e);
  }

  /// The node, and each region around it below `top`, has an input from outside.
  void anchor(uint32_t node, int top) {
    uint32_t vertex = vertex_[node];
    for (int r = model_.nodes[node].region; r != top; vertex = regionVertex_[static_cast<size_t>(r)], r = parent(r)) {
      Level& one = level(r);
      one.anchored.resize(one.nodes.size() + one.regions.size());
      one.anchored[vertex] = 1;
    }
  }

  /// A line where one can be followed by the eye, else a label beside the use.
  void addEdge(uint32_t index) {
    const GraphEdge& edge = model_.edges[index];
    if (edge.from == edge.to) return;
    const Ends ends = hidden_[edge.from] ? Ends{kRoot, 0, 0, false, false} : endsOf(edge);
    Level& at = level(ends.region);
    const bool isLine = !hidden_[edge.from] && ends.from != ends.to &&
                        at.flat.ranks[ends.to] - at.flat.ranks[ends.from] <= metrics_.options.maxSpan &&
                        (!ends.fromInside || isLast(edge.from, ends.region)) &&
                        (!ends.toInside || isFirst(edge.to, ends.region)) &&
                        (!(ends.fromInside || ends.toInside) || at.flat.ranks[ends.to] - at.flat.ranks[ends.from] == 1);
    if (!isLine) return addStub(edge);
    at.flat.edges.push_back({ends.from, ends.to});
    at.edges.push_back(index);
  }

  bool isFirst(uint32_t node, int top) {
    uint32_t vertex = vertex_[node];
    for (int r = model_.nodes[node].region; r != top; vertex = regionVertex_[static_cast<size_t>(r)], r = parent(r))
      if (level(r).flat.ranks[vertex] > 0) return false;
    return true;
  }

  bool isLast(uint32_t node, int top) {
    uint32_t vertex = vertex_[node];
    for (int r = model_.nodes[node].region; r != top; vertex = regionVertex_[static_cast<size_t>(r)], r = parent(r))
      if (level(r).flat.ranks[vertex] < level(r).lastRank) return false;
    return true;
  }

  void addStub(const GraphEdge& edge) {
    level(model_.nodes[edge.to].region).stubs.push_back(static_cast<uint32_t>(result_.stubs.size()));
    result_.stubs.push_back({edge.from, edge.to, {}});
  }

  bool layoutLevel(size_t index, const CancelToken& cancel) {
    Level& one = levels_[index];
    const LayoutOptions& options = metrics_.options;
    for (uint32_t n : one.nodes) one.flat.sizes.push_back(metrics_.sizes[n]);
    for (uint32_t r : one.regions) {
      const GraphSize inner = level(static_cast<int>(r)).layout.size;
      one.flat.sizes.push_back(
          {inner.width + 2 * options.regionPad, inner.height + 2 * options.regionPad + options.regionTitle});
    }
    makeRoomForStubs(one);
    auto layout = layoutFlat(one.flat, options, cancel);
    if (!layout) return false;
    one.layout = std::move(*layout);
    widenForTitle(index);
    return true;
  }

  /// Labels stand in a column left of the node that uses them, so no line to the node crosses them.
  void makeRoomForStubs(Level& one) {
    one.flat.leftPads.assign(one.flat.sizes.size(), 0);
    for (uint32_t s : one.stubs) {
      const StubBox& stub = result_.stubs[s];
      const GraphSize label = metrics_.stubSizes[stub.source];
      StubColumn& column = columns_[stub.target];
      column.height += label.height + (column.height > 0 ? stubGap() : 0);
      double& pad = one.flat.leftPads[vertex_[stub.target]];
      pad = std::max(pad, label.width + stubGap() * 3);
      double& height = one.flat.sizes[vertex_[stub.target]].height;
      height = std::max(height, column.height);
    }
  }

  double stubGap() const { return metrics_.options.regionPad * 0.3; }

  void placeStubs(const Level& one) {
    for (uint32_t s : one.stubs) {
      StubBox& stub = result_.stubs[s];
      const GraphSize label = metrics_.stubSizes[stub.source];
      const GraphRect& node = result_.nodes[stub.target];
      StubColumn& column = columns_[stub.target];
      stub.box = {node.x - stubGap() * 3 - label.width, node.y + node.height / 2 - column.height / 2 + column.filled,
                  label.width, label.height};
      column.filled += label.height + stubGap();
    }
  }

  void widenForTitle(size_t index) {
    if (index == 0) return;
    // About nine tenths of the title's height a letter is wide enough for its name.
    const double wanted =
        static_cast<double>(model_.regions[index - 1].title.size()) * metrics_.options.regionTitle * 0.5;
    GraphSize& size = levels_[index].layout.size;
    const double extra = wanted - size.width;
    if (extra <= 0) return;
    size.width = wanted;
    for (GraphPoint& p : levels_[index].layout.centers) p.x += extra / 2;
    for (auto& bends : levels_[index].layout.bends)
      for (GraphPoint& p : bends) p.x += extra / 2;
  }

  static GraphRect around(GraphPoint center, GraphSize size, GraphPoint origin) {
    return {origin.x + center.x - size.width / 2, origin.y + center.y - size.height / 2, size.width, size.height};
  }

  void place() {
    const LayoutOptions& options = metrics_.options;
    level(kRoot).origin = {options.regionPad, options.regionPad};
    result_.size = {level(kRoot).layout.size.width + 2 * options.regionPad,
                    level(kRoot).layout.size.height + 2 * options.regionPad};
    // A parent comes before its children, so its origin is known.
    for (Level& one : levels_) {
      size_t vertex = 0;
      auto next = [&] {
        const GraphRect box = around(one.layout.centers[vertex], one.flat.sizes[vertex], one.origin);
        ++vertex;
        return box;
      };
      for (uint32_t n : one.nodes) {
        // The cell may be taller than the node, for its labels.
        const GraphRect cell = next();
        const double height = metrics_.sizes[n].height;
        result_.nodes[n] = {cell.x, cell.y + (cell.height - height) / 2, cell.width, height};
      }
      for (uint32_t r : one.regions) {
        const GraphRect box = result_.regions[r] = next();
        level(static_cast<int>(r)).origin = {box.x + options.regionPad,
                                             box.y + options.regionPad + options.regionTitle};
      }
      placeStubs(one);
    }
  }

  void route() {
    for (Level& one : levels_) {
      for (size_t i = 0; i < one.edges.size(); ++i) {
        const GraphEdge& edge = model_.edges[one.edges[i]];
        EdgePath path{one.edges[i], {}};
        const GraphRect &from = result_.nodes[edge.from], &to = result_.nodes[edge.to];
        path.points.push_back({from.x + from.width / 2, from.bottom()});
        for (GraphPoint p : one.layout.bends[i]) path.points.push_back({p.x + one.origin.x, p.y + one.origin.y});
        path.points.push_back({to.x + to.width / 2, to.y});
        result_.edges.push_back(std::move(path));
      }
    }
    std::sort(result_.edges.begin(), result_.edges.end(), [](auto& a, auto& b) { return a.edge < b.edge; });
    spreadPorts(true);
    spreadPorts(false);
  }

  /// Lines that meet at one side of a node end beside each other, in the order in which they arrive.
  void spreadPorts(bool atTarget) {
    struct Port {
      uint32_t node;
      double x;
      size_t edge;
    };
    std::vector<Port> ports;
    for (size_t i = 0; i < result_.edges.size(); ++i) {
      const auto& points = result_.edges[i].points;
      const GraphEdge& edge = model_.edges[result_.edges[i].edge];
      ports.push_back({atTarget ? edge.to : edge.from, atTarget ? points[points.size() - 2].x : points[1].x, i});
    }
    std::sort(ports.begin(), ports.end(),
              [](auto& a, auto& b) { return std::tie(a.node, a.x, a.edge) < std::tie(b.node, b.x, b.edge); });
    for (size_t begin = 0; begin < ports.size();) {
      size_t end = begin;
      while (end < ports.size() && ports[end].node == ports[begin].node) ++end;
      const GraphRect& box = result_.nodes[ports[begin].node];
      const auto count = static_cast<double>(end - begin);
      const double step = std::min(box.width * 0.7 / count, box.height * 0.4);
      for (size_t i = begin; i < end; ++i) {
        auto& points = result_.edges[ports[i].edge].points;
        (atTarget ? points.back() : points.front()).x =
            box.x + box.width / 2 + (static_cast<double>(i - begin) - (count - 1) / 2) * step;
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
  GraphLayout result_;
  std::unordered_map<uint32_t, StubColumn> columns_;
  std::vector<Level> levels_;
  std::vector<int> depth_;
  std::vector<uint32_t> vertex_, regionVertex_;
  std::vector<char> hidden_;
};

}  // namespace

std::optional<GraphLayout> layoutGraph(const GraphModel& model, const GraphMetrics& metrics,
                                       const CancelToken& cancel) {
  return Composer(model, metrics).run(cancel);
}

}  // namespace rx
