// Two runs of a function in two ways, beside the window: what is said of each binding that differs, and where.
#include <QProcess>
#include <QPushButton>
#include <QSplitter>
#include <QTemporaryDir>
#include <csignal>

#include "live_bench.h"
#include "views/models/run_comparison.h"
#include "views/panels/bisect/error_bars.h"
#include "views/panels/list_view.h"
#include "views/panels/panel.h"
#include "views/text/text_view.h"

using namespace rx;
using namespace rx::views;

namespace {

std::vector<ProblemRow> found(const LiveBench& bench, const QString& rule) {
  std::vector<ProblemRow> rows;
  for (const ProblemRow& row : bench.document.problems())
    if (row.rule == rule) rows.push_back(row);
  return rows;
}

}  // namespace

class LiveCompareTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  void sameRuns() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.compareRuns", {"cpu", "main"}));
    QCOMPARE(bench.window.toolError(), QString());
    QVERIFY2(bench.window.statusText().contains("values are the same on cpu"), qPrintable(bench.window.statusText()));
    QVERIFY(bench.document.problems().empty());
    // What can not be compared is said in words, too.
    QVERIFY(bench.does("debug.compareRuns", {"no such target", "main"}));
    QVERIFY(!bench.window.toolError().isEmpty());
    QVERIFY2(!bench.window.statusText().contains('{'), qPrintable(bench.window.statusText()));
    QVERIFY(!bench.window.run("debug.compareRuns", {"cpu", "mian"}) ||
            (bench.settle() && !bench.window.toolError().isEmpty()));
  }

  /// Sums of opposite halves differ by their rounding alone, which each of them inherits.
  void inherited() {
    LiveBench bench;
    QVERIFY(bench.open("decoder"));
    bench.document.setPipeline("ToMixedPrecision(out_dtype='float16'), default");
    QVERIFY(bench.does("pass.target", {"opencl"}));
    QVERIFY(bench.does("debug.compareRuns", {"cpu", "main"}));
    if (bench.window.toolError().contains("no device")) QSKIP("there is no device of OpenCL");
    QVERIFY2(bench.window.statusText().contains("differ only because their inputs do"),
             qPrintable(bench.window.statusText()));
    const std::vector<ProblemRow> rows = found(bench, "against.inherited");
    QVERIFY(!rows.empty());
    QVERIFY(found(bench, "against.own").empty());
    const ProblemPlace place = problemPlace(rows.front(), nullptr);
    QVERIFY(bench.does("select.function", {place.function}));
    QVERIFY(bench.does("select.binding", {place.variable}));
    const QString inspected = bench.window.dump("inspector");
    QVERIFY2(inspected.contains("Found here") && inspected.contains("inherited difference"), qPrintable(inspected));
    QVERIFY(bench.window.panel("problems")->isVisible());
    QVERIFY(bench.window.dump("problems").contains("inherited difference"));
  }

  /// Each cause in words, the first that is not inherited last; what is no comparison is no success.
  void words() {
    const QByteArray json =
        "warning: something of the system\n{\"ok\": false, \"agree\": 4, \"in_one_run\": [\"lv9\"], \"inherited\": "
        "[{\"function\": \"main\", \"binding\": \"lv1\", \"what\": \"element (0): [1] and [2]\"}, {\"function\": "
        "\"main\", "
        "\"binding\": \"lv1\", \"what\": \"element (0): [3] and [4]\"}], \"first\": "
        "{\"function\": \"main\", \"binding\": \"lv2\", \"callee\": \"k\", \"what\": \"element (3): [1.5] and "
        "[1.25]\", \"own\": true}}";
    const RunComparison compared = readRunComparison(json);
    QVERIFY(compared.first() && compared.first()->cause == RunComparison::Cause::Own);
    const QString said = runComparisonText(compared, "cpu");
    for (const char* part : {"lv2 of main is the first value", "[1.5] and [1.25]", "4 before it are the same",
                             "2 differ only because", "in one of the runs alone: lv9"})
      QVERIFY2(said.contains(part), qPrintable(said));
    const std::vector<ProblemRow> rows = runComparisonProblems(compared, "cpu", "comparison");
    QCOMPARE(rows.size(), size_t{2});
    QCOMPARE(rows[0].severity, Severity::Note);
    QVERIFY(rows[0].message.contains("[1] and [2]"));
    QVERIFY(rows[0].notes.back().contains("so are 2 of its values"));
    QCOMPARE(rows[1].severity, Severity::Error);
    QCOMPARE(rows[1].context, QString("main, binding lv2"));
    QByteArray unknown = json;
    unknown.replace("\"own\": true", "\"own\": null");
    QCOMPARE(runComparisonProblems(readRunComparison(unknown), "cpu", "comparison").back().rule,
             QString("against.unknown"));
    QCOMPARE(
        readRunComparison("{\"ok\": false, \"diagnostics\": [{\"severity\": \"error\", \"message\": \"no weights\"}]}")
            .error,
        QString("no weights"));
    QVERIFY(!readRunComparison("").error.isEmpty());
  }

  /// What differs stands beside the text, and colours the graph, also of a block that is folded.
  void textAndGraph() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    const QString plain = bench.window.dump("graph");
    RunComparison compared;
    compared.differences = {{"main", "lv1", {}, "element (0)", RunComparison::Cause::Inherited},
                            {"main", "lv2", {}, "element (1)", RunComparison::Cause::Own}};
    const QString source = "comparison of runs";
    bench.document.setProblems(source, runComparisonProblems(compared, "cpu", source));
    QVERIFY(bench.does("graph.colour", {"difference"}));
    const QStringList graph = bench.window.dump("graph").split('\n');
    QCOMPARE(graph.filter("own difference").size(), 1);
    QVERIFY(graph.filter("own difference").front().startsWith("lv2"));
    QVERIFY2(graph.filter("inherited").value(0).startsWith("lv1"), qPrintable(graph.join('\n')));
    const auto* text = bench.window.panel("ir")->findChild<TextView*>();
    const FunctionRow& main = *bench.document.stage(0)->function("main");
    const auto noteOf = [&](const char* name) {
      const LineNote* note = text->decorations().noteOf(static_cast<uint32_t>(main.bindingNamed(name)->line - 1));
      return note && !note->pieces.empty() ? note->pieces.front() : NotePiece();
    };
    QCOMPARE(noteOf("lv2").text, QString("own difference"));
    QVERIFY(noteOf("lv2").role == NoteRole::Error && noteOf("lv1").role == NoteRole::Grey);
    QVERIFY(noteOf("lv3").text.isEmpty());
    QVERIFY(bench.window.dump("module").contains("error: its own difference"));
    // With a run the values stand there too.
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QCOMPARE(noteOf("lv2").text, QString("own difference"));
    QVERIFY(!noteOf("lv3").text.isEmpty());
    bench.document.setProblems(source, {});
    QVERIFY(bench.settle());
    QVERIFY(!bench.window.dump("graph").contains("difference"));
    QVERIFY(noteOf("lv2").text != "own difference");
    QVERIFY(!bench.does("graph.colour", {"differences"}));
  }

  /// A profile and a comparison run what the last run of this module took; how another module was run is no matter.
  void takesTheLastRun() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QVERIFY(bench.does("debug.stop"));
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.debug.config().function.isEmpty());
    QVERIFY(!bench.window.enabled("debug.retry"));
    QVERIFY(bench.does("debug.compareRuns", {"cpu"}));
    QCOMPARE(bench.window.toolError(), QString());
    QVERIFY2(bench.window.statusText().contains("values are the same on cpu"), qPrintable(bench.window.statusText()));
  }

  /// The search names the stage, shows its bytes and its diff at what wrote over another value.
  void bisectShowsWhy() {
    LiveBench bench;
    QVERIFY(bench.does("file.openFolder", {RX_SOURCE_DIR "/tests/views/walks/reuse"}));
    QVERIFY(bench.does("debug.bisect"));
    const QString said = bench.window.dump("bisect");
    for (const char* part : {"1 1-planned: src equal, left equal, right equal, out 0.091 off", "right overwrites left",
                             "the same 160 bytes of storage", "and only then out reads left", "0.25", "0.125"})
      QVERIFY2(said.contains(part), qPrintable(said));
    // Both values in the same bytes over the steps of the run; their own errors beside those of the run.
    for (const char* part : {"160 B: left from step", "until out reads it at", "right from"})
      QVERIFY2(said.contains(part), qPrintable(said));
    QVERIFY2(said.contains("out\t0.125\t0.333\t40 / 40\t0.125\town"), qPrintable(said));
    QCOMPARE(bench.selection.place().stage, 1);
    QCOMPARE(bench.selection.place().variable, QString("right"));
    QVERIFY2(bench.window.dump("diff").contains("alloc_storage"), qPrintable(bench.window.dump("diff")));
    // By the keys of the bars to the stage before and back: every panel follows.
    auto* bars = bench.window.panel("bisect")->findChild<ErrorBars*>();
    QVERIFY(bars && bars->isVisible());
    QTest::keyClick(bars, Qt::Key_Left);
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().stage, 0);
    QTest::keyClick(bars, Qt::Key_Right);
    QTest::keyClick(bars, Qt::Key_Down);
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().stage, 1);
    QVERIFY(!bars->accessibleDescription().isEmpty());
    // Beside each other both lists have room, whatever the panel was before.
    bench.window.resize(1920, 1080);
    QVERIFY(bench.does("view.layout", {"Profile"}) && bench.does("view.panel", {"bisect"}));
    const QSplitter* lists = nullptr;
    for (const QSplitter* each : bench.window.panel("bisect")->findChildren<QSplitter*>())
      if (each->orientation() == Qt::Horizontal && each->count() == 2 && qobject_cast<ListView*>(each->widget(0)))
        lists = each;
    QVERIFY(lists);
    QTRY_VERIFY2(lists->sizes()[0] > lists->width() / 4, qPrintable(QString::number(lists->sizes()[0])));
  }

  /// What the runs take is chosen as for a run, stands beside the answer, and is taken again.
  void bisectWithOtherInputs() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    bench.document.setPipeline("LegalizeOps()");
    QVERIFY(bench.does("debug.bisect", {"main", "", "params=", "inputs=", "seed=5"}));
    QVERIFY2(bench.window.dump("bisect").contains("main · seed 5"), qPrintable(bench.window.dump("bisect")));
    QVERIFY(!bench.window.run("debug.bisect", {"main", "", "seeds=5"}));
    QVERIFY2(bench.window.lastError().contains("seed"), qPrintable(bench.window.lastError()));
    for (QPushButton* button : bench.window.panel("bisect")->findChildren<QPushButton*>())
      if (button->text() == "Bisect again") button->click();
    QVERIFY(bench.settle());
    QVERIFY2(bench.window.dump("bisect").contains("main · seed 5"), qPrintable(bench.window.dump("bisect")));
    QVERIFY(bench.does("debug.bisectWith"));
    QVERIFY2(bench.window.dump("dialog").contains("Bisect"), qPrintable(bench.window.dump("dialog")));
  }

  /// The guilty pass on the smallest module that shows the same, with its inputs: rxs names it again from these files.
  void bisectWritesAReproducer() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    bench.document.setPipeline("CanonicalizeBindings(), ToMixedPrecision(out_dtype='float16'), LambdaLift()");
    const QString folder = folder_.filePath("reproducer");
    QVERIFY(bench.does("debug.bisect", {"main", "1e-7"}));
    QVERIFY2(bench.window.dump("bisect").contains("guilty: 2 ToMixedPrecision"),
             qPrintable(bench.window.dump("bisect")));
    QVERIFY(bench.does("debug.reproducer", {folder, "main", "1e-7"}));
    QVERIFY2(bench.window.statusText().contains("rxs bisect"), qPrintable(bench.window.statusText()));
    QVERIFY(contentOf(folder + "/module.py").size() < contentOf(kSamples + "attention/module.py").size());
    QProcess rxs;
    rxs.start(kTool, {"bisect", folder + "/module.py", "--passes", "ToMixedPrecision(out_dtype='float16')", "--inputs",
                      folder + "/inputs.npz", "--limit", "1e-7"});
    QVERIFY(rxs.waitForFinished(kPatience));
    const QByteArray again = rxs.readAllStandardOutput();
    QVERIFY2(again.contains("guilty: stage 1 ToMixedPrecision"), again.constData());
  }

  /// Each run is shown when it ends, the window says how far the search is, and a cancelled one keeps what it found.
  void bisectGoesOnInSight() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.window.run("debug.bisect"));
    QVERIFY(QTest::qWaitFor([&] { return bench.window.toolProgress().total == 17; }, kPatience));
    const QString under = bench.window.dump("bisect");
    QVERIFY2(under.contains("of 17 stages looked at; run "), qPrintable(under));
    QVERIFY2(under.contains("0 imported: reference"), qPrintable(under));
    const auto buttons = bench.window.panel("bisect")->findChildren<QPushButton*>();
    QVERIFY(std::any_of(buttons.begin(), buttons.end(), [](QPushButton* each) { return each->text() == "Cancel"; }));
    QVERIFY(bench.does("pass.cancel"));
    const QString cancelled = bench.window.dump("bisect");
    QVERIFY2(cancelled.contains("Cancelled: ") && cancelled.contains("0\timported"), qPrintable(cancelled));
    QVERIFY(bench.does("debug.bisect"));
    QVERIFY(bench.window.dump("bisect").startsWith("All stages compute what stage 0 does."));
  }

  /// A pass that is to blame is left out from where it is named, and is there again with one undo.
  void disablesAPass() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.goTo", {"LegalizeOps"}));
    const QString before = bench.document.pipeline();
    QVERIFY(bench.does("pass.disable"));
    QVERIFY2(bench.window.dump("pipeline").contains("off\tLegalizeOps"), qPrintable(bench.window.dump("pipeline")));
    QVERIFY(bench.does("pipeline.undo"));
    QCOMPARE(bench.document.pipeline(), before);
    QVERIFY(bench.does("pass.first") && !bench.window.run("pass.disable"));
  }

  /// Nothing of an engine or a tool that was killed stays among the temporary files.
  void killedLeavesNothing() {
    const QString temporary = folder_.filePath("temporary");
    QVERIFY(QDir().mkdir(temporary));
    const QByteArray before = qgetenv("TMPDIR");
    qputenv("TMPDIR", temporary.toUtf8());
    {
      LiveBench bench;
      QVERIFY(bench.open("mlp"));
      QVERIFY(bench.does("debug.start", {"main"}));
      ::kill(static_cast<pid_t>(bench.debug.engineId()), SIGKILL);
      QVERIFY(QTest::qWaitFor([&] { return bench.debug.state() == RunState::Died; }, kPatience));
      QVERIFY(bench.window.run("profile.run"));
      QVERIFY(QTest::qWaitFor([&] { return !QDir(temporary).entryList({"relaxscope*"}, QDir::Dirs).isEmpty(); },
                              kPatience));
      QVERIFY(QDir(temporary).entryList({"rxs-confined*"}, QDir::Dirs).isEmpty());
      QVERIFY(bench.does("pass.cancel"));
    }
    const auto empty = [&] { return QDir(temporary).isEmpty(); };
    QVERIFY2(QTest::qWaitFor(empty, kPatience), qPrintable(QDir(temporary).entryList().join(' ')));
    before.isNull() ? qunsetenv("TMPDIR") : qputenv("TMPDIR", before);
  }

  /// The card's ways do what they say: one to the table of inputs, one straight to a file of parameters.
  void waysFromMissingParameters() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.window.run("debug.start", {"main", "params=" + kSamples + "mlp/inputs.npz"}));
    QVERIFY(bench.settle());
    const auto way = [&](const QString& label) {
      for (QPushButton* button : bench.window.findChild<QWidget*>("outcomeCard")->findChildren<QPushButton*>())
        if (button->text() == label) return button->click(), true;
      return false;
    };
    QVERIFY(way("Open parameters…"));
    QVERIFY2(bench.window.dump("dialog").contains("Open Parameters"), qPrintable(bench.window.dump("dialog")));
    QVERIFY(bench.does("view.card") && way("Edit inputs…"));
    QVERIFY(!bench.window.dump("dialog").contains("Open Parameters"));
    // Nothing is profiled or compared with what did not fit.
    for (const QStringList& line : {QStringList{"profile.run"}, QStringList{"debug.compareRuns", "cpu"}}) {
      QVERIFY(bench.window.run("debug.openParameters") && bench.window.run(line[0], line.mid(1)));
      QVERIFY(!bench.window.dump("dialog").contains("Open Parameters"));
      QVERIFY(bench.window.toolTitle().isEmpty());
    }
    QVERIFY(bench.does("debug.openParameters", {kSamples + "mlp/params.npz"}));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
  }
};

QTEST_MAIN(LiveCompareTest)
#include "tst_live_compare.moc"
