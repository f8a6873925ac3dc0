// The stages of a kernel in the window: made by the real program, two side by side, linked by line in both directions;
// what the program refuses is said, and what was shown stays where work is cancelled.
#include <QComboBox>
#include <QLabel>
#include <QToolButton>

#include "live_bench.h"
#include "views/models/kernel_listing.h"
#include "views/panels/kernel/kernel_sides.h"
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
    for (const auto side : {KernelSides::Left, KernelSides::Right})
      QVERIFY(!sides->view(side)->decorations().notes.empty());
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
    QVERIFY2(bench.window.dump("kernel").contains("no samples: only a run knows the sizes of "),
             qPrintable(bench.window.dump("kernel").left(600)));
    QVERIFY(bench.window.dump("kernel").contains("  Assembly\n"));
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
