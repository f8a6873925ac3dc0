// The canvas driven by keys and mouse; with RX_SCREENSHOTS set it leaves pictures in that folder.
#include "views/canvas/graph_canvas.h"

#include <QAccessible>
#include <QCoreApplication>
#include <QDir>
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>

#include "painted_texts.h"
#include "views/graph/layer_fold.h"

using namespace rx;

namespace {

struct Op {
  const char* title;
  const char* subtitle;
  OpKind kind;
};

GraphModel attention() {
  GraphModel m;
  m.regions.push_back({"dataflow 1", RegionKind::Dataflow, -1});
  const Op ops[] = {{"x", "(n, 512) f16", OpKind::Parameter},           {"q matmul", "(n, 512) f16", OpKind::Compute},
                    {"k matmul", "(n, 512) f16", OpKind::Compute},      {"v matmul", "(n, 512) f16", OpKind::Compute},
                    {"kt transpose", "(512, n) f16", OpKind::Movement}, {"s matmul2", "(n, n) f16", OpKind::Compute},
                    {"p softmax", "(n, n) f16", OpKind::Reduction},     {"o matmul3", "(n, 512) f16", OpKind::Compute},
                    {"gv matmul_add", "(n, 512) f16", OpKind::Compute}, {"print", "", OpKind::Impure}};
  for (const Op& op : ops) {
    GraphNode n;
    n.id = m.nodes.size() + 1;
    n.title = op.title, n.subtitle = op.subtitle, n.kind = op.kind;
    n.region = m.nodes.empty() || op.kind == OpKind::Impure ? -1 : 0;
    n.shape = m.nodes.empty() ? NodeShape::Pill : NodeShape::Box;
    n.impure = op.kind == OpKind::Impure;
    n.foldKey = n.title;
    m.nodes.push_back(n);
  }
  m.edges = {{0, 1}, {0, 2}, {0, 3}, {2, 4}, {1, 5}, {4, 5}, {5, 6}, {6, 7}, {3, 7}, {7, 8}, {8, 9}};
  for (const char* weight : {"wq", "wk", "wv"}) {
    GraphNode n;
    n.id = m.nodes.size() + 1;
    n.title = weight, n.kind = OpKind::Constant, n.stubOnly = true;
    m.edges.push_back({static_cast<uint32_t>(m.nodes.size()), static_cast<uint32_t>(m.nodes.size() - 9)});
    m.nodes.push_back(n);
  }
  return m;
}

GraphModel layers(uint32_t count) {
  GraphModel m;
  m.regions.push_back({"dataflow 1", RegionKind::Dataflow, -1});
  for (uint32_t i = 0; i < count; ++i) {
    GraphNode n;
    n.id = i + 1;
    n.title = "lv" + std::to_string(i) + " op" + std::to_string(i % 20);
    n.subtitle = "(n, 4096) f16";
    n.foldKey = "op" + std::to_string(i % 20);
    n.kind = static_cast<OpKind>(i % 20 % kOpKindCount);
    n.region = 0;
    m.nodes.push_back(n);
    if (i) m.edges.push_back({i - (i % 5 == 1 || i % 5 == 2 ? i % 5 : 1), i});
    if (i % 5 == 3) m.edges.push_back({i - 2, i});
    if (i >= 20 && i % 20 == 0) m.edges.push_back({i - 20, i});
  }
  return m;
}

}  // namespace

class GraphCanvasTest : public QObject {
  Q_OBJECT

  /// Letters within the box of a node: dark, also where they are smooth; frames and marks are blue.
  int inkIn(const QImage& image, uint64_t id) const {
    const QRect box = canvas_->rectOf(id).toAlignedRect().adjusted(2, 1, -2, -1) & image.rect();
    int inked = 0;
    for (int y = box.top(); y <= box.bottom(); ++y)
      for (int x = box.left(); x <= box.right(); ++x) {
        const QColor color = image.pixelColor(x, y);
        inked += color.red() < 150 && color.blue() < 150;
      }
    return inked;
  }

 private Q_SLOTS:
  void init() {
    canvas_ = std::make_unique<GraphCanvas>();
    canvas_->setTheme(Palette::lightTheme());
    canvas_->resize(520, 640);
    canvas_->show();
    canvas_->setFocus();
    QVERIFY(QTest::qWaitForWindowActive(canvas_.get()));
  }
  void clickSelects() {
    show(attention());
    QSignalSpy activated(canvas_.get(), &GraphCanvas::nodeActivated), entered(canvas_.get(), &GraphCanvas::nodeEntered);
    QTest::mouseClick(canvas_.get(), Qt::LeftButton, {}, canvas_->rectOf(6).center().toPoint());
    QCOMPARE(activated.count(), 1);
    QCOMPARE(activated[0][0].toULongLong(), 6ull);
    QCOMPARE(canvas_->selected(), 6u);
    QTest::mouseDClick(canvas_.get(), Qt::LeftButton, {}, canvas_->rectOf(7).center().toPoint());
    QCOMPARE(entered.count(), 1);
    QTest::mouseClick(canvas_.get(), Qt::LeftButton, {}, QPoint(2, 2));  // nothing is there
    QCOMPARE(canvas_->selected(), 6u);
    // A weight without a label is where its reader is; its label, when it is asked for, stands for it.
    QCOMPARE(canvas_->rectOf(11), canvas_->rectOf(2));
    canvas_->setWeightLabels(true);
    QTRY_VERIFY(!canvas_->busy());
    QVERIFY(canvas_->rectOf(11) != canvas_->rectOf(2));
    QTest::mouseClick(canvas_.get(), Qt::LeftButton, {}, canvas_->rectOf(11).center().toPoint());
    QCOMPARE(canvas_->selected(), 11u);
  }
  void arrowsFollowTheEdges() {
    show(attention());
    canvas_->setSelected(6);
    QTest::keyClick(canvas_.get(), Qt::Key_Down);
    QCOMPARE(canvas_->selected(), 7u);
    QTest::keyClick(canvas_.get(), Qt::Key_Up);
    QCOMPARE(canvas_->selected(), 6u);
    canvas_->setSelected(2);
    const double left = canvas_->rectOf(2).center().x();
    QTest::keyClick(canvas_.get(), Qt::Key_Right);
    QVERIFY(canvas_->selected() != 2u || canvas_->rectOf(2).center().x() > left - 1);
    canvas_->setSelected(0);
    QTest::keyClick(canvas_.get(), Qt::Key_Down);
    QCOMPARE(canvas_->selected(), 1u);
  }
  void zoomKeepsThePointUnderTheCursor() {
    show(attention());
    const QPointF at = canvas_->rectOf(6).center();
    QWheelEvent wheel(at, canvas_->mapToGlobal(at), {}, QPoint(0, 120), Qt::NoButton, Qt::ControlModifier,
                      Qt::NoScrollPhase, false);
    const double before = canvas_->scale();
    QCoreApplication::sendEvent(canvas_.get(), &wheel);
    QVERIFY(canvas_->scale() > before);
    QVERIFY((canvas_->rectOf(6).center() - at).manhattanLength() < 1);
    for (int i = 0; i < 100; ++i) QTest::keyClick(canvas_.get(), Qt::Key_Plus);
    QVERIFY(canvas_->scale() <= 4);
    QTest::keyClick(canvas_.get(), Qt::Key_Space);
    for (uint64_t id = 1; id <= 10; ++id) QVERIFY(QRectF(canvas_->rect()).contains(canvas_->rectOf(id)));
  }
  /// From afar narrow nodes that stand close together still say a word each.
  void narrowNodesHaveAWordFromAfar() {
    GraphModel model;
    for (const char* title : {"x", "q sine", "k exp", "v sum", "s sqrt", "t tanh", "u max", "w add"}) {
      GraphNode node;
      node.id = model.nodes.size() + 1;
      node.title = title;
      node.kind = OpKind::Compute;
      if (node.id > 1) node.chip = "s" + std::to_string(node.id) + " · 384 B";  // as in a lowered stage
      if (node.id > 1) model.edges.push_back({0, static_cast<uint32_t>(node.id - 1)});
      model.nodes.push_back(node);
    }
    canvas_->resize(760, 640);
    show(std::move(model));
    for (const double scale : {0.6, 0.45, 0.38}) {
      canvas_->zoomBy(scale / canvas_->scale());
      const QImage image = canvas_->grab().toImage();
      for (uint64_t id = 2; id <= 8; ++id) {
        const int inked = inkIn(image, id);
        QVERIFY2(inked > 5, qPrintable(QStringLiteral("node %1 at %2: %3").arg(id).arg(scale).arg(inked)));
      }
    }
  }
  /// A word that is a little wider than its box is written smaller in it, and not beside.
  void wordsAreSmallerBeforeTheyLeaveTheirBoxes() {
    canvas_->resize(760, 640);
    show(attention());
    canvas_->zoomBy(0.46 / canvas_->scale());
    const QImage image = canvas_->grab().toImage();
    for (uint64_t id = 2; id <= 9; ++id) {
      const int inked = inkIn(image, id);
      QVERIFY2(inked > 5, qPrintable(QStringLiteral("node %1: %2").arg(id).arg(inked)));
    }
  }
  /// What is made wider for its label stays in its frame and apart from its neighbours, its chip under it; a click on
  /// any of it means it.
  void framesHoldWhatIsWideFromAfar() {
    GraphModel model = attention();
    model.regions.push_back({"layers.0", RegionKind::Layer, 0});
    for (size_t n = 3; n < 9; ++n) {
      model.nodes[n].region = 1;
      model.nodes[n].chip = "alloc" + std::to_string(n) + " · 1,024 n² B";
    }
    canvas_->resize(900, 640);
    show(std::move(model));
    const LaidGraph& graph = *canvas_->graph();
    int wider = 0;
    for (const double scale : {0.7, 0.55, 0.45, 0.36, 0.3, 0.24}) {
      canvas_->zoomBy(scale / canvas_->scale());
      const FarView& far = *canvas_->farView();
      for (uint32_t n = 0; n < 10; ++n) {
        const QRectF box = canvas_->drawnBox(n);
        wider += box.width() > canvas_->rectOf(n + 1).width() + 1;
        for (uint32_t other = 0; other < n; ++other) QVERIFY(!box.intersects(canvas_->drawnBox(other)));
        for (int region = graph.model.nodes[n].region; region >= 0;
             region = graph.model.regions[static_cast<size_t>(region)].parent) {
          QVERIFY(canvas_->drawnRegion(static_cast<size_t>(region)).contains(box));
          if (const FarView::Chip* chip = far.chip(n)) {
            QVERIFY(far.region(static_cast<size_t>(region)).contains(chip->rect));
            QVERIFY(!far.box(n).intersects(chip->rect));
          }
        }
        for (const QPointF& at : {box.center() - QPointF(box.width() / 2 - 1, 0), box.center()})
          QCOMPARE(canvas_->idAt(at), uint64_t(n + 1));
      }
    }
    QVERIFY(wider > 10);
  }
  /// Regions have their names at every zoom, no letter of a label is left out, and where there is room for two lines
  /// the shape stands in the second.
  void labelsFromAfarAreWhole() {
    canvas_->resize(900, 640);
    show(attention());
    for (const double scale : {1.0, 0.71, 0.6, 0.5, 0.4, 0.3}) {
      canvas_->zoomBy(scale / canvas_->scale());
      QStringList texts;
      for (const test::PaintedText& text : test::paintedTexts(canvas_.get())) texts << text.text;
      const QString all = QStringLiteral("%1: %2").arg(scale).arg(texts.join('|'));
      QVERIFY2(texts.contains("dataflow 1"), qPrintable(all));
      QVERIFY2(texts.filter(QChar(0x2026)).isEmpty(), qPrintable(all));
      for (const char* operation : {"softmax", "matmul3", "matmul_add"})
        QVERIFY2(!texts.filter(operation).isEmpty(), qPrintable(all));
      if (scale >= 0.5) QVERIFY2(!texts.filter("(n, 512)").isEmpty(), qPrintable(all));
    }
  }
  /// The name of a frame stands where no line crosses its border, also where the first of them are at the left.
  void namesStandBesideLines() {
    GraphModel model;
    model.regions.push_back({"scope 1 · the function", RegionKind::Scope, -1, 0, -1, "scope 1"});
    for (const char* title : {"x", "y", "a", "b", "a wide one of all"}) {
      GraphNode node;
      node.id = model.nodes.size() + 1;
      node.title = title;
      node.region = node.id > 2 ? 0 : -1;
      model.nodes.push_back(node);
    }
    model.edges = {{0, 2}, {1, 3}, {2, 4}, {3, 4}};
    canvas_->resize(900, 640);
    show(std::move(model));
    for (const double scale : {1.0, 0.6, 0.45}) {
      canvas_->zoomBy(scale / canvas_->scale());
      for (const test::PaintedText& text : test::paintedTexts(canvas_.get())) {
        if (!text.text.startsWith("scope 1")) continue;
        for (const EdgePath& path : canvas_->graph()->layout.edges)
          for (const GraphPoint& point : path.points) QVERIFY(!text.rect.contains(canvas_->pointAt(point)));
      }
    }
  }
  void selectionFromElsewhereComesIntoView() {
    show(layers(400));
    for (uint64_t id = 1; id <= 400; ++id) QVERIFY(QRectF(canvas_->rect()).contains(canvas_->rectOf(id)));  // fitted
    canvas_->resetZoom();
    canvas_->reveal(1);
    QVERIFY(!QRectF(canvas_->rect()).contains(canvas_->rectOf(390)));
    canvas_->setSelected(390);
    QVERIFY(QRectF(canvas_->rect()).contains(canvas_->rectOf(390)));
    canvas_->setSelected(12345);  // not in the graph
    QVERIFY(canvas_->rectOf(12345).isNull());
  }
  void findWalksTheMatches() {
    show(attention());
    QCOMPARE(canvas_->find("MATMUL"), 6);
    QVERIFY(canvas_->findNext(1));
    QCOMPARE(canvas_->selected(), 2u);
    QVERIFY(canvas_->findNext(-1));
    QCOMPARE(canvas_->selected(), 9u);
    QCOMPARE(canvas_->find("nothing"), 0);
    QVERIFY(!canvas_->findNext(1));
  }
  void aNewModelReplacesARunningLayout() {
    QSignalSpy laid(canvas_.get(), &GraphCanvas::layoutChanged);
    canvas_->setModel(layers(20'000));
    QVERIFY(canvas_->busy());
    canvas_->setModel(attention());
    QTRY_VERIFY(!canvas_->busy());
    QCOMPARE(canvas_->graph()->model.nodes.size(), size_t(13));
    QTest::qWait(50);
    QCOMPARE(laid.count(), 1);
    canvas_->setModel(layers(20'000));
    canvas_->cancelLayout();
    QVERIFY(!canvas_->busy());
    canvas_->setModel(layers(5000));
    canvas_.reset();  // with the layout running
  }
  void aBrokenModelIsRefused() {
    GraphModel broken = attention();
    broken.edges.push_back({0, 4711});
    canvas_->setModel(broken);
    QTRY_VERIFY(!canvas_->busy());
    QVERIFY(canvas_->graph()->model.nodes.empty());
    canvas_->grab();
  }
  void nodesHaveNames() {
    show(attention());
    canvas_->setMarks({{6, {true, true, false, "(n, n) f16 · 2 Inf"}}});
    QAccessibleInterface* list = QAccessible::queryAccessibleInterface(canvas_.get());
    QVERIFY(list);
    QCOMPARE(list->childCount(), 13);
    QCOMPARE(list->child(5)->text(QAccessible::Name),
             QString("s matmul2, (n, n) f16 · 2 Inf, compute, error, current"));
    QVERIFY(!list->child(13));
    QVERIFY(list->child(9)->text(QAccessible::Name).contains("impure"));
  }
  /// Of a large graph that is wrong everywhere few notes can be read: each is made when it is looked at.
  void notesAreMadeWhenLookedAt() {
    show(attention());
    int asked = 0;
    const auto noteOf = [&asked](uint64_t id) {
      ++asked;
      return id == 6 ? QStringLiteral("2 Inf") : QString();
    };
    canvas_->setMarks({{6, {true, false, false}}, {7, {false, true, false}}, {8, {true, false, false}}}, noteOf);
    QCOMPARE(asked, 0);
    for (int i = 0; i < 2; ++i) {
      QCOMPARE(canvas_->mark(6)->note, QString("2 Inf"));
      QVERIFY(canvas_->mark(7)->note.isEmpty());  // it has no error
      QVERIFY(canvas_->mark(8)->note.isEmpty());
    }
    QCOMPARE(asked, 2);
  }
  void pictures() {
    show(attention());
    canvas_->setMarks({{6, {true, true, true, "(n, n) f16 · 2 Inf"}}});
    canvas_->setSelected(8);
    shoot("light");
    canvas_->setTheme(Palette::darkTheme());
    shoot("dark");
    QFont large = canvas_->font();
    large.setPointSizeF(large.pointSizeF() * 1.6);
    canvas_->setFont(large);
    QTRY_VERIFY(!canvas_->busy());
    shoot("dark160");
    canvas_->setFont(QFont());
    QTRY_VERIFY(!canvas_->busy());
    canvas_->setTheme(Palette::lightTheme());
    const GraphModel many = layers(400);
    show(many);
    shoot("many");
    canvas_->fit();
    shoot("fit");
    show(foldLayers(many, findLayers(many), {}).model);
    shoot("folded");
    canvas_->setPlaceholder("Open a module to see its graph.");
    show({});
    shoot("empty");
  }

 private:
  void show(GraphModel model) {
    canvas_->setModel(std::move(model));
    QTRY_VERIFY(!canvas_->busy());
  }
  void shoot(const QString& name) {
    const QString folder = qEnvironmentVariable("RX_SCREENSHOTS");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    QVERIFY(canvas_->grab().save(folder + "/graph_" + name + ".png"));
  }
  std::unique_ptr<GraphCanvas> canvas_;
};

QTEST_MAIN(GraphCanvasTest)
#include "graph_canvas_test.moc"
