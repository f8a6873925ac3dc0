// The graph panel over a made-up session; with RX_SCREENSHOTS set it leaves pictures in that folder.
#include "views/panels/graph/graph_panel.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include "made_up_session.h"
#include "views/canvas/graph_dot.h"
#include "views/models/function_graph.h"
#include "views/models/numbers.h"
#include "views/models/weights.h"

using namespace rx;
using namespace rx::views;

namespace {

FunctionRow branching() {
  FunctionRow f;
  f.name = "f";
  f.params.resize(2);
  f.params[0].name = "c", f.params[1].name = "x";
  f.blocks = {{0, -1, 0, false, 1, 9, {0, 3}, {}}, {1, 0, 0, true, 2, 3, {1}, {}}, {2, 0, 1, false, 4, 5, {2}, {}}};
  for (int i = 0; i < 4; ++i) {
    BindingRow b;
    b.ordinal = i;
    b.name = b.called = QString("b%1").arg(i);
    f.bindings.push_back(b);
  }
  f.bindings[0].form = BindingForm::If;
  f.bindings[0].operands = {{OperandRow::Kind::Param, 0, "c"}};
  f.bindings[1].block = 1, f.bindings[1].parent = 0, f.bindings[1].branch = 0;
  f.bindings[1].operands = {{OperandRow::Kind::Param, 1, "x"}, {OperandRow::Kind::Constant, -1, "1.5"}};
  f.bindings[2].block = 2, f.bindings[2].parent = 0, f.bindings[2].branch = 1;
  f.bindings[2].operands = {{OperandRow::Kind::Param, 1, "x"}, {OperandRow::Kind::Binding, 77, "gone"}};
  f.bindings[3].operands = {{OperandRow::Kind::Binding, 0, "b0"}, {OperandRow::Kind::Binding, 0, "b0"}};
  f.bindings[0].yields = {{OperandRow::Kind::Binding, 1, "b1"}, {OperandRow::Kind::Binding, 2, "b2"}};
  f.results = {{OperandRow::Kind::Binding, 3, "b3"}};
  return f;
}

}  // namespace

class GraphPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    desk_ = std::make_unique<MadeUpDesk>();
    panel_ = std::make_unique<GraphPanel>(desk_->context, nullptr);
    panel_->setPalette(Palette::lightTheme().toQt());
    panel_->resize(460, 620);
    panel_->show();
    QTRY_VERIFY(!panel_->busy());
  }
  void cleanup() {
    panel_.reset();
    desk_.reset();
  }
  void idsComeBack() {
    const NodeTarget target{NodeTarget::Kind::Param, 12};
    QVERIFY(nodeTarget(nodeId(target)) == target);
    QVERIFY(nodeTarget(uint64_t(1) << 63 | nodeId(target)) == NodeTarget{});
    QVERIFY(nodeTarget(0) == NodeTarget{});
  }
  void typesAreShort() {
    QCOMPARE(shortDtype("float16"), QString("f16"));
    QCOMPARE(shortDtype("bfloat16"), QString("bf16"));
    QCOMPARE(shortDtype("int64"), QString("i64"));
    QCOMPARE(shortDtype("float8_e4m3fn"), QString("f8_e4m3fn"));
    QCOMPARE(shortDtype("bool"), QString("bool"));
    QCOMPARE(shortDtype("int"), QString("int"));
  }
  void constantsAreShort() {
    QCOMPARE(constantLabel("R.Tensor((), dtype=\"float16\")"), QString("const f16"));
    QCOMPARE(constantLabel("R.Tensor((3, 3), dtype=\"int64\")"), QString("const (3, 3) i64"));
    QCOMPARE(constantLabel("1.5"), QString("1.5"));
    QCOMPARE(constantLabel("R.Tensor(ndim=2)"), QString("R.Tensor(ndim=2)"));
    QVERIFY(constantLabel(QString(1000, 'x')).size() <= 24);
  }
  void branchesBecomeRegions() {
    const GraphModel model = buildGraph(branching()).model;
    QVERIFY2(model.fault().empty(), model.fault().c_str());
    QCOMPARE(model.regions.size(), size_t(3));
    QCOMPARE(model.regions[0].title, std::string("if b0: true"));
    QCOMPARE(model.regions[1].parent, 0);
    QCOMPARE(model.nodes.size(), size_t(2 + 4 + 1 + 1));  // parameters, bindings, one constant, the result
    int intoIf = 0;
    for (const GraphEdge& edge : model.edges)
      intoIf += model.nodes[edge.to].id == nodeId({NodeTarget::Kind::Binding, 0});
    QCOMPARE(intoIf, 3);  // the condition and both branches
  }
  void aBrokenIndexStillDraws() {
    FunctionRow f = branching();
    f.blocks[0].parent = 0;  // a loop
    f.bindings[2].block = 99;
    QVERIFY(buildGraph(f).model.fault().empty());
  }

  /// A parameter of a function inside has no row, and so is none of the weights.
  void parametersOfLocalFunctions() {
    FunctionRow f = branching();
    f.numInput = -1;
    for (BindingRow& row : f.bindings) row.operands.push_back({OperandRow::Kind::Param, -1, "inner"});
    QVERIFY(!isWeight(f, -1));
    const GraphModel model = buildGraph(f).model;
    QVERIFY(model.fault().empty());
    QCOMPARE(model.edges.size(), buildGraph(branching()).model.edges.size());
  }
  void clickSelectsAndSelectionFollows() {
    desk_->selection.selectFunction("main");
    QTRY_VERIFY(!panel_->busy());
    desk_->selection.selectBinding("main", 4, "s");
    QCOMPARE(panel_->canvas()->selected(), nodeId({NodeTarget::Kind::Binding, 4}));
    const QPoint at = panel_->canvas()->rectOf(nodeId({NodeTarget::Kind::Binding, 5})).center().toPoint();
    QTest::mouseClick(panel_->canvas(), Qt::LeftButton, {}, at);
    QCOMPARE(desk_->selection.place().variable, QString("p"));
    desk_->selection.selectBinding("main", -1, "wq");
    QCOMPARE(panel_->canvas()->selected(), nodeId({NodeTarget::Kind::Param, 1}));
    QCOMPARE(panel_->find("matmul"), 5);
    QCOMPARE(panel_->find("zzz"), 0);
  }
  void functionsWithoutGraphSaySo() {
    desk_->selection.selectStage(1);
    desk_->selection.selectFunction("matmul");
    QTRY_VERIFY(!panel_->busy());
    QVERIFY(panel_->canvas()->graph()->model.nodes.empty());
    QVERIFY(panel_->dump().isEmpty());
  }
  void aRunMarksTheNodes() {
    desk_->selection.selectFunction("main");
    desk_->debug.stopAt(4);
    QTRY_VERIFY(!panel_->busy());
    QVERIFY2(panel_->dump().contains("s matmul  2 Inf · (n, n)  error  root  current  <- q matmul, kt permute_dims"),
             qPrintable(panel_->dump()));
    desk_->selection.selectStage(2);
    QTRY_VERIFY(!panel_->busy());
    QVERIFY(!panel_->dump().contains("error"));
  }
  void theGraphIsWritten() {
    QTemporaryDir folder;
    QSignalSpy message(panel_.get(), &Panel::message);
    QVERIFY(!panel_->command("export", {folder.filePath("early.dot")}));  // no function is selected
    desk_->selection.selectFunction("main");
    QTRY_VERIFY(!panel_->busy());
    const QString dot = folder.filePath("main.dot");
    QVERIFY(panel_->command("export", {dot}));
    QFile file(dot);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QVERIFY(text.contains("subgraph cluster_0"));
    QVERIFY(text.contains("label=\"s matmul\\n(n, n) f16\""));
    QVERIFY(!panel_->command("export", {folder.filePath("main.xyz")}));
    QVERIFY(!panel_->command("export", {folder.filePath("missing/main.dot")}));
    QVERIFY(!panel_->command("export", {}));
    if (QStandardPaths::findExecutable("dot").isEmpty()) {
      QVERIFY(!panel_->command("export", {folder.filePath("main.svg")}));
      return;
    }
    QVERIFY(panel_->command("export", {folder.filePath("main.svg")}));
    QVERIFY(!panel_->command("export", {folder.filePath("second.svg")}));  // one at a time
    QTRY_VERIFY(!panel_->busy());
    QFile picture(folder.filePath("main.svg"));
    QVERIFY(picture.open(QIODevice::ReadOnly));
    QVERIFY(picture.readAll().contains("softmax"));
  }
  void namesAreQuoted() {
    GraphModel model;
    GraphNode node;
    node.id = 1;
    node.title = "a\"];\nevil [label=\"\\N";
    model.nodes.push_back(node);
    const std::string dot = dotText(model, Palette::lightTheme(), "f\"");
    QVERIFY(dot.find("label=\"a\\\"];evil [label=\\\"\\\\N\"") != std::string::npos);
  }
  void commands() {
    for (const char* name : {"fit", "zoomIn", "zoomOut", "reset", "fold", "unfold"}) QVERIFY(panel_->command(name, {}));
    QVERIFY(!panel_->command("explode", {}));
  }
  void pictures() {
    desk_->selection.selectFunction("main");
    QTRY_VERIFY(!panel_->busy());
    desk_->selection.selectBinding("main", 4, "s");
    desk_->debug.stopAt(4);
    shoot("light");
    panel_->setPalette(Palette::darkTheme().toQt());
    shoot("dark");
  }

 private:
  void shoot(const QString& name) {
    const QString folder = qEnvironmentVariable("RX_SCREENSHOTS");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    QVERIFY(panel_->grab().save(folder + "/graphpanel_" + name + ".png"));
  }
  std::unique_ptr<MadeUpDesk> desk_;
  std::unique_ptr<GraphPanel> panel_;
};

QTEST_MAIN(GraphPanelTest)
#include "graph_panel_test.moc"
