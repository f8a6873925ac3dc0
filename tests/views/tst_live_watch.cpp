// Watches in the window: what they are at every stop, what is wrong with them, their history, and that they stay.
#include <QAbstractItemView>
#include <QLineEdit>

#include "live_bench.h"
#include "views/models/numbers.h"
#include "views/models/row_model.h"
#include "views/panels/expression_edit.h"
#include "views/panels/watch/watch_panel.h"

using namespace rx;
using namespace rx::views;

class LiveWatchTest : public QObject {
  Q_OBJECT

  static const WatchRow* watch(const LiveBench& bench, const QString& expression) {
    for (const WatchRow& row : bench.debug.watches())
      if (row.expression == expression) return &row;
    return nullptr;
  }
  static bool runTo(LiveBench& bench, const QString& binding) {
    return bench.does("select.binding", {binding}) && bench.does("debug.runToCursor");
  }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  void valuesAtEveryStop() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    for (const char* text : {"nan(weights)", "max(abs(scores))", "total[0, 4, 0]", "n * n", "weights"})
      QVERIFY2(bench.does("watch.add", {text}), text);
    QVERIFY(!watch(bench, "n * n")->known);
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(!watch(bench, "nan(weights)")->known);
    // What is not made yet is no error.
    QCOMPARE(watch(bench, "nan(weights)")->text, QString("no value yet"));
    QVERIFY(watch(bench, "nan(weights)")->error.isEmpty());
    QVERIFY(bench.window.dump("watch").contains("nan(weights)\tno value yet"));
    QVERIFY(runTo(bench, "mixed"));
    const WatchRow* nan = watch(bench, "nan(weights)");
    QCOMPARE(nan->text, QString("18"));
    QVERIFY(nan->error.isEmpty());
    QCOMPARE(watch(bench, "n * n")->text, QString("36"));
    QVERIFY(watch(bench, "total[0, 4, 0]")->bad());
    QVERIFY(std::isinf(watch(bench, "max(abs(scores))")->number));
    QVERIFY(watch(bench, "weights")->value.isTensor);
    QCOMPARE(watch(bench, "weights")->value.nan, 18);
    const QString shown = bench.window.dump("watch");
    QVERIFY2(shown.contains("nan(weights)\t18\n"), qPrintable(shown));
    QVERIFY2(shown.contains("total[0, 4, 0]\tNaN\n"), qPrintable(shown));
    // Back where there was no value yet.
    QVERIFY(bench.does("debug.reverseContinue"));
    QVERIFY(!watch(bench, "nan(weights)")->known);
  }

  /// A count of bytes has its unit, with the exact number; what is computed with it too.
  void bytesHaveTheirUnit() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.start", {"main"}));
    const FunctionRow* main = bench.document.stage(0)->function("main");
    const ParamRow* weight = nullptr;  // the largest
    for (const ParamRow& row : main->params)
      if (!weight || row.shape.size() > weight->shape.size()) weight = &row;
    const ValueSummary value = bench.debug.valueOfParam("main", weight->name);
    QVERIFY(value.bytes >= 1024);
    const auto textOf = [&](const QString& expression) {
      if (!bench.does("watch.add", {expression})) return QString("refused");
      return watch(bench, expression)->text;
    };
    const QString exact = grouped(value.bytes) + " B (";
    QVERIFY2(textOf("bytes(" + weight->name + ")").startsWith(exact), qPrintable(bench.window.dump("watch")));
    QVERIFY(textOf(weight->name + ".bytes").contains("KiB)"));
    QCOMPARE(watch(bench, weight->name + ".bytes")->number, double(value.bytes));
    QVERIFY(textOf(weight->name + ".bytes * 1024").contains("MiB)"));
    QCOMPARE(textOf(weight->name + ".bytes // " + weight->name + ".bytes"), QString("1"));
    QCOMPARE(textOf(weight->name + ".size"), grouped(value.count));
    // And in what a log point writes.
    QVERIFY(bench.does("select.binding", {main->bindings.back().name}));
    QVERIFY(bench.does("debug.logPoint", {"takes {bytes(" + weight->name + ")}"}));
    QVERIFY(bench.does("debug.restart"));
    QVERIFY(bench.does("debug.continue"));
    bool said = false;
    for (const LogLine& line : bench.debug.log())
      said = said || line.text.contains(QString("takes %1 B (").arg(value.bytes));
    QVERIFY(said);
  }

  /// Only what is another value than at the stop before is marked.
  void changedValuesHaveADot() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.stepOver", {"4"}));
    QString written;  // a register that the next instructions set to something else
    for (int i = 0; i < 40 && bench.debug.state() == RunState::Stopped && written.isEmpty(); ++i) {
      std::map<QString, QString> before;
      for (const RegisterRow& row : bench.debug.registers())
        if (row.value.known) before[row.name] = row.value.text;
      const int step = bench.debug.stop().step;
      QVERIFY(bench.does("debug.stepInstruction"));
      for (const RegisterRow& row : bench.debug.registers())
        if (row.changed && before.contains(row.name) && before[row.name] != row.value.text) written = row.name;
      if (written.isEmpty()) continue;
      QVERIFY(bench.does("debug.goToStep", {QString::number(step)}));
      QVERIFY(bench.does("watch.add", {written}));
      QVERIFY(bench.does("watch.add", {"x"}));
      QVERIFY(bench.does("debug.stepInstruction"));
      QVERIFY(watch(bench, written)->changed);
      QVERIFY(!watch(bench, "x")->changed);
      const QAbstractItemModel* model = bench.window.panel("watch")->findChild<QAbstractItemView*>()->model();
      QVERIFY(model->index(0, 1).data(kDotRole).toBool());
      QVERIFY(!model->index(1, 1).data(kDotRole).toBool());
    }
    QVERIFY2(!written.isEmpty(), "no register of this run is written twice");
  }

  void errorsStandAtTheirPlace() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("watch.add", {"1 + nan(wieghts)"}));
    QVERIFY(bench.does("debug.start", {"main"}));
    const WatchRow* row = watch(bench, "1 + nan(wieghts)");
    QCOMPARE(row->expression.mid(row->errorBegin, row->errorEnd - row->errorBegin), QString("wieghts"));
    QVERIFY(bench.window.dump("watch").contains("`wieghts` has no value here; did you mean 'weights'?"));
    // A name that is right, and one that is like none, mean nothing else.
    for (const char* text : {"weights", "perplexity"}) QVERIFY(bench.does("watch.add", {text}));
    QVERIFY(watch(bench, "weights")->error.isEmpty());
    QCOMPARE(watch(bench, "perplexity")->error, QString("`perplexity` has no value here"));
    for (const char* text : {"weights", "perplexity"}) QVERIFY(bench.does("watch.remove", {text}));
    // What is no expression at all is refused with its place, and nothing is added.
    QVERIFY(!bench.window.run("watch.add", {"nan("}));
    QVERIFY(bench.window.lastError().contains("ends too early"));
    QVERIFY(!bench.window.run("watch.add", {"sqare(n)"}));
    QVERIFY2(bench.window.lastError().contains("there is no function `sqare`"), qPrintable(bench.window.lastError()));
    QCOMPARE(bench.debug.watches().size(), size_t{1});
  }

  /// A number over the run as a plot; of what is no number it says so.
  void historyOverTheRun() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QVERIFY(bench.does("watch.add", {"nan(weights)"}));
    QTRY_VERIFY(bench.settle() && bench.window.dump("watch").contains("-- history"));
    const QString shown = bench.window.dump("watch");
    const QString steps = QString::number(bench.debug.recorded() + 1);
    QVERIFY2(shown.contains("nan(weights) over " + steps + " steps: 18 … 18"), qPrintable(shown));
    WatchPlot plot;
    bench.debug.fetchPlot("inf(scores)", &bench.window, [&](const WatchPlot& answer) { plot = answer; });
    QTRY_VERIFY(!plot.points.empty());
    QCOMPARE(plot.states, qint64{bench.debug.recorded()} + 1);
    QVERIFY(!plot.sampled);
    QVERIFY(!plot.points.front().known);
    QVERIFY(plot.points.back().known);
    QCOMPARE(plot.points.back().value, 3.0);
    WatchPlot none;
    bench.debug.fetchPlot("weights", &bench.window, [&](const WatchPlot& answer) { none = answer; });
    QTRY_VERIFY(!none.error.isEmpty());
    QVERIFY2(none.error.contains("a plot needs a number"), qPrintable(none.error));
    // The plot did not move the run.
    QCOMPARE(bench.debug.stop().step, bench.debug.recorded());
  }

  /// They belong to the module, in this session and the next.
  void theyStayWithTheModule() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("watch.add", {"max(weights)"}));
    QVERIFY(bench.does("watch.add", {"n"}));
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.debug.watches().empty());
    QVERIFY(bench.open("attention"));
    QCOMPARE(bench.debug.watches().size(), size_t{2});
    QCOMPARE(bench.debug.watches()[0].expression, QString("max(weights)"));
    QVERIFY(bench.does("watch.remove", {"max(weights)"}));
    QVERIFY(!bench.window.run("watch.remove", {"max(weights)"}));
    QCOMPARE(bench.debug.watches().size(), size_t{1});
    // The selected binding is what is meant without words.
    QVERIFY(bench.does("select.binding", {"scores"}));
    QVERIFY(bench.does("watch.add"));
    QCOMPARE(bench.debug.watches().back().expression, QString("scores"));
    QVERIFY(bench.does("watch.clear"));
    QVERIFY(bench.debug.watches().empty());
  }

  void editedByKeyboard() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    bench.window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&bench.window));
    QVERIFY(bench.does("watch.add", {"scores"}));
    auto* panel = static_cast<WatchPanel*>(bench.window.panel("watch"));
    auto* list = panel->findChild<QAbstractItemView*>();
    list->setFocus();
    QTest::keyClick(list, Qt::Key_F2);
    QVERIFY(panel->editor());
    QTest::keyClicks(panel->editor(), "nan(sco");
    QVERIFY2(panel->editor()->offered().contains("scores"), qPrintable(panel->editor()->offered().join(' ')));
    QTest::keyClick(panel->editor(), Qt::Key_Tab);
    QCOMPARE(panel->editor()->text(), QString("nan(scores"));
    QTest::keyClicks(panel->editor(), ")");
    QTest::keyClick(panel->editor(), Qt::Key_Return);
    QVERIFY(!panel->editor());
    QCOMPARE(bench.debug.watches().front().expression, QString("nan(scores)"));
    // Escape leaves it as it was.
    QTest::keyClick(list, Qt::Key_F2);
    QTest::keyClicks(panel->editor(), "n");
    QTest::keyClick(panel->editor(), Qt::Key_Escape);
    QVERIFY(!panel->editor());
    QCOMPARE(bench.debug.watches().front().expression, QString("nan(scores)"));
    QTest::keyClick(list, Qt::Key_Delete);
    QVERIFY(bench.debug.watches().empty());
  }

  /// Names of the function, members behind a dot, functions of the language; nothing inside of a text.
  void completion() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("select.function", {"main"}));
    ExpressionEdit edit({&bench.document, &bench.selection, &bench.debug, &bench.window}, &bench.window);
    const auto offered = [&](const QString& text) {
      edit.setText(text);
      return edit.offered();
    };
    QVERIFY(offered("weig").contains("weights"));
    QVERIFY(offered("p_").contains("p_0"));
    QVERIFY(offered("na").contains("nan"));
    QVERIFY(offered("n").contains("nan"));
    QVERIFY(offered("weights.").contains("shape"));
    QVERIFY(!offered("weights.").contains("scores"));
    QVERIFY(offered("'wei").isEmpty());
    QVERIFY(offered("qqq").isEmpty());
  }
};

QTEST_MAIN(LiveWatchTest)
#include "tst_live_watch.moc"
