// The end of a run is said: what it returned, whether that is what was expected, what was not finite on the way, and
// how the card of it gives way to the panels; each from the real engine.
#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QTemporaryDir>

#include "card_bench.h"
#include "core/tensor/npy.h"
#include "views/canvas/graph_canvas.h"
#include "views/models/bad_chain.h"
#include "views/panels/graph/graph_panel.h"

using namespace rx;
using namespace rx::views;

class LiveResultTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    useBuiltProgram();
    QVERIFY(folder_.isValid());
  }

  /// A recording that ends before the run leaves the result unknown, and says why, instead of a result that is none.
  void aResultThatIsNotKept() {
    CardBench bench;
    bench.settings.setValue("budget/record", 1);  // MiB
    QVERIFY(write(folder_.filePath("large.py"),
                  "from tvm.script import ir as I, relax as R\n\n@I.ir_module\nclass Module:\n    @R.function\n"
                  "    def main(x: R.Tensor((1024, 1024), \"float32\")):\n"
                  "        y = R.add(x, x)\n        z = R.multiply(y, x)\n        return z\n"));
    QVERIFY(bench.does("file.open", {folder_.filePath("large.py")}));
    QVERIFY(bench.does("debug.start", {"main", "seed=0", "stop=none"}));
    QVERIFY(bench.debug.result());
    QVERIFY2(bench.debug.result()->lost.contains("the recording ends at step"), qPrintable(bench.debug.result()->lost));
    const QString said = bench.window.cardText();
    QVERIFY2(said.contains("what it returned is not kept") && !said.contains("returned the recording"),
             qPrintable(said));
    QVERIFY(bench.window.statusText().contains("not kept"));
    QVERIFY2(said.contains("its budget of 983 kB on disk") && !said.contains("peak memory 0 B"), qPrintable(said));
    // What was computed behind the end of the recording is not said to be none.
    QVERIFY(bench.does("select.binding", {"z"}));
    const QString shown = bench.window.dump("inspector");
    QVERIFY2(shown.contains("No value of z is kept: the recording ends at step"), qPrintable(shown));
    QPushButton* budgets = bench.wayOf(bench.brief(), "Budgets…");
    QVERIFY(budgets && budgets->isVisible());
    budgets->click();
    QVERIFY(bench.settle());
    const auto dialogs = bench.window.findChildren<QDialog*>();
    QVERIFY(std::any_of(dialogs.begin(), dialogs.end(),
                        [](const QDialog* d) { return d->isVisible() && d->windowTitle() == "Settings"; }));
  }

  /// The end of a run selects what it came to: the value that is returned, or the first that is not finite.
  void theEndIsSelected() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QCOMPARE(bench.selection.place().variable, QString("gv"));
    QCOMPARE(bench.selection.place().step, bench.debug.recorded());
    // What somebody selects then stays selected.
    QVERIFY(bench.does("select.binding", {"lv1"}) && bench.does("debug.goToStep", {"8"}));
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QCOMPARE(bench.selection.place().variable, QString("scores"));
  }

  /// Where calls write into buffers, a value comes from what its call reads, not from the memory that was allocated.
  void whatIsBadComesThroughBuffers() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}) && bench.does("pass.goTo", {"StaticPlanBlockMemory"}));
    const FunctionRow& main = *bench.document.stage(9)->function("main");
    const std::vector<int> roots = badRoots(bench.debug, main, badBindings(bench.debug, main), 10);
    QStringList names;
    for (const int root : roots) names << main.binding(root)->name;
    QCOMPARE(names.join(QStringLiteral(", ")), QString("alloc6"));
    QVERIFY(bench.does("select.binding", {"shifted"}));
    const QString said = bench.window.dump("inspector");
    QVERIFY2(
        said.contains("Where the NaN comes from") && said.contains("made here, step 48") && said.contains("Inf - Inf"),
        qPrintable(said));
    QVERIFY2(!said.contains("made here, step 64"), qPrintable(said));
  }

  /// What a run computed of another pipeline or of files that have changed since is grey everywhere, and says so; the
  /// same pipeline again makes it present.
  void resultsOfAnotherPipelineAreStale() {
    CardBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QVERIFY(bench.does("view.panel", {"memory"}));
    const QString pipeline = bench.document.pipeline();
    const auto says = [&](const QString& panel) { return bench.window.dump(panel).contains("of another pipeline"); };
    const QStringList panels{"inspector", "timeline", "memory", "values"};
    // The colours of the graph that are about the run: how many nodes have a hue, and how many say what is not finite.
    const auto* graph = qobject_cast<GraphPanel*>(bench.window.panel("graph"));
    QVERIFY(bench.does("view.panel", {"graph"}));
    const auto tinted = [&](const QString& colour, bool (*counts)(const NodeTint&)) {
      int count = bench.does("graph.colour", {colour}) ? 0 : -1;
      for (const GraphNode& node : graph->canvas()->graph()->model.nodes)
        if (const NodeTint* tint = graph->canvas()->tint(node.id)) count += counts(*tint);
      return count;
    };
    const auto hue = [](const NodeTint& tint) { return tint.fill.saturation() > 60; };
    const auto bad = [](const NodeTint& tint) { return tint.note.contains("NaN") || tint.note.contains("Inf"); };
    QVERIFY(tinted("time", hue) > 0);
    QCOMPARE(tinted("error", bad), 0);  // its marks say it
    for (const QString& panel : panels) QVERIFY2(!says(panel), qPrintable(bench.window.dump(panel)));
    QVERIFY(bench.window.dump("module").contains("3 Inf"));
    QVERIFY(bench.does("pass.pipeline", {"LegalizeOps(), CallTIRRewrite()"}));
    QVERIFY(bench.does("select.binding", {"scores", "main"}));
    for (const QString& panel : panels) QVERIFY2(says(panel), qPrintable(bench.window.dump(panel)));
    QCOMPARE(tinted("time", hue), 0);
    QVERIFY(tinted("error", bad) > 0);
    QVERIFY2(bench.window.statusText().contains("of another pipeline"), qPrintable(bench.window.statusText()));
    QVERIFY2(bench.window.dump("ir").contains("was  3 Inf"), qPrintable(bench.window.dump("ir")));
    QVERIFY(!bench.window.dump("module").contains("3 Inf"));
    QPushButton* again = bench.wayOf(bench.brief(), "Run again");
    QVERIFY(again && again->isVisible());
    // A stage that the run does not have shows none of its values.
    QVERIFY(bench.does("pass.goTo", {"2"}));
    QVERIFY2(!bench.window.dump("ir").contains("Inf"), qPrintable(bench.window.dump("ir")));
    QVERIFY(bench.does("pass.pipeline", {pipeline}));
    QVERIFY(!says("timeline") && bench.window.dump("module").contains("3 Inf"));
  }

  void resultsOfChangedInputsAreStale() {
    const QString path = folder_.filePath("changing");
    QVERIFY(QDir().mkpath(path));
    for (const QString& name : QDir(kSamples + "mlp").entryList(QDir::Files))
      QVERIFY(QFile::copy(QDir(kSamples + "mlp").filePath(name), path + '/' + name));
    CardBench bench;
    QVERIFY(bench.does("file.open", {path + "/module.py"}));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QVERIFY(!bench.window.dump("timeline").contains("before it changed"));
    QFile inputs(path + "/inputs.npz");
    QVERIFY(inputs.open(QIODevice::ReadWrite | QIODevice::Append) && inputs.write("x") == 1);
    inputs.close();
    QTRY_VERIFY(bench.window.dump("timeline").contains("of inputs.npz before it changed"));
    QVERIFY2(bench.window.dump("inspector").contains("of inputs.npz before it changed"),
             qPrintable(bench.window.dump("inspector")));
  }

  /// A NaN that begins with a constant of the text, as masks have, is not said to come of finite inputs.
  void aNanOfAConstant() {
    LiveBench bench;
    QVERIFY(write(folder_.filePath("mask.py"),
                  "@I.ir_module\nclass Module:\n    @R.function\n"
                  "    def main(x: R.Tensor((4,), \"float32\")):\n"
                  "        zero = R.subtract(x, x)\n"
                  "        mask = R.multiply(zero, R.const(float(\"-inf\"), \"float32\"))\n"
                  "        bad = R.log(R.subtract(zero, R.const(1.0, \"float32\")))\n"
                  "        return R.add(mask, bad)\n"));
    QVERIFY(bench.does("file.open", {folder_.filePath("mask.py")}));
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none"}));
    QVERIFY(bench.does("select.binding", {"mask"}));
    const QString mask = bench.window.dump("inspector");
    QVERIFY2(mask.contains("a constant holds NaN or Inf") && !mask.contains("inputs finite"), qPrintable(mask));
    QVERIFY(bench.does("select.binding", {"bad"}));
    const QString made = bench.window.dump("inspector");
    QVERIFY2(made.contains("inputs finite") && !made.contains("a constant holds"), qPrintable(made));
  }

  /// The end of a run: what was returned, and that it is what was expected.
  void aResultThatIsExpected() {
    CardBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    const RunResult* result = bench.debug.result();
    QVERIFY(result && result->values.size() == 1);
    QVERIFY(result->comparison && result->comparison->error.isEmpty());
    QVERIFY(result->comparison->equal && result->comparison->largest < 1e-5);
    QCOMPARE(result->comparison->file, QString("expected.npz"));
    QCOMPARE(result->likely.size(), size_t{10});
    QVERIFY(result->expectedLikely.has_value());
    QVERIFY(result->steps > 0 && result->peakBytes > 0);
    QVERIFY(!bench.card->isVisible() && bench.brief() && bench.brief()->isVisible());
    QVERIFY(bench.does("view.card"));
    QVERIFY(bench.shown() && !bench.brief()->isVisible());
    for (const char* part : {"main returned (1, 10) f32, equal to expected.npz", "unoptimised code", "peak memory"})
      QVERIFY2(bench.card->text().contains(part), qPrintable(bench.card->text()));
    QVERIFY(bench.window.statusText().contains("equals expected.npz"));
    // The text with its values stays in sight.
    const Panel* text = bench.window.panel("ir");
    QVERIFY(text->mapTo(&bench.window, QPoint(text->width(), 0)).x() <= bench.card->mapTo(&bench.window, QPoint()).x());
    QVERIFY(bench.does("export.result", {path("result.npy")}));
    QVERIFY(readNpy(path("result.npy").toStdString()).ok());
    QVERIFY(bench.way("Step back"));
    bench.way("Step back")->click();
    QVERIFY(bench.settle());
    QVERIFY(!bench.card->isVisible());
    QVERIFY2(bench.window.statusText().contains("history: nothing runs"), qPrintable(bench.window.statusText()));
    QVERIFY(bench.does("debug.goToStep", {QString::number(result->steps)}));
    QVERIFY(!bench.window.statusText().contains("history"));
  }

  /// The end of a run covers nothing: it stands above what the Inspector says, which gives way. Closed by the key, it
  /// stays so for this run, whatever is stepped; the next run says its end again.
  void aResultCoversNothing() {
    CardBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("view.panel", {"ir"}));
    QVERIFY(QTest::qWaitForWindowActive(&bench.window));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    const Card* brief = bench.brief();
    QVERIFY(brief && brief->isVisible());
    const Panel* inspector = bench.window.panel("inspector");
    QVERIFY(inspector->isAncestorOf(brief));
    for (const QWidget* other : inspector->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
      QVERIFY(other == brief || !other->isVisible() || !other->geometry().intersects(brief->geometry()));
    for (const QPushButton* way : brief->findChildren<QPushButton*>())
      QVERIFY2(brief->rect().contains(QRect(way->mapTo(brief, QPoint()), way->size())), qPrintable(way->text()));
    QVERIFY(CardBench::wayOf(brief, "Details") && CardBench::wayOf(brief, "Step back"));
    // Also where the Inspector is low.
    QVERIFY(bench.does("view.layout", {"Profile"}));
    QTest::qWait(20);
    for (const QLabel* line : brief->findChildren<QLabel*>())
      QVERIFY2(line->height() >= line->fontMetrics().height() || line->text().isEmpty(), qPrintable(line->text()));
    QVERIFY(bench.does("view.layout", {"Debug"}));
    QVERIFY(bench.does("view.panel", {"ir"}));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    QVERIFY(!brief->isVisible());
    QVERIFY(bench.does("debug.stepBack"));
    QVERIFY(bench.does("debug.goToStep", {QString::number(bench.debug.result()->steps)}));
    QVERIFY(!brief->isVisible() && !bench.card->isVisible());
    QVERIFY(bench.does("view.card"));
    QVERIFY(bench.shown() && bench.card->isAncestorOf(QApplication::focusWidget()));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    QVERIFY(!bench.card->isVisible());
    QVERIFY(bench.window.panel("ir")->isAncestorOf(QApplication::focusWidget()));
    QVERIFY(bench.does("debug.restart"));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QVERIFY(bench.brief() && bench.brief()->isVisible());
    CardBench::wayOf(bench.brief(), "Details")->click();
    QVERIFY(bench.shown() && !bench.brief()->isVisible());
  }

  /// A run whose result is finite says so of the result alone: what was not finite on the way is said beside it, with
  /// the binding that made it. One that is finite everywhere, or what was expected, gives no reason to look.
  void whatWasNotFiniteOnTheWay() {
    CardBench bench;
    QVERIFY(write(path("root.py"),
                  "@I.ir_module\nclass Module:\n    @R.function\n"
                  "    def main(x: R.Tensor((4,), dtype=\"float32\")) -> R.Tensor((4,), dtype=\"float32\"):\n"
                  "        lv: R.Tensor((4,), dtype=\"float32\") = R.negative(x)\n"
                  "        lv1: R.Tensor((4,), dtype=\"float32\") = R.log(lv)\n"
                  "        lv2: R.Tensor((4,), dtype=\"float32\") = R.add(lv1, x)\n"
                  "        gv: R.Tensor((4,), dtype=\"float32\") = R.nn.relu(lv2)\n"
                  "        return gv\n"));
    const auto runs = [&](const std::vector<double>& numbers) {
      const Result<Ref<HostTensor>> x = HostTensor::fromDoubles({4}, DataType::Float(32), numbers);
      return x && writeNpz(path("x.npz").toStdString(), {{"x", *x}}).ok() &&
             bench.does("debug.start", {"main", "inputs=" + path("x.npz"), "stop=none"}) && bench.debug.result();
    };
    QVERIFY(bench.does("file.open", {path("root.py")}));
    QVERIFY(runs({1, -2, -3, -4}));
    const RunResult* result = bench.debug.result();
    QCOMPARE(result->values.front().value.nan, 0);
    QVERIFY(result->bad);
    QCOMPARE(result->bad->variable, QString("lv1"));
    QCOMPARE(result->bad->calls, 2);
    QVERIFY(doubtful(*result));
    QVERIFY2(bench.window.statusText().contains("NaN or Inf in 2 calls, first in lv1"),
             qPrintable(bench.window.statusText()));
    QVERIFY(bench.does("view.card"));
    QStringList facts;
    for (const QLabel* label : bench.card->findChildren<QLabel*>()) facts << label->text();
    QVERIFY2(facts.contains("none in the result") && facts.contains("NaN or Inf in 2 calls, first in lv1"),
             qPrintable(facts.join('\n')));
    QVERIFY(bench.way("Go to lv1"));
    bench.way("Go to lv1")->click();
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().variable, QString("lv1"));
    QVERIFY(runs({-1, -2, -3, -4}));
    QVERIFY(!bench.debug.result()->bad);
    QVERIFY(bench.does("view.card"));
    QVERIFY(!bench.way("Go to lv1"));
    QVERIFY(!bench.card->text().contains("NaN"));
  }

  /// In a small window the card is as wide as what it says.
  void aResultInASmallWindow() {
    CardBench bench;
    bench.window.resize(1024, 700);
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QVERIFY(bench.does("view.card"));
    QVERIFY(bench.shown());
    for (const QPushButton* way : bench.card->findChildren<QPushButton*>())
      QVERIFY2(way->width() >= way->sizeHint().width(), qPrintable(way->text()));
  }

  void aTupleOfResults() {
    CardBench bench;
    QVERIFY(bench.open("dynamic"));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QVERIFY(bench.debug.result() && bench.debug.result()->values.size() == 2);
    QVERIFY(bench.debug.result()->comparison && bench.debug.result()->comparison->equal);
    QVERIFY(bench.debug.result()->likely.empty());
  }

  /// Where nothing says what should come out, nothing is claimed.
  void aResultWithoutAnExpectation() {
    CardBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none"}));
    QVERIFY(bench.debug.result() && !bench.debug.result()->comparison);
    QVERIFY(bench.brief()->isVisible() && !bench.window.cardText().contains("expected"));
  }

  void aResultThatDiffers() {
    CardBench bench;
    QDir(folder_.path()).mkdir("wrong");
    for (const char* name : {"module.py", "inputs.npz", "params.npz"})
      QVERIFY(write(path(QString("wrong/") + name), contentOf(kSamples + "mlp/" + name)));
    auto arrays = readNpz((kSamples + "mlp/expected.npz").toStdString());
    QVERIFY(arrays.ok());
    auto changed = (*arrays)[0].second->copy();  // what is read is mapped
    QVERIFY(changed.ok());
    (*changed)->set(3, 0.5);
    (*arrays)[0].second = *changed;
    QVERIFY(writeNpz(path("wrong/expected.npz").toStdString(), *arrays).ok());
    QVERIFY(bench.does("file.open", {path("wrong")}));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QVERIFY(bench.debug.result() && bench.debug.result()->comparison);
    QVERIFY(!bench.debug.result()->comparison->equal);
    QCOMPARE(bench.debug.result()->comparison->at, QString("[0, 3]"));
    QVERIFY(bench.window.cardText().contains("which differs from expected.npz"));
    QVERIFY(bench.brief()->accessibleName().contains("differs"));
  }

 private:
  QString path(const QString& name) const { return folder_.filePath(name); }
  QTemporaryDir folder_;
};

QTEST_MAIN(LiveResultTest)
#include "tst_live_result.moc"
