// One selection in the window: the caret makes it, every text shows it, stages and stops move it.
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>

#include "live_bench.h"
#include "views/models/origin_chain.h"
#include "views/panels/panel.h"
#include "views/text/text_view.h"

using namespace rx;
using namespace rx::views;

namespace {

TextView* textOf(LiveBench& bench, const char* panel) { return bench.window.panel(panel)->findChild<TextView*>(); }

int lineOf(LiveBench& bench, const QString& name) {
  const StageIndexPtr stage = bench.document.stage(bench.selection.place().stage);
  return stage->function("main")->bindingNamed(name)->line;
}

/// A click into a line of the IR, at its indentation.
void clickLine(LiveBench& bench, int line) {
  TextView* text = textOf(bench, "ir");
  text->revealLine(static_cast<uint32_t>(line - 1));
  const qreal y = (text->rows().rowOf(static_cast<uint32_t>(line - 1)) + 0.5) * text->lineHeight() -
                  text->verticalScrollBar()->value();
  QTest::mouseClick(text->viewport(), Qt::LeftButton, {}, QPointF(text->textLeft() + 4, y).toPoint());
}

}  // namespace

class LiveSelectionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// A click anywhere in a line, and keys, select what it binds; F9 acts on that line and on no other.
  void theCaretSelects() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("view.panel", {"ir"}));
    clickLine(bench, lineOf(bench, "weights"));
    QCOMPARE(bench.selection.place().variable, QString("weights"));
    QTest::keyClick(textOf(bench, "ir"), Qt::Key_Up);
    QCOMPARE(bench.selection.place().variable, QString("total"));
    QVERIFY(bench.does("debug.toggleBreakpoint"));
    QCOMPARE(bench.debug.breakpoints().size(), size_t{1});
    QCOMPARE(bench.debug.breakpoints().front().variable, QString("total"));
    // `R.output` binds nothing: there is nothing to set or remove.
    clickLine(bench, lineOf(bench, "gv") + 1);
    QCOMPARE(bench.selection.place().binding, -1);
    QVERIFY(!bench.window.run("debug.toggleBreakpoint"));
    QCOMPARE(bench.debug.breakpoints().size(), size_t{1});
    QVERIFY(bench.does("edit.goToLine", {QString::number(lineOf(bench, "scores"))}));
    QCOMPARE(bench.selection.place().variable, QString("scores"));
    // Found text is under the caret too.
    QVERIFY(bench.does("edit.find", {"mixed_t"}));
    QCOMPARE(bench.selection.place().variable, QString("mixed_t"));
  }

  /// A function within a function stands where its own text begins, not at the end of the line before.
  void aFunctionWithin() {
    LiveBench bench;
    QVERIFY(bench.open("branch"));
    QVERIFY(bench.does("select.binding", {"shifted"}));
    const QStringList text = bench.window.dump("ir").split('\n');
    const int line = lineOf(bench, "shifted");
    QCOMPARE(text.value(line - 1).trimmed(), QString("@R.function"));
    QVERIFY(text.value(line).trimmed().startsWith("def shifted("));
    QVERIFY(bench.does("view.panel", {"ir"}));
    clickLine(bench, line - 1);
    QVERIFY(bench.selection.place().variable != "shifted");
  }

  /// The line is marked without the focus as with it, in the text and in the source.
  void everyTextShowsIt() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("view.panel", {"source"}));
    QVERIFY(bench.does("select.binding", {"powers"}));
    const int line = lineOf(bench, "powers");
    QVERIFY(textOf(bench, "ir")->selectedLine() == uint32_t(line - 1));
    const auto& links = textOf(bench, "ir")->decorations().links;
    const auto framed = [&](LinkRole role) {
      return std::count_if(links.begin(), links.end(), [&](const Link& link) {
        return link.id == textOf(bench, "ir")->selectedId() && link.role == role;
      });
    };
    QCOMPARE(framed(LinkRole::Definition), 1);
    QCOMPARE(framed(LinkRole::Use), 2);  // in total and weights
    QVERIFY(textOf(bench, "source")->selectedLine() == uint32_t(line - 1));  // the sample is written as it is printed
    QVERIFY(!textOf(bench, "ir")->hasFocus());
    // From the source back: of a later stage it is what came from that line.
    QVERIFY(bench.does("pass.goTo", {"9"}));
    QVERIFY(bench.does("view.panel", {"source"}));
    QVERIFY(bench.window.panel("source")->command("goToLine", {QString::number(line + 1)}));
    QCOMPARE(bench.selection.place().variable, QString("total"));
    QCOMPARE(bench.selection.place().stage, 9);
    QVERIFY(!bench.window.panel("source")->command("goToLine", {"99999"}));
  }

  /// Another stage shows what came from the same line; where nothing is left, the pass that took it away is said.
  void stagesKeepIt() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("select.binding", {"weights"}));
    QVERIFY(bench.does("pass.goTo", {"9"}));
    QCOMPARE(bench.selection.place().variable, QString("weights"));
    const StageIndexPtr planned = bench.document.stage(9);
    QVERIFY(planned->function("main")->binding(bench.selection.place().binding));
    QVERIFY(bench.does("select.binding", {"alloc12"}));
    QVERIFY(bench.does("pass.goTo", {"0"}));
    QCOMPARE(bench.selection.place().variable, QString("weights"));
    QVERIFY(bench.does("pass.goTo", {"16"}));
    const Place& last = bench.selection.place();
    const BindingRow* row = bench.document.stage(16)->function("main")->binding(last.binding);
    QVERIFY(row && !row->origins.empty());
    QCOMPARE(row->origins.front().variable, QString("weights"));
    QVERIFY(bench.does("pass.goTo", {"4"}));
    QCOMPARE(bench.selection.place().variable, QString("weights"));
  }

  /// A stop raises the text, marks what was made and points at what runs next, at the entry too.
  void aStopIsSeen() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("pass.goTo", {"4"}));
    QVERIFY(bench.does("pass.goTo", {"0"}));
    QVERIFY(bench.does("view.panel", {"diff"}));
    QVERIFY(textOf(bench, "ir")->visibleRegion().isEmpty());
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(!textOf(bench, "ir")->visibleRegion().isEmpty());
    QVERIFY(textOf(bench, "ir")->currentLine() == uint32_t(lineOf(bench, "q") - 1));
    QVERIFY(bench.does("debug.stepOver", {"3"}));
    QVERIFY(bench.debug.stop().nextBinding >= 0);
    const FunctionRow* main = bench.document.stage(0)->function("main");
    const BindingRow* next = main->binding(bench.debug.stop().nextBinding);
    const BindingRow* made = main->binding(bench.selection.place().binding);
    QVERIFY(next && made);
    QCOMPARE(made->ordinal, next->ordinal - 1);
    QVERIFY(bench.debug.valueOf("main", made->ordinal).known);
    QVERIFY(textOf(bench, "ir")->currentLine() == uint32_t(next->line - 1));
    QVERIFY(textOf(bench, "ir")->selectedLine() == uint32_t(made->line - 1));
    // What somebody selects meanwhile stays selected.
    QVERIFY(bench.does("select.binding", {"gv"}));
    QVERIFY(bench.does("debug.toggleBreakpoint"));
    QCOMPARE(bench.selection.place().variable, QString("gv"));
  }

  /// Where a NaN is made the run stands behind what made it: that is selected and marked, also before any other stop,
  /// and the toolbar says what this run stops at.
  void aStopAtABadValue() {
    QTemporaryDir folder;
    const QString file = folder.filePath("root.py");
    QVERIFY(write(file,
                  "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((8,), \"float32\")):\n"
                  "        square = R.multiply(x, x)\n        below = R.negative(square)\n"
                  "        one = R.sqrt(below)\n        both = R.add(one, below)\n        return both\n"));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {file}));
    const auto* button = bench.window.findChild<QToolButton*>("stopOn");
    const auto says = [&](const char* what) { return button->accessibleName().contains(what); };
    QVERIFY(button && says("entry only"));
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=nonfinite"}));
    QCOMPARE(bench.selection.place().variable, QString("one"));
    QVERIFY2(bench.window.statusText().contains("next: both"), qPrintable(bench.window.statusText()));
    const std::vector<ProblemRow> problems = bench.document.problems();
    const auto found = std::find_if(problems.begin(), problems.end(),
                                    [](const ProblemRow& row) { return row.rule == "run.stopped"; });
    QVERIFY(found != problems.end());
    QCOMPARE(found->line, lineOf(bench, "one"));
    QVERIFY(says("NaN"));
    QVERIFY(bench.does("debug.stop"));
    QVERIFY(says("entry only"));
    // An operation that reads a value twice says so.
    QVERIFY(bench.does("select.binding", {"square"}));
    const QString inspector = bench.window.dump("inspector");
    QVERIFY2(inspector.contains("0 R.multiply(x, x)"), qPrintable(inspector));
  }

  /// Where kernels write into buffers, the call that wrote one made its value, and not what allocated it.
  void aStopBehindAKernel() {
    LiveBench bench;
    QVERIFY(bench.open("mlp") && bench.does("pass.goTo", {"16"}) && bench.does("debug.start", {"main"}));
    const auto selected = [&] {
      return bench.document.stage(16)->function("main")->binding(bench.selection.place().binding);
    };
    QVERIFY(bench.does("debug.stepOver", {"3"}));
    QVERIFY(selected() && !selected()->writes.empty());
    QVERIFY(bench.window.dump("inspector").contains("Value made by step"));
    QVERIFY(bench.does("debug.continue"));
    QVERIFY(selected() && !selected()->writes.empty());
    QVERIFY2(selected()->callee.contains("softmax"), qPrintable(selected()->callee));
  }

  /// Types are left out for values alone: before a run they stand there, however wide one of them is.
  void typesGiveWayToValuesAlone() {
    LiveBench bench;
    QVERIFY(bench.open("resnet18"));
    QVERIFY(bench.does("view.layoutRead"));
    QVERIFY(textOf(bench, "ir")->typeForm() == TypeForm::Short);
  }

  /// A plain breakpoint stops before its line, one whose condition names the line's own value behind it.
  void conditionsSeeTheirOwnValue() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("debug.toggleBreakpoint", {"weights"}));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.stop().variable, QString("weights"));
    const int ordinal = bench.document.stage(0)->function("main")->bindingNamed("weights")->ordinal;
    QVERIFY(!bench.debug.valueOf("main", ordinal).known);
    const int id = bench.debug.breakpoints().front().id;
    bench.debug.setBreakpointRule(id, {"weights.nan > 0", {}, {}});
    QVERIFY(bench.settle());
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY(bench.debug.valueOf("main", ordinal).nan > 0);
    QCOMPARE(bench.selection.place().variable, QString("weights"));
    QCOMPARE(bench.debug.stop().variable, QString("mixed"));
    // One that is not true of it lets the run go on.
    bench.debug.setBreakpointRule(id, {"weights.nan == 123456", {}, {}});
    QVERIFY(bench.settle());
    QVERIFY(bench.does("debug.restart"));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.state(), RunState::Ended);
  }

  /// Where a name is taken the text writes another: the tree, the graph and the Inspector call a binding as the text
  /// does, and it is found by that.
  void namesAreThoseOfTheText() {
    LiveBench bench;
    QTemporaryDir folder;
    const QString path = folder.filePath("twice.py");
    QVERIFY(write(path, R"(@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), c: R.Tensor((), "bool")):
        lv1 = R.add(x, x)
        if c:
            lv1 = R.multiply(lv1, x)
            y = R.exp(lv1)
        else:
            y = R.tanh(lv1)
        lv1 = R.negative(y)
        return lv1
)"));
    QVERIFY(bench.does("file.open", {path}));
    const QString text = bench.window.dump("ir");
    QVERIFY2(text.contains("lv1_1: ") && text.contains("y_1: "), qPrintable(text));
    for (const char* panel : {"module", "graph"}) {
      const QString shown = bench.window.dump(panel);
      QVERIFY2(shown.contains("lv1_1") && shown.contains("y_1"), qPrintable(shown));
    }
    QVERIFY(bench.does("select.binding", {"lv1_1"}));
    QVERIFY2(bench.window.dump("inspector").startsWith("lv1_1 "), qPrintable(bench.window.dump("inspector")));
  }

  /// Frames of callers name their binding, with its line in the text of the stage.
  void callersAreNamed() {
    LiveBench bench;
    QVERIFY(bench.open("branch"));
    QVERIFY(bench.does("debug.start", {"main"}));
    for (int i = 0; i < 60 && bench.debug.frames().size() < 2; ++i) QVERIFY(bench.does("debug.stepInto"));
    QVERIFY(bench.debug.frames().size() >= 2);
    const StageIndexPtr stage = bench.document.stage(bench.debug.config().stage);
    for (const FrameRow& frame : bench.debug.frames()) {
      const FunctionRow* function = stage->function(frame.function);
      const BindingRow* binding = function ? function->binding(frame.binding) : nullptr;
      QVERIFY2(binding, qPrintable(frame.function));
      QCOMPARE(frame.variable, binding->name);
      QCOMPARE(frame.line, binding->line);
    }
  }

  /// What a branch gives is used by its `if`.
  void anIfUsesItsBranches() {
    LiveBench bench;
    QVERIFY(bench.open("branch"));
    const FunctionRow* main = bench.document.stage(0)->function("main");
    const BindingRow* chosen = main->bindingNamed("y");
    QVERIFY(chosen && chosen->form == BindingForm::If);
    int inside = 0;
    for (const BindingRow& row : main->bindings) {
      if (row.parent != chosen->ordinal) continue;
      inside += std::count(row.usedBy.begin(), row.usedBy.end(), chosen->ordinal) > 0;
    }
    QVERIFY(inside > 0);
  }
};

QTEST_MAIN(LiveSelectionTest)
#include "tst_live_selection.moc"
