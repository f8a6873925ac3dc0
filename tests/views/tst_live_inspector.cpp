// The inspector over real runs: values, the way of a NaN, tuples, functions, TIR functions, documentation.
#include <QPushButton>

#include "live_bench.h"
#include "views/panels/inspector/inspector_panel.h"
#include "views/panels/inspector/value_pictures.h"

using namespace rx;
using namespace rx::views;

class LiveInspectorTest : public QObject {
  Q_OBJECT

  static InspectorPanel* panelOf(LiveBench& bench) {
    return qobject_cast<InspectorPanel*>(bench.window.panel("inspector"));
  }
  static QString textOf(LiveBench& bench) {
    bench.settle();
    return bench.window.dump("inspector");
  }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// Story: from a NaN to the operation that made the Inf, with the reason at every step.
  void theWayOfANaN() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.continue"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("select.binding", {"weights"}));
    const QString text = textOf(bench);
    QVERIFY2(text.contains("NaN / Inf: 18 / 0 of 144 first at [0, 4, 0]"), qPrintable(text));
    const qsizetype chain = text.indexOf("Where the NaN comes from\n");
    QVERIFY2(chain >= 0, qPrintable(text));
    const QString way = text.mid(chain);
    QVERIFY2(way.contains(QRegularExpression("scores 3 Inf made here, step \\d+; inputs finite")), qPrintable(way));
    QVERIFY2(way.contains("scaled 3 Inf passed on\n"), qPrintable(way));
    QVERIFY2(way.contains(QRegularExpression("shifted 3 NaN, 15 Inf Inf - Inf")), qPrintable(way));
    QVERIFY(way.indexOf("scores") < way.indexOf("shifted") && way.indexOf("shifted") < way.indexOf("powers"));
    QVERIFY2(text.contains("Inputs\n  powers (4, 6, 6) 0 … 1 3 NaN\n"), qPrintable(text));
    QVERIFY2(text.contains("Values at [0, 4, 0]"), qPrintable(text));
    InspectorPanel* panel = panelOf(bench);
    QCOMPARE(panel->rootButton()->text(), QString("Go to root: scores"));
    panel->rootButton()->click();
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().variable, QString("scores"));
    const QString root = textOf(bench);
    QVERIFY2(root.contains("Where the Inf comes from"), qPrintable(root));
    QVERIFY2(root.contains("largest inputs: q_t"), qPrintable(root));
    QVERIFY(panel->rootButton()->isHidden());
    QVERIFY(!bench.window.run("view.panelCommand", {"inspector", "root"}));
    QVERIFY2(root.contains("dtype limit: 65,504 is the largest float16"), qPrintable(root));
  }

  void theElementsOfTheValue() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.continue"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("select.binding", {"weights"}));
    QVERIFY(bench.settle());
    InspectorPanel* panel = panelOf(bench);
    TensorStudy* study = panel->pictures()->study();
    QVERIFY(panel->command("follow", {"element:1,2,3"}));
    QVERIFY(bench.settle());
    QVERIFY(study->current() == std::vector<qint64>({1, 2, 3}));
    QVERIFY(!panel->command("follow", {"element:9,9,9"}));
    study->find({});
    QVERIFY(bench.settle());
    QVERIFY(study->current() != std::vector<qint64>({1, 2, 3}));
    // A finite value has no chain and no button.
    QVERIFY(bench.does("select.binding", {"q"}));
    const QString text = textOf(bench);
    QVERIFY2(!text.contains("comes from") && text.contains("NaN / Inf: 0 / 0 of 192"), qPrintable(text));
  }

  void theDocumentationOfTheOperator() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("select.binding", {"top"}));
    const QString text = textOf(bench);
    QVERIFY2(text.contains("Operator relax.max\n"), qPrintable(text));
    QVERIFY(!text.contains("keepdims: bool"));
    QVERIFY(panelOf(bench)->command("follow", {"fold:operator"}));
    QVERIFY2(textOf(bench).contains("keepdims: bool default False"), qPrintable(textOf(bench)));
  }

  void aFunctionAndItsParameters() {
    LiveBench bench;
    QVERIFY(bench.open("resnet18"));
    QVERIFY(bench.does("select.function", {"main"}));
    const QString text = textOf(bench);
    QVERIFY2(text.startsWith("main  Relax function"), qPrintable(text.left(200)));
    QVERIFY2(text.contains("of nn.conv2d"), qPrintable(text));
    QVERIFY2(text.contains("Operators\n") && text.contains("nn.conv2d 20\n"), qPrintable(text));
    InspectorPanel* panel = panelOf(bench);
    QVERIFY(panel->command("filter", {"64, 64, 3, 3"}));
    const QString filtered = textOf(bench);
    QVERIFY2(filtered.contains("(64, 64, 3, 3) f32 147 kB"), qPrintable(filtered));
    QVERIFY(panel->command("filter", {"nobody"}));
    QVERIFY(textOf(bench).contains("no parameter holds"));
    QVERIFY(panel->command("filter", {""}));
    QVERIFY(panel->command("operator", {"nn.conv2d"}));
  }

  void aTirFunction() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("pass.goTo", {"LegalizeOps"}));
    const StageIndexPtr stage = bench.document.stage(bench.selection.place().stage);
    QVERIFY(stage);
    QVERIFY(bench.does("select.function", {"matmul"}));
    const QString text = textOf(bench);
    QVERIFY2(text.startsWith("matmul  TIR function"), qPrintable(text));
    for (const char* part : {"Work of a call\n", "moves: ", "multiply: ", "add: ", "Buffers\n", "Loops\n", "Blocks\n",
                             "reduction ", "Called by\n"})
      QVERIFY2(text.contains(part), qPrintable(QString(part) + text));
    QVERIFY2(!text.contains("Parameters\n"), qPrintable(text));
  }

  void aTuple() {
    LiveBench bench;
    QVERIFY(bench.open("resnet18"));
    QVERIFY(bench.does("select.function", {"main"}));
    const FunctionRow* main = bench.document.stage(0)->function("main");
    const auto norm = std::find_if(main->bindings.begin(), main->bindings.end(),
                                   [](const BindingRow& b) { return b.label == "nn.batch_norm"; });
    QVERIFY(norm != main->bindings.end());
    QVERIFY(bench.does("select.binding", {norm->name}));
    const QString text = textOf(bench);
    QVERIFY2(text.contains("Fields of the tuple\n  0 R.Tensor("), qPrintable(text));
  }
};

QTEST_MAIN(LiveInspectorTest)
#include "tst_live_inspector.moc"
