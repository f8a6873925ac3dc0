// Folders of dumps in the real window: every stage has its row, whatever is wrong with it or with its neighbours.
#include <sys/stat.h>

#include <QComboBox>
#include <QDir>
#include <QPushButton>
#include <QTemporaryDir>

#include "live_bench.h"
#include "views/models/search.h"

using namespace rx;
using namespace rx::views;

namespace {

const QString kLlama = QStringLiteral(RX_SOURCE_DIR "/tests/dumps/llama");

QStringList namesOf(const Document& document) {
  QStringList names;
  for (const StepRow& row : document.steps()) names << row.name;
  return names;
}

}  // namespace

class LiveDumpsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// The stage that can not be read is a red row among good ones; each row has its lamp; no time is made up.
  void opensWithARedStage() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {kLlama}));
    QCOMPARE(bench.document.state(), Document::State::Ready);
    QCOMPARE(bench.document.openError(), QString());
    QCOMPARE(namesOf(bench.document), (QStringList{"debug-phase0", "debug-phase1", "debug-phase2", "debug-phase10"}));
    QVERIFY(QTest::qWaitFor([&] { return bench.document.steps()[3].verdict != Verdict::Unknown; }, kPatience));
    const std::vector<StepRow>& steps = bench.document.steps();
    QCOMPARE(steps[0].verdict, Verdict::WellFormed);
    QCOMPARE(steps[1].state, StepState::Failed);
    QVERIFY(steps[1].verdictReason.contains("fused_rms_norm"));
    QCOMPARE(steps[2].verdict, Verdict::WellFormed);
    QCOMPARE(steps[3].verdict, Verdict::IllFormed);
    QVERIFY(steps[3].verdictReason.contains("effects"));
    const QString passes = bench.window.dump("passes");
    QVERIFY2(!passes.contains(" ns") && !passes.contains(" ms"), qPrintable(passes));
    QVERIFY2(passes.contains(steps[1].verdictReason), qPrintable(passes));
    // What a stage changed is told beside the last one that could be read.
    QCOMPARE(steps[2].changed.size(), size_t{1});
    QCOMPARE(steps[2].changed[0].function, QString("decode"));
  }

  /// One that is not as it was written has no text to show; that it can not be read is said where the text would be.
  void saysWhyAStageHasNoText() {
    QTemporaryDir folder;
    QProcess process;
    process.start(kTool,
                  {"opt", kSamples + "mlp", "--passes", "LegalizeOps(), CallTIRRewrite()", "--dump", folder.path()});
    QVERIFY(process.waitForFinished(kPatience) && process.exitCode() == 0);
    const QString file = folder.filePath("01_LegalizeOps.py");
    QVERIFY(write(file, contentOf(file).replace("matmul", "matmol")));
    LiveBench bench;
    QVERIFY(bench.does("file.openFolder", {folder.path()}) && bench.does("pass.goTo", {"1"}));
    QVERIFY2(bench.window.dump("ir").startsWith("LegalizeOps can not be read"), qPrintable(bench.window.dump("ir")));
    QVERIFY(bench.does("pass.goTo", {"0"}));
    QVERIFY(bench.window.dump("ir").contains("R.matmul"));
  }

  /// Its text stands where its error is; the good stages around it keep their panels.
  void showsTheTextOfTheRedStage() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {kLlama}));
    QVERIFY(bench.does("pass.goTo", {"debug-phase1"}));
    QVERIFY(bench.window.dump("ir").contains("R.nn.fused_rms_norm(lv3, lv4"));
    const QString why = "debug-phase1 can not be read: " + bench.document.steps()[1].verdictReason;
    QVERIFY2(bench.window.dump("inspector").contains(why), qPrintable(bench.window.dump("inspector")));
    const StageIndexPtr red = bench.document.stage(1, false);
    QVERIFY(red);
    QVERIFY(red->functions.empty());
    QVERIFY(red->line(red->errorLine).contains("fused_rms_norm"));
    bool listed = false;
    for (const ProblemRow& row : bench.document.problems())
      listed = listed || (row.stage == 1 && row.line == red->errorLine && row.rule == "relax.unknown-op");
    QVERIFY2(listed, qPrintable(bench.window.dump("problems")));
    // Of no known language, it is not the last stage of one.
    for (const QPushButton* button : bench.window.panel("passes")->findChildren<QPushButton*>())
      QVERIFY2(!button->isVisible() || !button->text().startsWith("Go on"), qPrintable(button->text()));
    QVERIFY(bench.does("pass.goTo", {"2"}));
    QVERIFY(bench.document.stage(2, false)->function("decode"));
    QVERIFY(bench.does("pass.goTo", {"debug-phase10.py"}));
    QCOMPARE(bench.selection.place().stage, 3);
  }

  /// The stage that is shown runs, or the one that is named, as it is; the folder opens at it the next time.
  void aStageRuns() {
    QTemporaryDir folder;
    const auto module = [](const char* body) {
      return QByteArray(
                 "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((4,), \"float32\")) -> "
                 "R.Tensor((4,), \"float32\"):\n        with R.dataflow():\n") +
             body + "            R.output(out)\n        return out\n";
    };
    QVERIFY(
        write(folder.filePath("00_first.py"), module("            a = R.add(x, x)\n            out = R.add(a, x)\n")));
    QVERIFY(
        write(folder.filePath("01_second.py"), module("            out = R.multiply(x, R.const(3, \"float32\"))\n")));
    QVERIFY(write(folder.filePath("02_third.py"), "this is no module\n"));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {folder.path()}));
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none", "stage=1"}));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QCOMPARE(bench.selection.place().stage, 1);
    const BindingRow* out = bench.document.stage(1)->function("main")->bindingNamed("out");
    QVERIFY(bench.debug.valueOf("main", out->ordinal).known);
    // A breakpoint of that stage stops there.
    QVERIFY(bench.does("pass.goTo", {"0"}));
    QVERIFY(bench.does("debug.toggleBreakpoint", {"out"}));
    QVERIFY(bench.does("debug.start", {"main", "seed=1"}));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.stop().variable, QString("out"));
    QCOMPARE(bench.debug.config().stage, 0);
    QVERIFY(bench.debug.valueOf("main", bench.document.stage(0)->function("main")->bindingNamed("a")->ordinal).known);
    QVERIFY(bench.does("debug.stop"));
    // What could not be read can not run.
    QVERIFY(!bench.window.run("debug.start", {"main", "seed=1", "stage=2"}));
    QVERIFY2(bench.window.lastError().contains("stage 2 could not be read"), qPrintable(bench.window.lastError()));
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none", "stage=1"}));
    // Another folder in between: this one opens at the stage that ran.
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("file.open", {folder.path()}));
    QCOMPARE(bench.selection.place().stage, 1);
    // The dialog offers the stages that could be read.
    QVERIFY(bench.window.run("debug.start"));
    QComboBox* stages = nullptr;
    for (QComboBox* box : bench.window.findChildren<QComboBox*>())
      if (box->accessibleName() == "Stage that runs") stages = box;
    QVERIFY(stages);
    QCOMPARE(stages->count(), 2);
    QCOMPARE(stages->currentData().toInt(), 1);
  }

  /// Constants that a dump leaves out are said once, by name and number, and refuse nothing.
  void saysWhatTheTextLeavesOut() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {kLlama}));
    QVERIFY(bench.settle());
    int said = 0;
    for (const ProblemRow& row : bench.document.problems()) {
      if (row.stage != 0) continue;
      QCOMPARE(row.rule, QString("script.missing-constants"));
      QVERIFY(row.message.contains("3 constants"));
      QCOMPARE(row.severity, Severity::Warning);
      ++said;
    }
    QCOMPARE(said, 1);
    const FunctionRow* decode = bench.document.stage(0)->function("decode");
    QVERIFY(decode);
    QCOMPARE(decode->bindingNamed("lv24")->shape, QString("(1, 1, 1, n)"));
  }

  /// Rows are named by their files, whatever names a tool gives them, in the order of the numbers in them.
  void namesRowsByFiles_data() {
    QTest::addColumn<QStringList>("files");
    QTest::addColumn<QStringList>("names");
    QTest::newRow("numbered") << QStringList{"10_Last.py", "02_Second.py", "01_First.py"}
                              << QStringList{"01_First", "02_Second", "10_Last"};
    QTest::newRow("stages of a script") << QStringList{"1.after_quantize.py", "0.before_quantize.py"}
                                        << QStringList{"0.before_quantize", "1.after_quantize"};
    QTest::newRow("named freely") << QStringList{"mod_deploy.py", "mod_before.py"}
                                  << QStringList{"mod_before", "mod_deploy"};
  }
  void namesRowsByFiles() {
    QFETCH(QStringList, files);
    QFETCH(QStringList, names);
    QTemporaryDir folder;
    for (const QString& file : files) QVERIFY(write(folder.filePath(file), contentOf(kLlama + "/debug-phase0.py")));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {folder.path()}));
    QCOMPARE(namesOf(bench.document), names);
    QVERIFY(bench.does("pass.goTo", {names.back()}));
    QCOMPARE(bench.selection.place().stage, static_cast<int>(names.size()) - 1);
  }

  /// All calls of an operator or of a packed function, over all stages.
  void findsCalls() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {kLlama}));
    std::vector<StageIndexPtr> stages;
    for (int i = 0; i <= bench.document.lastStage(); ++i) {
      QVERIFY(bench.does("pass.goTo", {QString::number(i)}));
      stages.push_back(bench.document.stage(i, false));
    }
    const auto callsOf = [&stages](const QString& callee) {
      std::vector<SearchHit> hits;
      for (const StageIndexPtr& stage : stages) {
        if (!stage) continue;
        const std::vector<SearchHit> found = searchStage(*stage, {callee, 0, true}, {});
        hits.insert(hits.end(), found.begin(), found.end());
      }
      return hits;
    };
    const std::vector<SearchHit> full = callsOf("R.full");
    QCOMPARE(full.size(), size_t{3});  // the red stage has no calls
    QCOMPARE(full[0].variable, QString("lv24"));
    QCOMPARE(full[1].stage, 2);
    QVERIFY(stages[static_cast<size_t>(full[2].stage)]->line(full[2].line).trimmed().startsWith("lv24: R.Tensor"));
    QVERIFY(stages[3]->line(full[2].line).contains("R.full"));
    QVERIFY(callsOf("astype").size() == 1);
    QCOMPARE(callsOf("vm.builtin.attention_kv_cache_append").size(), size_t{3});
    QVERIFY(callsOf("no_such_operator").empty());
  }

  /// The rule of a problem is explained beside it; what is no rule is not.
  void explainsAProblem() {
    LiveBench bench;
    QVERIFY(bench.does("file.open", {kLlama}));
    QVERIFY(bench.does("problem.explain", {"relax.impure-in-dataflow"}));
    QVERIFY(bench.window.dump("problems").contains("R.call_pure_packed"));
    QVERIFY(!bench.does("problem.explain", {"relax.no-such-rule"}));
    QVERIFY(bench.does("problem.explain"));
    QVERIFY(bench.window.dump("problems").contains("What script.missing-constants means"));
  }

  /// A folder in which nothing can be read is refused, with the errors of all its files.
  void refusesAFolderOfNothing() {
    QTemporaryDir folder;
    QVERIFY(write(folder.filePath("a.py"), "hello = world()\n"));
    QVERIFY(write(folder.filePath("b.py"), "\xff\xfe"));
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("file.open", {folder.path()}));
    QVERIFY(bench.document.openError().contains("none of the 2 stages"));
    QVERIFY(bench.document.title().contains("mlp"));
    QVERIFY(bench.document.problems().size() >= 2);
  }

  /// A first stage that can not be read keeps nothing of the others from being shown.
  void opensWhereTheFirstStageIsRed() {
    QTemporaryDir folder;
    QVERIFY(write(folder.filePath("0.py"), "@I.ir_module\nclass Module:\n    @R.function\n    def f(\n"));
    QVERIFY(write(folder.filePath("1.py"), contentOf(kSamples + "mlp/module.py")));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {folder.path()}));
    QCOMPARE(bench.document.state(), Document::State::Ready);
    QCOMPARE(bench.document.steps()[0].state, StepState::Failed);
    QVERIFY(bench.does("pass.goTo", {"1"}));
    QVERIFY(bench.document.stage(1, false)->function("main"));
  }

  /// What a compiler printed after its passes, in one file: a history whose rows are the passes that its lines name.
  void opensALog() {
    QTemporaryDir folder;
    const QString log = folder.filePath("run.log");
    const auto module = [](const char* value) {
      return QByteArray(
                 "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((4,), \"float32\")) -> ") +
             "R.Tensor((4,), \"float32\"):\n        y = " + value + "\n        return y\n";
    };
    QVERIFY(write(log,
                  "10:00 INFO building (1 of 2\n"
                  "After Running Pass: The meta data of the pass - pass name: FuseOps, opt_level: 0, required\n" +
                      module("R.add(x, x)") + "Print IR after: LegalizeOps\n" + module("R.addd(x, x)") +
                      "10:01 INFO done\n" + module("R.multiply(x, x)")));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {log}));
    QCOMPARE(namesOf(bench.document), (QStringList{"FuseOps", "LegalizeOps", "module 2"}));
    const std::vector<StepRow>& steps = bench.document.steps();
    QCOMPARE(steps[1].state, StepState::Failed);
    QCOMPARE(steps[2].changed.size(), size_t{1});
    QVERIFY(bench.does("pass.goTo", {"LegalizeOps"}));
    const StageIndexPtr red = bench.document.stage(1, false);
    QVERIFY(red && red->line(red->errorLine).contains("R.addd"));
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none", "stage=2"}));
    QCOMPARE(bench.debug.state(), RunState::Ended);
  }

  /// Whatever else lies in a folder is a red row or none: nothing waits, and the stages are there.
  void opensWhateverLiesInAFolder() {
    QTemporaryDir folder;
    const QByteArray good = contentOf(kSamples + "mlp/module.py");
    for (const char* name : {"debug-phase0.py", "my own name.py", ".hidden.py"})
      QVERIFY(write(folder.filePath(name), good));
    QVERIFY(write(folder.filePath("two.py"), good + good));
    QVERIFY(write(folder.filePath("binary.py"), QByteArray("\x7f"
                                                           "ELF\x02\x00",
                                                           6)));
    QVERIFY(write(folder.filePath("empty.py"), ""));
    QVERIFY(write(folder.filePath("later.txt"), good));
    QVERIFY(write(folder.filePath("notes.txt"), "see @mlp: the weights of phase 0 are those of debug-phase0.py\n"));
    QVERIFY(QDir(folder.path()).mkpath("sub.py/deeper"));
    QVERIFY(write(folder.filePath("sub.py/deeper/x.py"), good));
    QVERIFY(QFile::link("debug-phase0.py", folder.filePath("link.py")));
    QVERIFY(QFile::link("loop.py", folder.filePath("loop.py")));
    QVERIFY(QFile::link("/dev/zero", folder.filePath("zero.py")));
    QCOMPARE(mkfifo(QFile::encodeName(folder.filePath("pipe.py")).constData(), 0600), 0);
    LiveBench bench;
    QVERIFY(bench.does("file.open", {folder.path()}));
    QCOMPARE(namesOf(bench.document), (QStringList{"binary", "debug-phase0", "empty", "later", "link", "loop",
                                                   "my own name", "pipe", "two", "zero"}));
    QStringList red;
    for (const StepRow& row : bench.document.steps())
      if (row.state == StepState::Failed) red << row.name;
    QCOMPARE(red, (QStringList{"binary", "empty", "loop", "pipe", "zero"}));
    bool told = false;
    for (const ProblemRow& row : bench.document.problems())
      told = told || (row.stage == 8 && row.rule == "import.several");
    QVERIFY(told);
  }
};

QTEST_MAIN(LiveDumpsTest)
#include "tst_live_dumps.moc"
