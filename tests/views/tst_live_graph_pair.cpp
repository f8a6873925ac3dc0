// Two graphs of one function side by side, commands that act on the graph in use, and what a search lights in it.
#include <QApplication>
#include <QDockWidget>
#include <QWheelEvent>

#include "live_bench.h"
#include "networks.h"
#include "tab_bench.h"
#include "views/canvas/graph_lit.h"
#include "views/panels/graph/graph_panel.h"
#include "views/shell/dock_area.h"

using namespace rx;
using namespace rx::views;

namespace {

GraphPanel& graphOf(LiveBench& bench, const QString& id = "graph") {
  return *static_cast<GraphPanel*>(bench.window.panel(id));
}
GraphCanvas& canvasOf(LiveBench& bench, const QString& id = "graph") { return *graphOf(bench, id).canvas(); }

uint64_t idTitled(const GraphCanvas& canvas, const QString& start) {
  for (const GraphNode& node : canvas.graph()->model.nodes)
    if (QString::fromStdString(node.title).startsWith(start)) return node.id;
  return 0;
}

/// Neither is a tab over the other; how Qt has laid them out is asked once it has done so.
bool standBeside(MainWindow& window) {
  const auto dockOf = [&](const QString& id) {
    QWidget* at = window.panel(id);
    while (at && !qobject_cast<QDockWidget*>(at)) at = at->parentWidget();
    return static_cast<QDockWidget*>(at);
  };
  QDockWidget *left = dockOf("graph"), *right = dockOf("graph.2");
  if (!left || !right || window.docks().tabifiedDockWidgets(left).contains(right)) return false;
  QCoreApplication::processEvents();
  return left->isVisible() && right->isVisible() && left->geometry().right() < right->geometry().left();
}

/// By signs of the tints, which is what the eye is told.
int countSigns(const GraphCanvas& canvas, TintSign sign) {
  int count = 0;
  for (const GraphNode& node : canvas.graph()->model.nodes)
    if (const NodeTint* tint = canvas.tint(node.id); tint && tint->sign == sign) ++count;
  return count;
}

/// A stage as a compiler dumped it, with these lines in its block.
QByteArray dumpOf(const char* lines) {
  return QByteArray(
             "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
             "    @R.function\n    def main(x: R.Tensor((4, 4), dtype=\"float32\")):\n"
             "        with R.dataflow():\n            kept = R.nn.relu(x)\n") +
         lines + "            R.output(more)\n        return more\n";
}

}  // namespace

class LiveGraphPairTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// Each graph keeps its stage; what went is marked in the earlier one, what came in the later.
  void bothStagesAreColoured_data() {
    QTest::addColumn<int>("width");
    QTest::newRow("wide") << 1600;
    QTest::newRow("narrow, where the graph is a tab") << 1024;
  }
  void bothStagesAreColoured() {
    QFETCH(int, width);
    QTemporaryDir folder;
    QVERIFY(write(folder.filePath("00_before.py"),
                  dumpOf("            unused = R.sigmoid(x)\n            more = R.tanh(kept)\n")));
    QVERIFY(write(folder.filePath("01_after.py"),
                  dumpOf("            fresh = R.exp(kept)\n            more = R.tanh(fresh)\n")));
    LiveBench bench;
    bench.window.resize(width, 1000);
    QVERIFY(bench.does("file.open", {folder.path()}));
    QVERIFY(bench.does("pass.goTo", {"1"}));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("diff.graphs"));
    GraphCanvas &left = canvasOf(bench), &right = canvasOf(bench, "graph.2");
    QVERIFY(left.isVisible() && right.isVisible());
    QVERIFY(standBeside(bench.window));
    QVERIFY(idTitled(left, "unused") && !idTitled(right, "unused"));
    const NodeTint* gone = left.tint(idTitled(left, "unused"));
    QVERIFY(gone && gone->sign == TintSign::Minus);
    QCOMPARE(countSigns(left, TintSign::Minus), 1);
    const NodeTint* come = right.tint(idTitled(right, "fresh"));
    QVERIFY(come && come->sign == TintSign::Plus);
    QCOMPARE(countSigns(right, TintSign::Plus), 1);
    QCOMPARE(countSigns(right, TintSign::Wave), 1);  // `more` reads something else
    const NodeTint* kept = right.tint(idTitled(right, "kept"));
    QVERIFY(kept && kept->sign == TintSign::None);
    QVERIFY2(graphOf(bench).dump().contains("unused sigmoid  (4, 4) f32  removed"), qPrintable(graphOf(bench).dump()));
  }

  /// In a tab of the frame too, whatever stands behind the graph as a closed tab.
  void beginBesideEachOther_data() {
    QTest::addColumn<QString>("layout");
    QTest::newRow("as it begins") << QString();
    for (const char* layout : {"Read", "Debug"}) QTest::newRow(layout) << QString::fromLatin1(layout);
  }
  void beginBesideEachOther() {
    QFETCH(QString, layout);
    TabBench bench;
    bench.tabs.resize(1600, 1000);
    QVERIFY(bench.does("file.open", {kSamples + "decoder"}));
    if (!layout.isEmpty()) QVERIFY(bench.does("view.layout", {layout}));
    QVERIFY(bench.does("pass.goTo", {"5"}));
    QVERIFY(bench.does("diff.graphs"));
    QVERIFY(standBeside(bench.tabs.current()));
  }

  void loweringChangesNodes() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(!bench.window.run("diff.graphs"));  // nothing comes before the import
    QVERIFY(bench.does("pass.goTo", {"4"}));
    QVERIFY(!bench.window.run("diff.graphs", {"4"}));
    QVERIFY(!bench.window.run("diff.graphs", {"400"}));
    QVERIFY(bench.does("diff.graphs", {"0"}));
    GraphCanvas &left = canvasOf(bench), &right = canvasOf(bench, "graph.2");
    QVERIFY(countSigns(left, TintSign::Wave) > 5);
    QCOMPARE(countSigns(left, TintSign::Wave), countSigns(right, TintSign::Wave));
    QCOMPARE(countSigns(left, TintSign::Minus), 0);
  }

  /// A click in one selects in the other and in the window; where one looks the other looks.
  void selectionAndCentreAreLinked() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("pass.goTo", {"9"}));
    QVERIFY(bench.does("diff.graphs", {"0"}));
    GraphCanvas &left = canvasOf(bench), &right = canvasOf(bench, "graph.2");
    const uint64_t mixed = idTitled(left, "mixed ");
    QVERIFY(mixed);
    QTest::mouseClick(&left, Qt::LeftButton, {}, left.rectOf(mixed).center().toPoint());
    QVERIFY(bench.settle());
    QCOMPARE(left.selected(), mixed);
    QCOMPARE(right.selected(), idTitled(right, "mixed "));
    QCOMPARE(bench.selection.place().stage, 9);
    QCOMPARE(bench.selection.place().variable, QString("mixed"));
    // And back: from the window into both.
    QVERIFY(bench.does("select.binding", {"scores"}));
    QCOMPARE(left.selected(), idTitled(left, "scores "));
    QCOMPARE(right.selected(), idTitled(right, "scores "));
    // Zooming and panning one moves the other to the same node.
    left.zoomBy(4);
    QCOMPARE(right.scale(), left.scale());
    QWheelEvent wheel(left.rect().center(), left.mapToGlobal(left.rect().center()), {}, {0, -240}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&left, &wheel);
    const std::string key = left.anchor().key;
    QVERIFY(!key.empty());
    QCOMPARE(right.anchor().key, key);
    QVERIFY((right.anchor().offset - left.anchor().offset).manhattanLength() < 4);
  }

  /// The pair ends when its second graph is closed: the first one follows the window again.
  void closingEndsThePair() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("pass.goTo", {"4"}));
    QVERIFY(bench.does("diff.graphs"));
    QVERIFY(bench.window.docks().lockOf(&graphOf(bench)));
    QVERIFY(bench.does("diff.graphs", {"0"}));  // again, of other stages: the same two panels
    QVERIFY(!bench.window.panel("graph.3"));
    QVERIFY(bench.does("view.closePanel", {"graph.2"}));
    QVERIFY(!bench.window.panel("graph.2"));
    QVERIFY(!bench.window.docks().lockOf(&graphOf(bench)));
    QCOMPARE(countSigns(canvasOf(bench), TintSign::Wave), 0);
    QVERIFY(bench.does("pass.goTo", {"0"}));
    QVERIFY(graphOf(bench).dump().contains("matmul"));
  }

  /// View > Graph acts on the graph that has the focus or had it last, not on the first one.
  void commandsActOnTheGraphInUse() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("panel.duplicate", {"graph"}));
    QVERIFY(bench.does("panel.float", {"graph.2"}));
    QVERIFY(bench.does("view.panel", {"graph"}));
    GraphCanvas &first = canvasOf(bench), &second = canvasOf(bench, "graph.2");
    const double before = second.scale();
    QVERIFY(bench.does("graph.zoomIn"));
    QVERIFY(first.scale() > 0);
    QCOMPARE(second.scale(), before);
    QVERIFY(bench.does("view.panel", {"graph.2"}));
    const double kept = first.scale();
    QVERIFY(bench.does("graph.zoomIn"));
    QVERIFY(second.scale() > before);
    QCOMPARE(first.scale(), kept);
    // Still so when the text has the focus.
    QVERIFY(bench.does("view.panel", {"ir"}));
    const double now = second.scale();
    QVERIFY(bench.does("graph.zoomIn"));
    QVERIFY(second.scale() > now);
    QCOMPARE(first.scale(), kept);
    // A graph that is gone is not meant any more.
    QVERIFY(bench.does("view.closePanel", {"graph.2"}));
    QVERIFY(bench.does("graph.zoomIn"));
    QVERIFY(first.scale() != kept);
  }

  /// All calls of an operator have a halo, in whatever stage is shown; what is out of sight is counted at the border.
  void callsAreLit() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("select.function", {"main"}));
    GraphCanvas& canvas = canvasOf(bench);
    QVERIFY(canvas.lit().empty());
    QVERIFY(bench.does("search.calls", {"matmul"}));
    const FunctionRow& main = *bench.document.stage(0)->function("main");
    const auto matmuls = std::count_if(main.bindings.begin(), main.bindings.end(),
                                       [](const BindingRow& row) { return row.label == "matmul"; });
    QCOMPARE(static_cast<qsizetype>(canvas.lit().size()), static_cast<qsizetype>(matmuls));
    QVERIFY(litPills(canvas).empty());  // all of it is in sight
    QVERIFY(bench.does("view.panel", {"graph"}));
    QVERIFY(bench.does("graph.zoomIn") && bench.does("graph.zoomIn"));
    canvas.zoomBy(6);
    const auto inSight = std::count_if(canvas.lit().begin(), canvas.lit().end(), [&](uint32_t n) {
      return canvas.rectAt(canvas.graph()->layout.nodes[n]).intersects(canvas.viewRect());
    });
    int counted = 0;
    for (const LitPill& pill : litPills(canvas)) counted += pill.hits;
    QCOMPARE(counted + static_cast<int>(inSight), static_cast<int>(matmuls));
    QVERIFY(counted > 0);
    // A pill leads to what it counts; F3 walks from one to the next, each once.
    const LitPill pill = litPills(canvas).front();
    const uint64_t nearest = canvas.graph()->model.nodes[pill.nearest].id;
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, pill.rect.center().toPoint());
    QCOMPARE(canvas.selected(), nearest);
    std::set<uint64_t> walked;
    for (qsizetype i = 0; i < matmuls; ++i) {
      QTest::keyClick(&canvas, Qt::Key_F3);
      walked.insert(canvas.selected());
      QVERIFY(canvas.viewRect().intersects(canvas.rectOf(canvas.selected())));
      QCOMPARE(bench.selection.place().function, QString("main"));
    }
    QCOMPARE(static_cast<qsizetype>(walked.size()), static_cast<qsizetype>(matmuls));
    // Another operator, and none.
    QVERIFY(bench.does("search.light", {"permute_dims"}));
    QVERIFY(!canvas.lit().empty());
    QVERIFY(bench.does("search.light", {"permute_dims"}));
    QVERIFY(canvas.lit().empty());
  }

  /// A folded block says how many hits are in it; the next stage has its own.
  void foldedBlocksCountTheirHits() {
    QTemporaryDir folder;
    const QString file = folder.filePath("resnet.py");
    QVERIFY(write(file, ResNetText(true).write({2, 2})));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {file}));
    QVERIFY(bench.does("select.function", {"main"}));
    GraphCanvas& canvas = canvasOf(bench);
    QVERIFY(bench.does("search.calls", {"nn.conv2d"}));
    QCOMPARE(canvas.hitsOf(idTitled(canvas, "layer2.0")), 4);
    QCOMPARE(canvas.hitsOf(idTitled(canvas, "layer2.1")), 3);
    QCOMPARE(canvas.hitsOf(idTitled(canvas, "head")), 0);
    QVERIFY(bench.does("search.find", {"!relu"}));
    QCOMPARE(canvas.hitsOf(idTitled(canvas, "layer2.1")), 3);
    QVERIFY(bench.does("pass.goTo", {"4"}));
    QCOMPARE(canvas.hitsOf(idTitled(canvas, "layer2.1")), 3);
  }
};

QTEST_MAIN(LiveGraphPairTest)
#include "tst_live_graph_pair.moc"
