// The stages of a kernel in the window: made by the real program, two side by side, linked by line in both directions;
// what the program refuses is said, and what was shown stays where work is cancelled.
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTextBlock>
#include <QToolButton>

#include "live_bench.h"
#include "views/models/kernel_steps.h"
#include "views/panels/kernel/kernel_facts.h"
#include "views/panels/kernel/kernel_sides.h"
#include "views/panels/kernel/kernel_strip.h"
#include "views/panels/kernel/kernel_tune.h"
#include "views/panels/kernel/sample_bars.h"
#include "views/panels/profile/roofline_view.h"
#include "views/shell/run_arguments.h"
#include "views/text/text_view.h"

using namespace rx::views;

namespace {

/// The lines of one side of the panel's dump that are marked; `side` counts from 0.
QStringList markedOf(const QString& dump, int side) {
  QStringList marked;
  int at = -1;
  for (const QString& line : dump.split('\n')) {
    if (line.startsWith("--- ")) ++at;
    if (at == side && line.startsWith("> ")) marked << line.mid(2).trimmed();
  }
  return marked;
}

/// What the bars beside a text say of its lines.
QString barsBeside(const KernelSides& sides, KernelSides::Side side) {
  const auto* bars = sides.view(side)->parentWidget()->findChild<SampleBars*>();
  return bars && bars->isVisible() ? bars->accessibleDescription() : QString();
}

/// From 1; 0 where no line of the side has the text.
int lineWith(const KernelSides& sides, KernelSides::Side side, const QString& text) {
  const QStringList lines = QString::fromUtf8(sides.view(side)->buffer()->text().data(),
                                              static_cast<qsizetype>(sides.view(side)->buffer()->text().size()))
                                .split('\n');
  for (int i = 0; i < lines.size(); ++i)
    if (lines[i].contains(text)) return i + 1;
  return 0;
}

}  // namespace

class LiveKernelTest : public QObject {
  Q_OBJECT

  /// The pipeline takes what was quickest, as text that can be taken back; packages and both dialogs take it where
  /// asked.
  static void useTuned(LiveBench& bench) {
    // Whatever this machine measures, a variant is the quickest.
    QByteArray file;
    for (const QByteArray& line : contentOf(KernelTune::database()).split('\n')) {
      QJsonObject trial = QJsonDocument::fromJson(line).object();
      if (trial.isEmpty()) continue;
      trial["microseconds"] = trial["choices"].toObject().isEmpty() ? 100 : 1;
      file += QJsonDocument(trial).toJson(QJsonDocument::Compact) + '\n';
    }
    QVERIFY(write(KernelTune::database(), file));
    QVERIFY(bench.does("profile.useTuned"));
    QVERIFY2(bench.document.pipeline().contains("ApplySchedules(") && bench.document.pipeline().contains("tuned={"),
             qPrintable(bench.document.pipeline()));
    QVERIFY(bench.does("pass.goTo", {"ApplySchedules"}));
    const QByteArray text = bench.document.stage(bench.selection.place().stage)->text;
    QVERIFY(text.contains(", tuned {"));
    QVERIFY(bench.does("pipeline.undo"));
    QCOMPARE(bench.document.pipeline(), QString("optimized"));
    const QStringList tool = packageArguments(bench.document, "out", {}, PackagePasses::Usual, KernelTune::database());
    QCOMPARE(tool.value(tool.indexOf("--tuned") + 1), KernelTune::database());
    QVERIFY(!packageArguments(bench.document, "out", {}, PackagePasses::Usual).contains("--tuned"));
    for (const char* dialog : {"export", "pipeline"}) {
      QVERIFY(bench.window.showDialog(dialog).isEmpty());
      const auto* asked = bench.window.findChild<QCheckBox*>("tuned");
      QVERIFY2(asked && asked->isEnabled() && !asked->isChecked(), dialog);
      for (QDialog* open : bench.window.findChildren<QDialog*>()) delete open;
    }
  }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// TIR beside assembly; a line marks what it became, a line there what it came from; the loop says what is in it.
  void linksLines() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.pipeline", {"optimized"}));
    QVERIFY(bench.does("pass.goTo", {"FuseTIR"}));
    QVERIFY(bench.does("select.function", {"fused_matmul_add_relu"}));
    QVERIFY(bench.does("kernel.stages", {"on"}));
    const auto* sides = bench.window.panel("kernel")->findChild<KernelSides*>();
    QVERIFY(sides && sides->listing());
    QString dump = bench.window.dump("kernel");
    QVERIFY2(dump.startsWith("By rule: ") && dump.contains(" vector registers ("), qPrintable(dump.left(300)));

    const int sum = lineWith(*sides, KernelSides::Left, " * ");
    QVERIFY(sum > 0);
    QVERIFY(bench.does("kernel.line", {"left", QString::number(sum)}));
    dump = bench.window.dump("kernel");
    QVERIFY2(dump.contains("Loop at the caret, lines "), qPrintable(dump.left(400)));
    QVERIFY(!markedOf(dump, 1).isEmpty());
    QCOMPARE(markedOf(dump, 0).size(), 1);
    const QString source = markedOf(dump, 0).front();

    // Over to what it became, and from there back to where it came from.
    QVERIFY(bench.does("kernel.cross"));
    QCOMPARE(sides->active(), KernelSides::Right);
    dump = bench.window.dump("kernel");
    QCOMPARE(markedOf(dump, 1).size(), 1);
    QVERIFY2(markedOf(dump, 0).contains(source), qPrintable(markedOf(dump, 0).join('\n')));
    QVERIFY(bench.does("kernel.cross"));
    QCOMPARE(sides->active(), KernelSides::Left);

    // Other stages; each side by itself.
    QVERIFY(bench.does("kernel.left", {"scheduled"}));
    QVERIFY(bench.does("kernel.rightBefore"));
    dump = bench.window.dump("kernel");
    QVERIFY2(dump.contains("  Scheduled · SplitLayoutRewritePreproc") && dump.contains("  LLVM IR, optimised"),
             qPrintable(dump));
    QVERIFY(!bench.window.run("kernel.left", {"nothing"}));
    QVERIFY(!bench.window.run("kernel.left", {"99"}));
    QVERIFY(!bench.window.run("kernel.line", {"left", "100000"}));

    // The next kernel that is selected is shown in the same stages; without stages the text stands there again.
    QVERIFY(bench.does("select.function", {"softmax"}));
    QCOMPARE(sides->listing()->name, QString("softmax"));
    QVERIFY(bench.window.dump("kernel").contains("  Scheduled · ApplySchedules"));
    QVERIFY(bench.does("kernel.stages", {"off"}));
    QVERIFY(bench.window.dump("kernel").trimmed().startsWith("@T.prim_func"));
  }

  /// Lines say what they take of the time; a kernel whose sizes only a run knows has its stages all the same.
  void samples() {
    LiveBench bench;
    QVERIFY(bench.open("simplenet"));
    QVERIFY(bench.does("pass.pipeline", {"optimized"}));
    QVERIFY(bench.does("pass.goTo", {"FuseTIR"}));
    QString kernel;
    for (const FunctionRow& function : bench.document.stage(bench.selection.place().stage)->functions)
      if (function.name.contains("conv2d")) kernel = function.name;
    QVERIFY(bench.does("select.function", {kernel}));
    QVERIFY(!bench.window.run("kernel.samples", {"on"}));
    QVERIFY(bench.does("kernel.stages", {"on"}));
    QVERIFY(bench.does("kernel.samples", {"on"}));
    const auto* sides = bench.window.panel("kernel")->findChild<KernelSides*>();
    QVERIFY(sides && sides->listing());
    QVERIFY2(!sides->listing()->samples.empty(), qPrintable(bench.window.dump("kernel").left(600)));
    QVERIFY(bench.window.dump("kernel").contains(" samples, run on zeros: "));
    for (const auto side : {KernelSides::Left, KernelSides::Right}) QVERIFY(!barsBeside(*sides, side).isEmpty());
    const QRegularExpression loop(
        "Loop at the caret, lines \\d+ to \\d+, [\\d.]+ % of the samples: \\d+ instructions, \\d+ of \\d+ vector "
        "registers");
    QVERIFY2(loop.match(bench.window.dump("kernel")).hasMatch(), qPrintable(bench.window.dump("kernel").left(600)));
    QVERIFY(bench.does("kernel.samples", {"off"}));
    QVERIFY(sides->listing()->samples.empty());

    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("pass.pipeline", {"optimized"}));
    QVERIFY(bench.does("pass.goTo", {"FuseTIR"}));
    for (const FunctionRow& function : bench.document.stage(bench.selection.place().stage)->functions)
      if (function.prim && function.name.contains("matmul")) kernel = function.name;
    QVERIFY(bench.does("select.function", {kernel}));
    QVERIFY(bench.does("kernel.samples", {"on"}));
    // With the sizes that the files beside the module have.
    QVERIFY2(!sides->listing()->samples.empty(), qPrintable(bench.window.dump("kernel").left(600)));

    QTemporaryDir folder;
    QFile file(folder.filePath("alone.py"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"(from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 64), "float32")):
        y = R.exp(x)
        return y
)");
    file.close();
    QVERIFY(bench.does("file.open", {file.fileName()}));
    QVERIFY(bench.does("pass.pipeline", {"optimized"}));
    QVERIFY(bench.does("pass.goTo", {"FuseTIR"}));
    QVERIFY(bench.does("select.function", {"tir_exp"}));
    QVERIFY2(bench.window.dump("kernel").contains("no samples: only a run knows the sizes of "),
             qPrintable(bench.window.dump("kernel").left(600)));
    QVERIFY(bench.window.dump("kernel").contains("  Assembly\n"));
  }

  /// Where there is room three stages stand side by side, linked each to each, and the strip below says what is in
  /// them.
  void threeInAWideWindow() {
    LiveBench bench;
    bench.window.resize(1900, 1000);
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.pipeline", {"optimized"}));
    QVERIFY(bench.does("pass.goTo", {"FuseTIR"}) && bench.does("view.layout", {"Profile"}));
    QVERIFY(bench.does("select.function", {"fused_matmul_add_relu"}));
    QVERIFY(bench.does("view.panel", {"kernel"}) && bench.does("kernel.stages", {"on"}));
    Panel* panel = bench.window.panel("kernel");
    const auto* sides = panel->findChild<KernelSides*>();
    const auto* strip = panel->findChild<KernelStrip*>();
    QVERIFY(sides->hasMiddle() && strip->isVisible());
    // It begins at the line that the loop of the machine code computes.
    QString dump = bench.window.dump("kernel");
    QCOMPARE(dump.count("\n--- "), 3);
    QVERIFY2(markedOf(dump, 0).value(0).contains(" * "), qPrintable(markedOf(dump, 0).join('|')));
    QVERIFY2(markedOf(dump, 1).value(0).contains("T.fma("), qPrintable(markedOf(dump, 1).join('|')));
    QVERIFY(!markedOf(dump, 2).isEmpty());
    QVERIFY(strip->accessibleDescription().contains("host.Products"));
    QVERIFY(sides->listing()->helps.value("host.Products").startsWith("products of matrices"));
    // Instructions are counted, and what a turn costs is told by the ports of the processor, or why nobody knows.
    const KernelLoop* loop = sides->machineLoop();
    QVERIFY(loop);
    if (sides->listing()->noTurns.isEmpty()) {
      QVERIFY(loop->turn && loop->turn->cycles > 0 && !loop->turn->lines.empty());
      QVERIFY2(strip->accessibleDescription().contains(" cycles a turn on "),
               qPrintable(strip->accessibleDescription()));
      QVERIFY2(dump.contains(QRegularExpression("Loop \\S+: \\d+ instructions, [\\d.]+ cycles a turn")),
               qPrintable(dump));
      const int line = loop->turn->lines.front().first;
      QVERIFY(sides->view(KernelSides::Right)->decorations().notes.of(static_cast<uint32_t>(line - 1)));
    } else {
      QVERIFY(strip->accessibleDescription().contains("No port cycles: "));
    }
    QVERIFY(panel->command("middle", {"lowered"}));
    QVERIFY(!panel->command("middle", {"nothing"}));
    // A stage that stands there already is not shown twice, and a narrow window has two.
    QVERIFY(panel->command("middle", {"asm"}) && !sides->hasMiddle());
    QVERIFY(panel->command("middle", {"scheduled"}) && sides->hasMiddle());
    bench.window.resize(1024, 700);
    QVERIFY(bench.settle());
    QVERIFY(!sides->hasMiddle());
    QCOMPARE(bench.window.dump("kernel").count("\n--- "), 2);
  }

  /// What becomes of a kernel is a list; a row of it shows the text after that step, with what is new in it.
  void stepByStep() {
    LiveBench bench;
    bench.window.resize(1900, 1000);
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.pipeline", {"optimized"}));
    QVERIFY(bench.does("pass.goTo", {"FuseTIR"}) && bench.does("view.layout", {"Profile"}));
    QVERIFY(bench.does("select.function", {"fused_matmul_add_relu"}));
    QVERIFY(!bench.window.run("kernel.step"));
    QVERIFY(bench.does("kernel.stages", {"on"}));
    const auto* sides = bench.window.panel("kernel")->findChild<KernelSides*>();
    auto* steps = bench.window.panel("steps");
    QVERIFY(steps && steps->isVisible() && bench.window.panel("kernel")->isVisible());
    const QString list = steps->dump();
    for (const QString& part : {"TIR\n", "Schedule  ", " primitives\n", "transform_block_layout b0",
                                "compute_inline b1", "schedule_stages b3", "by rule matmul: host.Products",
                                "Lowering  ", "FlattenBuffer", "Machine\n", ">     Assembly"})
      QVERIFY2(list.contains(part), qPrintable(part + "\n" + list));
    // Each primitive that changes the kernel has a text of its own; those that look something up have not.
    int stepped = 0;
    for (const KernelStepRow& row : kernelSteps(*sides->listing())) {
      if (row.heading || row.looksUp || !row.rest.contains("sch.")) continue;
      const KernelStageText& stage = sides->listing()->stages[static_cast<size_t>(row.stage)];
      QCOMPARE(stage.stage, QString("step"));
      QCOMPARE(stage.made, row.rest);
      ++stepped;
      QVERIFY(bench.does("kernel.step", {QString::number(row.stage)}));
      QCOMPARE(sides->stage(KernelSides::Middle), row.stage);
      QCOMPARE(bench.window.findChild<KernelShown*>()->current(), row.stage);
      QCOMPARE(sides->view(KernelSides::Middle)->decorations().lineTones.size(),
               newLines(*sides->listing(), row.stage).size());
      const QString foot = bench.window.dump("kernel").section("  ... ", 1, 1).section('\n', 0, 0);
      QVERIFY2(foot.startsWith(stage.made.left(60)) && foot.contains(" new"), qPrintable(foot));
    }
    QVERIFY(stepped >= 2);
    // What belongs together stays marked where the side of the caret shows another step.
    QVERIFY(bench.does("kernel.line", {"middle", QString::number(lineWith(*sides, KernelSides::Middle, "T.fma("))}));
    QVERIFY(bench.does("kernel.step", {"previous"}));
    QVERIFY(!sides->view(KernelSides::Right)->decorations().bands.empty());
    const int last = sides->step();
    QVERIFY(bench.does("kernel.step"));
    QCOMPARE(sides->step(), last + 1);
    QVERIFY(bench.does("kernel.stepBack") && bench.does("kernel.stepBack"));
    QCOMPARE(sides->step(), last - 1);
    QVERIFY(bench.does("kernel.step", {"asm"}));
    QCOMPARE(sides->stage(KernelSides::Right), sides->step());
    QVERIFY(!bench.window.run("kernel.step") && !bench.window.run("kernel.step", {"nothing"}));
    QVERIFY(bench.does("kernel.stages", {"off"}));
    QVERIFY(bench.window.panel("steps")->dump().isEmpty());
  }

  /// Where no rule did anything it is said why, and the way on is a button: the pipeline that asks the rules, or a
  /// schedule to be written.
  void withoutASchedule() {
    LiveBench bench;
    bench.window.resize(1900, 1000);
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.goTo", {"LegalizeOps"}) && bench.does("view.layout", {"Profile"}));
    QVERIFY(bench.does("select.function", {"softmax"}) && bench.does("kernel.stages", {"on"}));
    Panel* panel = bench.window.panel("kernel");
    const auto* sides = panel->findChild<KernelSides*>();
    auto* forward = panel->findChild<QPushButton*>("kernelForward");
    QVERIFY(forward && forward->isVisible());
    QCOMPARE(forward->text(), QString("Compile with optimized"));
    QVERIFY2(bench.window.panel("steps")->dump().contains("none: no rule was asked"),
             qPrintable(bench.window.panel("steps")->dump()));
    forward->click();
    QVERIFY(bench.settle());
    QVERIFY2(!sides->listing()->rules.isEmpty() && !forward->isVisible(),
             qPrintable(bench.window.dump("kernel").left(400)));

    // What its author scheduled stays so, and says it.
    QTemporaryDir folder;
    QVERIFY(write(folder.filePath("own.py"), R"(# from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def own(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.func_attr({"tir.is_scheduled": True})
        for i in T.vectorized(64):
            with T.block("B"):
                v = T.axis.spatial(64, i)
                B[v] = A[v] + T.float32(1)
)"));
    QVERIFY(bench.does("file.open", {folder.filePath("own.py")}));
    QVERIFY(bench.does("pass.pipeline", {"optimized"}));
    QVERIFY(bench.does("select.function", {"own"}) && bench.does("kernel.stages", {"on"}));
    QVERIFY2(bench.window.dump("kernel").contains(
                 "it is given as scheduled (tirx.is_scheduled), which rules leave as it is"),
             qPrintable(bench.window.dump("kernel").left(400)));
    QCOMPARE(forward->text(), QString("Write a Schedule…"));
    QVERIFY(forward->isVisible());
    forward->click();
    QVERIFY(panel->findChild<QPlainTextEdit*>()->isVisible());
  }

  /// Variants are measured from the view, a cancelled tuning goes on where it ended, and the quickest can be looked at.
  void tunes() {
    QStandardPaths::setTestModeEnabled(true);
    QFile::remove(KernelTune::database());
    LiveBench bench;
    bench.window.resize(1900, 1000);
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.pipeline", {"optimized"}));
    QVERIFY(bench.does("pass.goTo", {"FuseTIR"}) && bench.does("view.layout", {"Profile"}));
    QVERIFY(bench.does("select.function", {"fused_matmul_add_relu"}));
    QVERIFY(!bench.window.run("kernel.tune"));
    QVERIFY(bench.does("kernel.stages", {"on"}));
    QVERIFY(!bench.window.run("kernel.tune", {"none"}) && !bench.window.run("kernel.tune", {"off"}));
    const auto* tune = bench.window.panel("kernel")->findChild<KernelTune*>();
    QVERIFY(bench.window.run("kernel.tune", {"1000"}));
    QVERIFY(bench.window.panel("kernel")->busy() && !bench.window.run("kernel.tune"));
    QVERIFY2(tune->said().startsWith("Tuning fused_matmul_add_relu: 0 of at most 1000 variants"),
             qPrintable(tune->said()));
    QVERIFY(QTest::qWaitFor([&] { return !contentOf(KernelTune::database()).isEmpty(); }, kPatience));
    QVERIFY(bench.does("kernel.tune", {"off"}));
    QVERIFY2(tune->said().contains("was cancelled after"), qPrintable(tune->said()));
    const int before = readTrials(contentOf(KernelTune::database()), "fused_matmul_add_relu").count;
    QVERIFY(before > 0);
    QVERIFY(bench.does("kernel.tune", {"2"}));
    const TuneTrials after = readTrials(contentOf(KernelTune::database()), "fused_matmul_add_relu");
    QVERIFY(after.count > before && after.count <= before + 2 && after.untuned > 0 && after.best <= after.untuned);
    QVERIFY2(tune->said().contains(QString("%1 variants measured").arg(after.count - before)),
             qPrintable(tune->said()));
    // What it came to is of this kernel alone.
    QVERIFY(bench.does("select.function", {"softmax"}));
    QVERIFY(tune->said().isEmpty());
    useTuned(bench);
    QFile::remove(KernelTune::database());
    QVERIFY(!bench.window.run("profile.useTuned"));
  }

  /// Damaged lines, lines of other kernels and those before are no trials.
  void readsTrials() {
    const QByteArray file =
        "{\"kernel\": \"a\", \"choices\": {}, \"microseconds\": 9}\nno JSON\n"
        "{\"kernel\": \"b\", \"choices\": {}, \"microseconds\": 1}\n"
        "{\"kernel\": \"a\", \"choices\": {\"rows\": 4, \"threads\": 1099511627776}, \"microseconds\": 7.5}\n"
        "{\"kernel\": \"a\", \"microseconds\": -1}\n{\"kernel\": \"a\", \"choi";
    const TuneTrials all = readTrials(file, "a");
    QCOMPARE(all.count, 2);
    QCOMPARE(all.untuned, 9.0);
    QCOMPARE(all.best, 7.5);
    QCOMPARE(all.choices, QString("rows=4, threads=1099511627776"));
    QCOMPARE(readTrials(file, "a", file.indexOf("no JSON")).count, 1);
    QCOMPARE(readTrials({}, "a").count, 0);
  }

  /// The schedule is text: changed and applied again it makes other stages, what is wrong in it is said at its place,
  /// and what rules make is there again when it is asked for.
  void editsTheSchedule() {
    // Folders of windows that are gone are named so too, and go when a tool is started: what is handed to it must not.
    const QString name = QCoreApplication::applicationName();
    const auto back = qScopeGuard([&] { QCoreApplication::setApplicationName(name); });
    QCoreApplication::setApplicationName("relaxscope");
    LiveBench bench;
    bench.window.resize(1600, 1000);
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.pipeline", {"optimized"}));
    QVERIFY(bench.does("pass.goTo", {"FuseTIR"}));
    QVERIFY(bench.does("select.function", {"fused_matmul_add_relu"}));
    QVERIFY(!bench.window.run("kernel.trace"));
    QVERIFY(bench.does("kernel.stages", {"on"}));
    const auto* sides = bench.window.panel("kernel")->findChild<KernelSides*>();
    const KernelListingPtr byRules = sides->listing();
    // Rules that made nothing of it say why.
    QVERIFY(!byRules->passedOver.empty());
    for (const auto& [rule, why] : byRules->passedOver) QVERIFY(rule.startsWith("host.") && !why.isEmpty());
    QVERIFY2(bench.window.dump("kernel").contains("Not by host."), qPrintable(bench.window.dump("kernel").left(400)));
    QVERIFY(bench.does("kernel.trace"));
    auto* edit = bench.window.panel("kernel")->findChild<QPlainTextEdit*>();
    QVERIFY(edit && edit->isVisible());
    QVERIFY2(edit->toPlainText().contains("sch.schedule_stages("), qPrintable(edit->toPlainText()));
    const QString whole = edit->toPlainText();
    const auto press = [&](const QString& title) {
      for (QPushButton* button : bench.window.panel("kernel")->findChildren<QPushButton*>())
        if (button->isVisible() && button->text() == title) return button->click(), bench.settle();
      return false;
    };
    edit->setPlainText(QString(whole).replace("sch.schedule_stages(", "sch.schedule_stage("));
    QVERIFY(press("Apply"));
    const auto* problem = bench.window.panel("kernel")->findChild<QLabel*>("traceProblem");
    QVERIFY2(problem->isVisible() && problem->text().contains("did you mean 'schedule_stages'"),
             qPrintable(problem->text()));
    QVERIFY(edit->textCursor().block().text().contains("sch.schedule_stage("));
    QVERIFY(sides->listing() == byRules);
    // Without its last line nothing is written with vectors: there is a schedule, but another one.
    edit->setPlainText(whole.section('\n', 0, -2));
    QVERIFY(press("Apply"));
    QVERIFY(sides->isVisible() && sides->listing() != byRules);
    QVERIFY2(bench.window.dump("kernel").startsWith("By the edited schedule"),
             qPrintable(bench.window.dump("kernel").left(200)));
    QVERIFY(sides->listing()->hasMachine && sides->listing()->rules.isEmpty());
    // It stays while the same kernel is selected; the text is as it was left.
    QVERIFY(bench.does("select.function", {"main"}) && bench.does("select.function", {"fused_matmul_add_relu"}));
    QVERIFY(bench.does("kernel.trace"));
    QVERIFY(press("As the rules made it"));
    QCOMPARE(edit->toPlainText(), whole);
    QTest::keyClick(edit, Qt::Key_Escape);
    QVERIFY(!edit->isVisible() && sides->isVisible());
    QVERIFY(bench.does("kernel.stages", {"off"}) && bench.does("kernel.stages", {"on"}));
    QVERIFY(sides->listing() == byRules);
  }

  /// A kernel that was run stands under the roof of the machine.
  void standsUnderTheRoof() {
    LiveBench bench;
    bench.window.resize(1900, 1000);
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.pipeline", {"optimized"}));
    QVERIFY(bench.does("pass.goTo", {"FuseTIR"}) && bench.does("view.layout", {"Profile"}));
    QVERIFY(bench.does("select.function", {"fused_matmul_add_relu"}));
    QVERIFY(bench.does("view.panel", {"kernel"}) && bench.does("kernel.stages", {"on"}));
    const auto* roof = bench.window.panel("kernel")->findChild<RooflineView*>();
    QVERIFY(roof && !roof->isVisible());
    QVERIFY(bench.does("kernel.samples", {"on"}));
    const auto* sides = bench.window.panel("kernel")->findChild<KernelSides*>();
    if (!sides->listing()->notSampled.isEmpty()) QSKIP("nobody can look at a run here");
    QVERIFY(sides->listing()->nanoseconds > 0);
    QVERIFY(roof->isVisible());
    QVERIFY2(roof->accessibleDescription().startsWith("1 kernels under a roof of "),
             qPrintable(roof->accessibleDescription()));
  }

  void usesOfRegisters() {
    const QByteArray assembly =
        "kernel:\n  vbroadcastss zmm8, dword ptr [rdx]\n  vfmadd231ps zmm6, zmm8, zmmword ptr [rsi]\n"
        "  vaddps xmm1, xmm6, xmm2\n  vmovups zmmword ptr [rax], zmm3\n  ret\n";
    std::vector<RegisterUse> uses = registerUses(assembly, 1, 6, 32);
    QCOMPARE(uses.size(), size_t(32));
    QCOMPARE(uses[6], RegisterUse::Sum);
    QCOMPARE(uses[8], RegisterUse::Loaded);
    QCOMPARE(uses[1], RegisterUse::Other);
    QCOMPARE(uses[3], RegisterUse::Other);  // it is stored
    QCOMPARE(uses[0], RegisterUse::None);
    uses = registerUses(assembly, 4, 4, 4);
    QCOMPARE(uses[2], RegisterUse::Other);
    QCOMPARE(uses[3], RegisterUse::None);  // the line is outside, as is register 6
    QVERIFY(registerUses(assembly, 5, 2, 0).empty());
  }

  /// Every part can be reached and has a name; nothing selected is said with a way forward.
  void reachable() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    Panel* panel = bench.window.panel("kernel");
    QVERIFY(!bench.window.run("kernel.stages", {"on"}));
    const auto* sides = panel->findChild<KernelSides*>();
    QStringList buttons;
    for (const QToolButton* button : panel->findChildren<QToolButton*>()) {
      if (button->text().isEmpty()) continue;  // of what the texts bring along
      buttons << button->text();
      QVERIFY2(!button->accessibleName().isEmpty(), qPrintable(button->text()));
    }
    QVERIFY2(buttons.contains("Stages") && buttons.contains("Cancel"), qPrintable(buttons.join(' ')));
    for (const QComboBox* box : sides->findChildren<QComboBox*>()) QVERIFY(!box->accessibleName().isEmpty());
    for (const auto side : {KernelSides::Left, KernelSides::Right})
      QVERIFY(!sides->view(side)->accessibleName().isEmpty());
  }

  /// A kernel that a later pass takes away has no machine code: that is said, and its text stays.
  void refusals() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.pipeline", {"optimized"}));
    QVERIFY(bench.does("pass.goTo", {"LegalizeOps"}));
    QVERIFY(bench.does("select.function", {"matmul"}));
    QVERIFY(bench.does("kernel.stages", {"on"}));
    const QString dump = bench.window.dump("kernel");
    QVERIFY2(dump.startsWith("No stages: the kernel 'matmul' is gone: FuseTIR took it away"), qPrintable(dump));
    QVERIFY2(dump.contains("def matmul("), qPrintable(dump));
  }

  /// What is asked for and then not waited for: nothing is left at work, and the text is as it was.
  void cancels() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.pipeline", {"optimized"}));
    QVERIFY(bench.does("pass.goTo", {"FuseTIR"}));
    QVERIFY(bench.does("select.function", {"softmax"}));
    QVERIFY(bench.window.run("kernel.stages", {"on"}));
    QVERIFY(bench.window.panel("kernel")->busy());
    QVERIFY(bench.window.run("kernel.cancel"));
    QVERIFY(!bench.window.panel("kernel")->busy());
    QVERIFY(!bench.window.run("kernel.cancel"));
    QVERIFY(!bench.window.panel("kernel")->findChild<KernelSides*>()->listing());
  }

  void notAListing_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("no JSON") << QByteArray("rxs: not found");
    QTest::newRow("another object") << QByteArray(R"({"ok": true})");
    QTest::newRow("no stages") << QByteArray(R"({"kernel": {"name": "k", "stages": []}})");
    QTest::newRow("made of itself") << QByteArray(
        R"({"kernel": {"name": "k", "stages": [{"of": 0, "text": "a"}, {"of": 1, "text": "b"}]}})");
    QTest::newRow("made of nothing") << QByteArray(R"({"kernel": {"name": "k", "stages": [{"of": -1, "text": "a"}]}})");
  }
  void notAListing() {
    QFETCH(QByteArray, text);
    QString problem;
    QVERIFY(!readKernel(text, &problem));
  }

  /// Turns of loops: ports by their cycles, lines outside the loop left out, and names without what all begin with.
  void turnsOfLoops() {
    QString problem;
    const KernelListingPtr read = readKernel(R"({"kernel": {"name": "k", "stages": [
      {"stage": "tir", "of": 0, "text": "a\n"},
      {"stage": "asm", "of": 0, "text": "x:\n  fma a\n  fma b\n  mov c\n"}],
      "machine": {"processor": "p", "loops": [{"first": 1, "last": 4, "depth": 1, "turn": {"cycles": 2, "limit": "port",
        "said": "XPort05 is always busy", "ports": {"XPort05": 2, "XPort1": 0.5},
        "lines": [{"line": 9, "ports": {"XPort1": 9}}, {"line": 3, "ports": {"XPort05": 1}},
                  {"line": 2, "ports": {"XPort05": 1}}, {"line": 4, "ports": {"XPort1": 0.5}}]}},
        {"first": 1, "last": 4, "depth": 2, "turn": {"cycles": -1}}]}}})",
                                             &problem);
    QVERIFY2(read, qPrintable(problem));
    const KernelLoop& loop = read->stages[1].loops[0];
    QVERIFY(loop.turn && !read->stages[1].loops[1].turn);
    QCOMPARE(loop.turn->lines.size(), size_t(3));
    QCOMPARE(loop.turn->ports.front().first, QString("XPort05"));
    QVERIFY(loop.turn->at(2) && !loop.turn->at(1) && !loop.turn->at(9));
    QCOMPARE(shortPort(*loop.turn, "XPort05"), QString("05"));
    const PortCycles names = cyclesByName(*read, loop);
    QCOMPARE(names.size(), size_t(2));
    QCOMPARE(names[0].first, QString("fma"));
    QCOMPARE(names[0].second, 2.0);
    QCOMPARE(names[1].second, 0.5);
  }

  /// Links to lines that no text has, and loops of lines that are not there, are left out; the rest is read.
  void damagedLinks() {
    QString problem;
    const KernelListingPtr read = readKernel(R"({"kernel": {"name": "k", "stages": [
      {"stage": "tir", "of": 0, "text": "a\nb\n", "loops": [{"first": 2, "last": 9, "depth": 1}]},
      {"stage": "asm", "of": 0, "text": "x\ny\nz", "from": [[1, 77, -3], "two", [2, 2]],
       "loops": [{"first": 1, "last": 3, "depth": 1}, {"first": 2, "last": 3, "depth": 2}]}]}})",
                                             &problem);
    QVERIFY2(read, qPrintable(problem));
    QCOMPARE(read->linked(1, 1, 0), KernelLines{1});
    QCOMPARE(read->linked(1, 2, 0), KernelLines());
    QCOMPARE(read->linked(0, 2, 1), KernelLines{3});
    QCOMPARE(read->linked(0, 2, 0), KernelLines{2});
    QCOMPARE(read->linked(5, 1, 0), KernelLines());
    QVERIFY(read->stages[0].loops.empty());
    QCOMPARE(read->stages[1].loopAt(3)->depth, 2);
    QCOMPARE(read->stages[1].loopAt(1)->depth, 1);
    QVERIFY(!read->stages[0].loopAt(1));
  }
};

QTEST_MAIN(LiveKernelTest)
#include "tst_live_kernel.moc"
