// The layered layout and layer folding, without a window.
#include "views/canvas/graph_layout.h"

#include <QElapsedTimer>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>

#include "views/canvas/band_index.h"
#include "views/canvas/box_grid.h"
#include "views/canvas/layer_grid.h"
#include "views/graph/layer_fold.h"

using namespace rx;

namespace {

GraphNode node(uint64_t id, std::string title, int region = -1) {
  GraphNode n;
  n.id = id;
  n.title = std::move(title);
  n.foldKey = n.foldFamily = n.placeKey = n.title;
  n.region = region;
  return n;
}

GraphMetrics metricsFor(const GraphModel& model) {
  GraphMetrics metrics;
  for (const GraphNode& n : model.nodes) {
    metrics.sizes.push_back({60 + 7.0 * static_cast<double>(n.title.size()), 34});
    metrics.stubSizes.push_back({30, 16});
  }
  return metrics;
}

GraphLayout layoutOf(const GraphModel& model) {
  auto layout = layoutGraph(model, metricsFor(model), CancelToken());
  if (!layout) qFatal("cancelled");
  return std::move(*layout);
}

/// No two boxes overlap, every node and stub is inside its region and outside all others, all is inside the size.
void verifyLayout(const GraphModel& model, const GraphLayout& layout) {
  std::vector<std::pair<GraphRect, int>> boxes;
  for (size_t n = 0; n < model.nodes.size(); ++n)
    if (layout.nodes[n].width > 0) boxes.push_back({layout.nodes[n], model.nodes[n].region});
  for (const StubBox& stub : layout.stubs) boxes.push_back({stub.box, model.nodes[stub.target].region});
  std::sort(boxes.begin(), boxes.end(), [](auto& a, auto& b) { return a.first.y < b.first.y; });
  const GraphRect all{0, 0, layout.size.width, layout.size.height};
  for (size_t i = 0; i < boxes.size(); ++i) {
    QVERIFY(all.contains(boxes[i].first));
    for (size_t j = i + 1; j < boxes.size() && boxes[j].first.y < boxes[i].first.bottom(); ++j)
      QVERIFY2(!boxes[i].first.overlaps(boxes[j].first), "two boxes overlap");
    for (size_t r = 0; r < model.regions.size(); ++r) {
      bool inside = false;
      for (int up = boxes[i].second; up != -1; up = model.regions[static_cast<size_t>(up)].parent)
        inside |= up == static_cast<int>(r);
      QCOMPARE(layout.regions[r].contains(boxes[i].first), inside);
      QCOMPARE(layout.regions[r].overlaps(boxes[i].first), inside);
    }
  }
}

GraphModel attention() {
  GraphModel m;
  m.regions.push_back({"dataflow 1", RegionKind::Dataflow, -1});
  m.nodes = {node(1, "x")};
  for (const char* name : {"q matmul", "k matmul", "v matmul", "kt transpose", "s matmul2", "p softmax", "o matmul3"})
    m.nodes.push_back(node(m.nodes.size() + 1, name, 0));
  m.edges = {{0, 1}, {0, 2}, {0, 3}, {2, 4}, {1, 5}, {4, 5}, {5, 6}, {6, 7}, {3, 7}};
  return m;
}

GraphModel transformer(uint32_t layers, uint32_t perLayer) {
  GraphModel m;
  m.regions.push_back({"dataflow 1", RegionKind::Dataflow, -1});
  m.nodes.push_back(node(1, "x"));
  GraphNode mask = node(2, "mask");
  mask.stubOnly = true;
  m.nodes.push_back(mask);
  m.nodes[0].foldKey.clear(), m.nodes[1].foldKey.clear();
  uint32_t previous = 0;
  for (uint32_t l = 0; l < layers; ++l) {
    const uint32_t first = static_cast<uint32_t>(m.nodes.size());
    for (uint32_t i = 0; i < perLayer; ++i) {
      m.nodes.push_back(node(m.nodes.size() + 1, "op" + std::to_string(i), 0));
      const uint32_t at = static_cast<uint32_t>(m.nodes.size() - 1);
      m.edges.push_back({i < 3 ? previous : i == 3 ? first : at - 1, at});
      if (i == 3) m.edges.push_back({first + 1, at}), m.edges.push_back({1, at});
      if (i == 4) m.edges.push_back({first + 2, at});
      if (i + 1 == perLayer) m.edges.push_back({previous, at});
    }
    previous = static_cast<uint32_t>(m.nodes.size() - 1);
  }
  return m;
}

}  // namespace

class GraphLayoutTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// What a paint asks of very many boxes, beside a look at each of them.
  void indexesOfBoxesTellWhatALookAtEachTells() {
    std::mt19937 random(7);
    const auto in = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
    const QRectF view(0, 0, 400, 300);
    std::vector<QRectF> boxes{QRectF(), view.adjusted(-50, -50, 50, 50), QRectF(20, 20, 0, 10)};
    // Those of a graph from nearby, from afar, and out of sight.
    for (int i = 0; i < 300; ++i) boxes.emplace_back(in(-100, 450), in(-100, 350), in(0, 60), in(0, 20));
    for (int i = 0; i < 300; ++i) boxes.emplace_back(in(0, 400), in(0, 300), 0.2, 0.1);
    BandIndex bands(view.height(), boxes.size());
    for (uint32_t i = 0; i < boxes.size(); ++i) bands.add(i, boxes[i].top(), boxes[i].bottom());
    const std::vector<QRectF> some(boxes.begin() + 3, boxes.end());
    const BoxGrid grid(view, 16, boxes), sparse(view, 16, some);
    for (int i = 0; i < 2000; ++i) {
      const QRectF rect(in(0, 360), in(0, 280), in(0.5, 40), in(0.5, 20));
      const auto own = static_cast<size_t>(i) % boxes.size();
      const auto meets = [&](const std::vector<QRectF>& all) {
        for (size_t b = 0; b < all.size(); ++b)
          if (b != own && all[b].intersects(rect)) return true;
        return false;
      };
      QCOMPARE(grid.meets(rect, own), meets(boxes));
      QCOMPARE(sparse.meets(rect, own), meets(some));
      const std::vector<uint32_t> near = bands.between(rect.top(), rect.bottom());
      QVERIFY(std::is_sorted(near.begin(), near.end(), std::less_equal<>()));  // each once
      for (uint32_t b = 0; b < boxes.size(); ++b)
        if (boxes[b].bottom() >= rect.top() && boxes[b].top() <= rect.bottom())
          QVERIFY(std::binary_search(near.begin(), near.end(), b));
    }
  }

  void nothing() {
    const GraphLayout layout = layoutOf(GraphModel());
    QVERIFY(layout.nodes.empty() && layout.edges.empty());
  }
  void flowsDown() {
    const GraphModel model = attention();
    const GraphLayout layout = layoutOf(model);
    verifyLayout(model, layout);
    QCOMPARE(layout.edges.size(), model.edges.size());
    QVERIFY(layout.stubs.empty());
    for (const GraphEdge& e : model.edges) QVERIFY(layout.nodes[e.from].bottom() < layout.nodes[e.to].y);
  }
  void linesEndAtTheirNodes() {
    const GraphModel model = attention();
    const GraphLayout layout = layoutOf(model);
    for (const EdgePath& path : layout.edges) {
      const GraphEdge& edge = model.edges[path.edge];
      const GraphRect &from = layout.nodes[edge.from], &to = layout.nodes[edge.to];
      QCOMPARE(path.points.front().y, from.bottom());
      QCOMPARE(path.points.back().y, to.y);
      QVERIFY(path.points.front().x > from.x && path.points.front().x < from.right());
      QVERIFY(path.points.back().x > to.x && path.points.back().x < to.right());
    }
  }
  void aChainIsStraight() {
    GraphModel m;
    for (uint32_t i = 0; i < 100; ++i) {
      m.nodes.push_back(node(i + 1, std::string(1 + i % 7, 'a')));
      if (i) m.edges.push_back({i - 1, i});
    }
    const GraphLayout layout = layoutOf(m);
    const double axis = layout.nodes[0].x + layout.nodes[0].width / 2;
    for (const GraphRect& box : layout.nodes) QVERIFY(std::abs(box.x + box.width / 2 - axis) < 1e-6);
  }
  void aLongGraphDoesNotDrift() {
    const GraphModel m = transformer(100, 20);
    const GraphLayout layout = layoutOf(m);
    QVERIFY2(layout.size.width < 2000, qPrintable(QString::number(layout.size.width)));
  }
  void manyLabelsOfOneNode() {
    GraphModel m;
    m.nodes = {node(1, "concat"), node(2, "next")};
    m.edges = {{0, 1}};
    for (uint32_t i = 0; i < 30; ++i) {
      GraphNode weight = node(10 + i, "w");
      weight.stubOnly = true;
      m.edges.push_back({static_cast<uint32_t>(m.nodes.size()), 0});
      m.nodes.push_back(weight);
    }
    const GraphLayout layout = layoutOf(m);
    verifyLayout(m, layout);
    QCOMPARE(layout.stubs.size(), size_t(30));
  }
  void crossingsAreRemoved() {
    // Two layers wired in reverse order: sorting removes all crossings.
    FlatGraph flat;
    for (uint32_t i = 0; i < 20; ++i) flat.sizes.push_back({40, 20});
    for (uint32_t i = 0; i < 10; ++i) flat.edges.push_back({i, 19 - i});
    flat.ranks = rankVertices(20, flat.edges);
    LayerGrid grid(flat, {});
    QCOMPARE(grid.crossings(), uint64_t(45));
    QVERIFY(grid.order(CancelToken()));
    QCOMPARE(grid.crossings(), uint64_t(0));
  }
  void weightsBecomeLabels() {
    GraphModel m = attention();
    GraphNode weight = node(50, "w");
    weight.stubOnly = true;
    m.nodes.push_back(weight);
    const uint32_t w = static_cast<uint32_t>(m.nodes.size() - 1);
    m.edges.push_back({w, 1}), m.edges.push_back({w, 7});
    GraphNode unused = node(51, "unused");
    unused.stubOnly = true;
    m.nodes.push_back(unused);
    const GraphLayout layout = layoutOf(m);
    verifyLayout(m, layout);
    QCOMPARE(layout.stubs.size(), size_t(2));
    QCOMPARE(layout.nodes[w].width, 0.0);
    QVERIFY(layout.nodes[w + 1].width > 0);  // without a use it would vanish
    QCOMPARE(layout.stubs[0].target, 1u);
    QVERIFY(layout.stubs[0].box.right() < layout.nodes[1].x);
  }
  void longEdgesBecomeLabels() {
    GraphModel m;
    for (uint32_t i = 0; i < 60; ++i) {
      m.nodes.push_back(node(i + 1, "a"));
      if (i) m.edges.push_back({i - 1, i});
    }
    m.edges.push_back({0, 30});  // 30 ranks: a line
    m.edges.push_back({0, 59});  // 59 ranks: a label
    const GraphLayout layout = layoutOf(m);
    verifyLayout(m, layout);
    QCOMPARE(layout.stubs.size(), size_t(1));
    QCOMPARE(layout.stubs[0].target, 59u);
    QCOMPARE(layout.edges.size(), m.edges.size() - 1);
  }
  /// Lines of one value into one region are one line as far as its border.
  void linesIntoARegionLeaveTogether() {
    GraphModel m;
    m.regions = {{"dataflow 1", RegionKind::Dataflow, -1}};
    m.nodes = {node(1, "x"), node(2, "q", 0), node(3, "k", 0), node(4, "v", 0), node(5, "outside")};
    m.edges = {{0, 1}, {0, 2}, {0, 3}, {0, 4}};
    const GraphLayout layout = layoutOf(m);
    std::set<double> inside, all;
    for (const EdgePath& path : layout.edges) {
      const double x = path.points.front().x;
      all.insert(x);
      if (m.edges[path.edge].to != 4) inside.insert(x);
    }
    QCOMPARE(inside.size(), 1U);
    QCOMPARE(all.size(), 2U);
  }

  /// A value that goes on beside a long region does not run through it, nor does one from or to what stands beside it.
  void linesPassBesideARegion() {
    GraphModel m;
    m.regions = {{"block", RegionKind::Layer, -1}};
    m.nodes = {node(1, "x")};
    for (uint32_t i = 0; i < 12; ++i) {
      m.nodes.push_back(node(m.nodes.size() + 1, "a long name of an operation", 0));
      m.edges.push_back({i, i + 1});
    }
    for (const char* name : {"beside", "below", "further"}) m.nodes.push_back(node(m.nodes.size() + 1, name));
    m.edges.insert(m.edges.end(), {{0, 13}, {13, 14}, {12, 14}, {14, 15}, {0, 15}, {0, 14}});
    const GraphLayout layout = layoutOf(m);
    verifyLayout(m, layout);
    const GraphRect& box = layout.regions[0];
    for (const EdgePath& path : layout.edges) {
      const GraphEdge& edge = m.edges[path.edge];
      if (m.nodes[edge.from].region == 0 || m.nodes[edge.to].region == 0) continue;
      for (size_t i = 0; i + 1 < path.points.size(); ++i)
        for (int step = 1; step < 20; ++step) {
          // Lines leave and reach each point downwards.
          const double t = step / 20.0, blend = t * t * (3 - 2 * t);
          const GraphPoint &a = path.points[i], &b = path.points[i + 1];
          const double x = a.x + (b.x - a.x) * blend, y = a.y + (b.y - a.y) * t;
          QVERIFY2(!(x > box.x && x < box.right() && y > box.y && y < box.bottom()),
                   qPrintable(QStringLiteral("edge %1 to %2").arg(edge.from).arg(edge.to)));
        }
    }
  }
  /// Inputs stand in one row, whatever is around their readers and however far down these are.
  void inputsStandInOneRow() {
    GraphModel m;
    for (const char* name : {"x", "mask"}) {
      m.nodes.push_back(node(m.nodes.size() + 1, name));
      m.nodes.back().kind = OpKind::Parameter;
    }
    for (uint32_t i = 2; i < 8; ++i) {
      m.nodes.push_back(node(i + 1, "a"));
      m.edges.push_back({i == 2 ? 0 : i - 1, i});
    }
    m.edges.push_back({1, 6});
    const GraphLayout layout = layoutOf(m);
    QCOMPARE(layout.nodes[1].y, layout.nodes[0].y);
  }

  void regionsInRegions() {
    GraphModel m;
    m.regions = {{"if", RegionKind::Function, -1},
                 {"true", RegionKind::Branch, 0},
                 {"false", RegionKind::Branch, 0},
                 {"dataflow", RegionKind::Dataflow, 1},
                 {"a region without nodes", RegionKind::Branch, -1}};
    m.nodes = {node(1, "c"), node(2, "a", 3), node(3, "b", 3), node(4, "d", 2), node(5, "phi"), node(6, "e", 1)};
    m.edges = {{0, 1}, {1, 2}, {0, 3}, {2, 4}, {3, 4}, {2, 5}};
    const GraphLayout layout = layoutOf(m);
    verifyLayout(m, layout);
    QVERIFY(layout.regions[0].contains(layout.regions[1]) && layout.regions[0].contains(layout.regions[2]));
    QVERIFY(layout.regions[1].contains(layout.regions[3]));
    QVERIFY(!layout.regions[1].overlaps(layout.regions[2]));
  }
  void deepRegions() {
    GraphModel m;
    for (int i = 0; i < 2000; ++i) m.regions.push_back({"r", RegionKind::Branch, i - 1});
    m.nodes = {node(1, "outer"), node(2, "inner", 1999)};
    m.edges = {{0, 1}};
    const GraphLayout layout = layoutOf(m);
    QVERIFY(layout.regions[0].contains(layout.nodes[1]));
  }
  void cyclesAndLoopsAreDrawn() {
    GraphModel m;
    m.nodes = {node(1, "a"), node(2, "b"), node(3, "c")};
    m.edges = {{0, 1}, {1, 2}, {2, 0}, {1, 1}};
    const GraphLayout layout = layoutOf(m);
    verifyLayout(m, layout);
    QCOMPARE(layout.edges.size(), size_t(3));
  }
  void randomGraphsNeverOverlap() {
    std::mt19937 random(7);
    for (int round = 0; round < 60; ++round) {
      GraphModel m;
      const int regions = static_cast<int>(random() % 4);
      for (int r = 0; r < regions; ++r)
        m.regions.push_back(
            {"region", RegionKind::Dataflow, r ? static_cast<int>(random() % static_cast<unsigned>(r + 1)) - 1 : -1});
      const uint32_t count = 1 + random() % 60;
      for (uint32_t i = 0; i < count; ++i) {
        m.nodes.push_back(node(i + 1, std::string(1 + random() % 12, 'x'),
                               static_cast<int>(random() % static_cast<unsigned>(regions + 1)) - 1));
        m.nodes.back().stubOnly = random() % 9 == 0;
        for (uint32_t e = 0; i && e < random() % 4; ++e) m.edges.push_back({static_cast<uint32_t>(random() % i), i});
      }
      const GraphLayout layout = layoutOf(m);
      verifyLayout(m, layout);
      QCOMPARE(layout.edges.size() + layout.stubs.size(), m.edges.size());
    }
  }
  void sameInputSameLayout() {
    const GraphModel m = transformer(20, 20);
    const GraphLayout a = layoutOf(m), b = layoutOf(m);
    for (size_t n = 0; n < m.nodes.size(); ++n) QVERIFY(a.nodes[n].x == b.nodes[n].x && a.nodes[n].y == b.nodes[n].y);
  }
  void tenThousandNodes() {
    const GraphModel m = transformer(500, 20);
    const GraphMetrics metrics = metricsFor(m);
    QElapsedTimer timer;
    timer.start();
    const auto layout = layoutGraph(m, metrics, CancelToken());
    qInfo("%zu nodes in %lld ms", m.nodes.size(), static_cast<long long>(timer.elapsed()));
    verifyLayout(m, *layout);
    QCOMPARE(layout->edges.size() + layout->stubs.size(), m.edges.size());
  }
  void cancelled() {
    CancelToken token;
    token.cancel();
    const GraphModel m = attention();
    QVERIFY(!layoutGraph(m, metricsFor(m), token));
  }
  void layersFold() {
    const GraphModel m = transformer(12, 20);
    const auto runs = findLayers(m);
    // The layers, and what is left over at an end.
    const auto layers = std::find_if(runs.begin(), runs.end(), [](const LayerRun& run) { return run.repeats > 1; });
    QVERIFY(layers != runs.end() && runs.size() <= 2);
    QCOMPARE(layers->period, 20u);
    QVERIFY(layers->repeats >= 11);
    QCOMPARE(layers->names.size(), size_t(layers->repeats));
    for (const LayerRun& run : runs)
      if (run.repeats == 1) QVERIFY(run.names == std::vector<std::string>{run.begin < layers->begin ? "stem" : "head"});
    const FoldedGraph folded = foldLayers(m, runs, {});
    QVERIFY(folded.model.fault().empty());
    QVERIFY(folded.model.nodes.size() < 30);
    QCOMPARE(folded.keyOf.size(), runs.size());
    const FoldedGraph open = foldLayers(m, runs, allFoldKeys(m, runs));
    QCOMPARE(open.model.nodes.size(), m.nodes.size());
    QCOMPARE(open.model.edges.size(), m.edges.size());
    verifyLayout(folded.model, layoutOf(folded.model));
  }
  void whatDoesNotRepeatStays() {
    QVERIFY(findLayers(attention()).empty());
    GraphModel keyless = transformer(12, 20);
    for (GraphNode& n : keyless.nodes) n.foldKey.clear();
    QVERIFY(findLayers(keyless).empty());
    GraphModel rewired = transformer(12, 4);  // same operations, other wiring in each layer
    for (uint32_t i = 0; i < rewired.edges.size(); ++i) rewired.edges[i].from = (i * 7919) % (rewired.edges[i].to);
    QVERIFY(findLayers(rewired).empty());
  }
  void faultsAreNamed() {
    GraphModel m = attention();
    QVERIFY(m.fault().empty());
    m.edges.push_back({0, 99});
    QVERIFY(!m.fault().empty());
    m = attention();
    m.nodes[2].id = m.nodes[1].id;
    QVERIFY(!m.fault().empty());
    m = attention();
    m.nodes[2].region = 5;
    QVERIFY(!m.fault().empty());
    m = attention();
    m.regions[0].parent = 0;
    QVERIFY(!m.fault().empty());
  }
};

QTEST_MAIN(GraphLayoutTest)
#include "graph_layout_test.moc"
