// Breakpoints with conditions, hit counts, messages and data, set by commands and in the text, over a real engine.
#include <QAbstractItemView>
#include <QLineEdit>
#include <QTemporaryDir>

#include "live_bench.h"
#include "views/panels/breakpoints/breakpoints_panel.h"
#include "views/panels/expression_edit.h"
#include "views/panels/ir_text/condition_editor.h"
#include "views/panels/ir_text/ir_text_panel.h"
#include "views/text/text_view.h"

using namespace rx;
using namespace rx::views;

class LiveBreakpointsTest : public QObject {
  Q_OBJECT

  static const BreakpointRow& only(const LiveBench& bench) { return bench.debug.breakpoints().front(); }
  static QString logged(const LiveBench& bench) {
    QStringList lines;
    for (const LogLine& line : bench.debug.log()) lines << line.text;
    return lines.join('\n');
  }
  static TextView* text(LiveBench& bench) { return static_cast<IrTextPanel*>(bench.window.panel("ir"))->view(); }
  static ConditionEditor* editor(LiveBench& bench) { return qobject_cast<ConditionEditor*>(text(bench)->inset()); }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  void conditionStopsWhereItIsTrue() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("select.binding", {"weights"}));
    QVERIFY(bench.does("debug.condition", {"nan(total)", ">", "0"}));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.stop().reason, QString("breakpoint"));
    QCOMPARE(bench.debug.stop().description, QString("condition nan(total) > 0 is true"));
    QCOMPARE(only(bench).hits, 1);
    QVERIFY(bench.window.dump("breakpoints").contains("where nan(total) > 0\t1\t"));
    // Kept over a restart, where counting begins anew.
    QVERIFY(bench.does("debug.restart"));
    QCOMPARE(only(bench).hits, 0);
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QCOMPARE(only(bench).hits, 1);
    // One that is never true does not stop.
    QVERIFY(bench.does("select.binding", {"weights"}));
    QVERIFY(bench.does("debug.condition", {"nan(total) > 1000"}));
    QVERIFY(bench.does("debug.restart"));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QCOMPARE(only(bench).hits, 0);
  }

  /// Another breakpoint, set or taken away, lets those that stay count on; one that asks something else begins anew.
  void countsGoOnBesideOthers() {
    LiveBench bench;
    const auto hitsOf = [&](const QString& name) {
      for (const BreakpointRow& row : bench.debug.breakpoints())
        if (row.variable == name) return row.hits;
      return -1;
    };
    QVERIFY(bench.open("attention") && bench.does("debug.start", {"main", "stop=entry"}));
    QVERIFY(bench.does("select.binding", {"scaled"}) && bench.does("debug.condition", {"n > 5"}));
    QVERIFY(bench.does("select.binding", {"q_t"}) && bench.does("debug.logPoint", {"n is {n}"}));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(hitsOf("scaled"), 1);
    QCOMPARE(hitsOf("q_t"), 1);
    QVERIFY(bench.does("select.binding", {"weights"}) && bench.does("debug.toggleBreakpoint"));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(hitsOf("weights"), 1);
    QCOMPARE(hitsOf("scaled"), 1);
    QCOMPARE(hitsOf("q_t"), 1);
    QVERIFY(bench.does("select.binding", {"scaled"}) && bench.does("debug.condition", {"n > 4"}));
    QVERIFY(bench.does("select.binding", {"weights"}) && bench.does("debug.toggleBreakpoint"));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(hitsOf("scaled"), 0);
    QCOMPARE(hitsOf("q_t"), 1);
  }

  /// It stops and says why, with the place; what has no form is refused at once.
  void faultyConditionIsNoSilence() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("select.binding", {"weights"}));
    QVERIFY(!bench.window.run("debug.condition", {"nan(total) >"}));
    QVERIFY(bench.window.lastError().contains("ends too early"));
    QVERIFY(!bench.window.run("debug.hitCount", {"often"}));
    QVERIFY(!bench.window.run("debug.logPoint", {"total is {nan(}"}));
    QVERIFY(bench.debug.breakpoints().empty());
    QVERIFY(bench.does("debug.condition", {"nan(totl) > 0"}));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY2(bench.debug.stop().description.contains("`totl` has no value here"),
             qPrintable(bench.debug.stop().description));
    const BreakpointRow& row = only(bench);
    QCOMPARE(row.condition.mid(row.errorBegin, row.errorEnd - row.errorBegin), QString("totl"));
    QVERIFY(bench.window.dump("breakpoints").contains("`totl` has no value here"));
    QVERIFY(bench.does("select.binding", {"weights"}));  // the stop selected what was just made
    QVERIFY(bench.does("debug.condition"));
    QVERIFY(editor(bench));
    QTRY_COMPARE(editor(bench)->condition()->faultPlace(), std::pair(4, 8));
  }

  void hitCounts() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("select.binding", {"scaled"}));
    QVERIFY(bench.does("debug.hitCount", {"2"}));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QCOMPARE(bench.debug.state(), RunState::Ended);  // it is reached once
    QCOMPARE(only(bench).hits, 1);
    QVERIFY(bench.does("select.binding", {"scaled"}));  // the end has selected what the run came to
    QVERIFY(bench.does("debug.hitCount", {">= 1"}));
    QVERIFY(bench.does("debug.restart"));
    QCOMPARE(bench.debug.stop().variable, QString("scaled"));
  }

  void logPoint() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("select.binding", {"top"}));
    QVERIFY(bench.does("debug.logPoint", {"scaled has {inf(scaled)} Inf, {nothing}"}));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QVERIFY2(logged(bench).contains("scaled has 3 Inf, {`nothing` has no value here}"), qPrintable(logged(bench)));
    QCOMPARE(only(bench).hits, 1);
    QVERIFY(bench.window.dump("breakpoints").contains("logs: scaled has"));
    QVERIFY(bench.does("debug.logPoint", {"none"}));
    QVERIFY(bench.does("debug.restart"));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
  }

  /// Which of them stop always, sometimes and never is seen in the text.
  void marksSayWhatTheyDo() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    const auto markAt = [&](const char* name) {
      (void)bench.does("select.binding", {name});
      const auto* view = bench.window.panel("ir")->findChild<TextView*>();
      const GutterMark* mark = view->decorations().markOf(view->caretLine());
      return mark ? *mark : GutterMark{};
    };
    QVERIFY(bench.does("select.binding", {"q"}) && bench.does("debug.toggleBreakpoint"));
    QVERIFY(bench.does("select.binding", {"scores"}) && bench.does("debug.condition", {"inf(scores) > 0"}));
    QVERIFY(bench.does("select.binding", {"scaled"}) && bench.does("debug.hitCount", {">= 2"}));
    QVERIFY(bench.does("select.binding", {"top"}) && bench.does("debug.logPoint", {"top is {max(top)}"}));
    QVERIFY(markAt("q").state == BreakpointState::Enabled && !markAt("q").logs);
    QVERIFY(markAt("scores").state == BreakpointState::Conditional && !markAt("scores").logs);
    QVERIFY(markAt("scaled").state == BreakpointState::Conditional && !markAt("scaled").logs);
    QVERIFY(markAt("top").state == BreakpointState::Enabled && markAt("top").logs);
  }

  /// What writes the memory of a value: first the kernel that makes it. Kept over restarts, and taken away again.
  void dataBreakpoint() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("select.binding", {"scores"}));
    QVERIFY(bench.does("debug.breakWhenWritten"));
    QCOMPARE(only(bench).kind, BreakpointKind::Data);
    for (int run = 0; run < 2; ++run) {
      QVERIFY(run == 0 ? bench.does("debug.start", {"main"}) : bench.does("debug.restart"));
      QVERIFY(bench.does("debug.continue"));
      QCOMPARE(bench.debug.stop().reason, QString("data breakpoint"));
      QCOMPARE(bench.debug.stop().description, QString("scores was written"));
      const TraceRow last = bench.steps()[static_cast<size_t>(bench.debug.stop().step) - 1];
      QCOMPARE(last.variable, QString("scores"));
      QVERIFY(only(bench).hits >= 1);
    }
    QVERIFY(bench.window.dump("breakpoints").contains("when written"));
    QVERIFY(bench.does("debug.breakWhenWritten", {"scores"}));
    QVERIFY(bench.debug.breakpoints().empty());
    QVERIFY(!bench.window.run("debug.breakWhenWritten", {"nobody"}));
    // A register of the frame that is shown.
    QVERIFY(bench.does("debug.breakWhenWritten", {"%9"}));
    QVERIFY(only(bench).verified);
    QVERIFY(bench.does("debug.clearBreakpoints"));
    QVERIFY(bench.does("debug.breakWhenWritten", {"%99999"}));
    QVERIFY(!only(bench).verified);
    QVERIFY(bench.window.dump("breakpoints").contains("no such register"));
  }

  /// The editor stands under the line and pushes the following ones down; it says whether the condition is true now.
  void editorInTheText() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    bench.window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&bench.window));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("select.binding", {"mixed"}));
    QVERIFY(bench.does("debug.runToCursor"));
    QVERIFY(bench.does("select.binding", {"weights"}));
    const uint32_t before = text(bench)->rows().rowCount();
    QVERIFY(bench.does("debug.condition"));
    QVERIFY(editor(bench));
    QVERIFY(text(bench)->rows().rowCount() > before);
    const BindingRow* weights = bench.document.stage(0)->function("main")->bindingNamed("weights");
    const auto line = static_cast<uint32_t>(weights->line - 1);
    QVERIFY(text(bench)->rows().rowOf(line + 1) > text(bench)->rows().rowOf(line) + 1);
    QVERIFY(editor(bench)->geometry().top() >= 0);
    QVERIFY(editor(bench)->condition()->hasFocus());
    QTest::keyClicks(editor(bench)->condition(), "nan(weights) > 0");
    QTRY_COMPARE(editor(bench)->verdict(), QString("true now: 18"));
    QTest::keyClick(editor(bench)->condition(), Qt::Key_Return);
    QVERIFY(!editor(bench));
    QCOMPARE(text(bench)->rows().rowCount(), before);
    QCOMPARE(only(bench).condition, QString("nan(weights) > 0"));
    // Escape changes nothing; Remove takes it away.
    QVERIFY(bench.does("debug.condition"));
    QTest::keyClicks(editor(bench)->condition(), "n > 100");
    QTRY_COMPARE(editor(bench)->verdict(), QString("false now: 6"));
    QTest::keyClick(editor(bench)->condition(), Qt::Key_Escape);
    QVERIFY(!editor(bench));
    QCOMPARE(only(bench).condition, QString("nan(weights) > 0"));
    QVERIFY(bench.does("debug.condition"));
    Q_EMIT editor(bench)->removed();
    QVERIFY(bench.debug.breakpoints().empty());
  }

  /// The editor stands whole in a narrow text: its buttons take another line, its fields can be written in.
  void editorFitsTheText() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16") && bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("select.binding", {"weights"}));
    for (const int width : {1280, 1024}) {
      bench.window.resize(width, 800);
      QVERIFY(bench.does("debug.logPoint"));
      QApplication::processEvents();
      const QWidget* viewport = text(bench)->viewport();
      const int letters = editor(bench)->fontMetrics().averageCharWidth() * 16;
      for (const QWidget* part : editor(bench)->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (!part->isVisible()) continue;
        const QRect there(part->mapTo(viewport, QPoint()), part->size());
        const QString what =
            QStringLiteral("%1 %2 at %3").arg(part->metaObject()->className()).arg(there.right()).arg(width);
        QVERIFY2(there.right() < viewport->width() && there.bottom() < editor(bench)->geometry().bottom(),
                 qPrintable(what));
        if (qobject_cast<const QLineEdit*>(part) && !part->parent()->inherits("QAbstractSpinBox"))
          QVERIFY2(there.width() > letters, qPrintable(what));
      }
      // The lines below begin below it.
      const uint32_t row = text(bench)->rows().rowOf(
          static_cast<uint32_t>(bench.document.stage(0)->function("main")->bindingNamed("weights")->line));
      const uint32_t above = text(bench)->rows().rowOf(
          static_cast<uint32_t>(bench.document.stage(0)->function("main")->bindingNamed("weights")->line - 1));
      const int line = text(bench)->fontMetrics().height();
      QVERIFY(static_cast<int>(row - above - 1) * line * 3 / 2 >= editor(bench)->height());
      QTest::keyClick(editor(bench), Qt::Key_Escape);
      QVERIFY(!editor(bench));
    }
  }

  /// In the list of instructions: by a click in front of one and by F9, with a condition, kept over a restart and over
  /// another stage, listed with the others.
  void instructionBreakpoints() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(!bench.window.run("debug.toggleInstruction", {"3"}));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("view.panel", {"bytecode"}));
    bench.window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&bench.window));
    auto* list = qobject_cast<QAbstractItemView*>(bench.window.panel("bytecode")->focusProxy());
    QVERIFY(list);
    const std::vector<InstructionRow>& program = bench.debug.instructions();
    const auto divide = std::find_if(program.begin(), program.end(), [](const InstructionRow& row) {
      return row.variable == "weights" && !row.builtin;
    });
    QVERIFY(divide != program.end());
    const int pc = divide->index;
    list->scrollTo(list->model()->index(pc, 0));
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(list->model()->index(pc, 0)).center());
    QVERIFY(bench.settle());
    QCOMPARE(bench.debug.breakpoints().size(), size_t(1));
    QVERIFY(only(bench).verified);
    QVERIFY(bench.debug.instructions()[static_cast<size_t>(pc)].breakpoint);
    QVERIFY2(bench.window.dump("breakpoints").contains("program\tbefore the instruction"),
             qPrintable(bench.window.dump("breakpoints")));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.stop().instruction, pc);
    QCOMPARE(bench.debug.stop().reason, QString("breakpoint"));
    QVERIFY(bench.does("debug.restart"));
    QVERIFY(bench.does("pass.goTo", {"LegalizeOps"}));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.stop().instruction, pc);
    // F9 in the list takes it away and sets it again; the text's breakpoints are none of its business.
    list->setFocus();
    list->setCurrentIndex(list->model()->index(pc, 1));
    QVERIFY(bench.does("debug.toggleBreakpoint"));
    QVERIFY(bench.debug.breakpoints().empty());
    QVERIFY(bench.does("debug.toggleBreakpoint"));
    QCOMPARE(only(bench).kind, BreakpointKind::Instruction);
    QVERIFY(bench.does("debug.instructionCondition", {"nan(total)", ">", "1000"}));
    QVERIFY(bench.window.dump("breakpoints").contains("before the instruction, where nan(total) > 1000"));
    QVERIFY(bench.does("debug.restart"));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    // The list of breakpoints changes the condition in its place, switches it off and goes to it.
    auto* panel = static_cast<BreakpointsPanel*>(bench.window.panel("breakpoints"));
    QVERIFY(bench.does("debug.editBreakpoint", {QString::number(only(bench).id)}));
    QVERIFY(panel->editor());
    QCOMPARE(panel->editor()->text(), QString("nan(total) > 1000"));
    panel->editor()->setText("nan(total) > 0");
    QTest::keyClick(panel->editor(), Qt::Key_Return);
    QVERIFY(!panel->editor());
    QCOMPARE(only(bench).condition, QString("nan(total) > 0"));
    QVERIFY(bench.does("debug.restart"));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.stop().instruction, pc);
    bench.debug.setBreakpointEnabled(only(bench).id, false);
    QVERIFY(bench.does("debug.restart"));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.state(), RunState::Ended);
  }

  /// The result of a call of a function is written when that returns: the stop shows it as what was just made.
  void whatACallGivesIsWritten() {
    LiveBench bench;
    QVERIFY(bench.open("branch"));
    QVERIFY(bench.does("debug.breakWhenWritten", {"cube"}));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.stop().reason, QString("data breakpoint"));
    QCOMPARE(bench.debug.stop().madeVariable, QString("cube"));
    QCOMPARE(bench.selection.place().variable, QString("cube"));
    QCOMPARE(only(bench).hits, 1);
  }

  /// In branches and recursion too: another name of a value, the last value before a return.
  void whatIsWrittenIsSelected() {
    QTemporaryDir folder;
    const QString path = folder.filePath("down.py");
    QVERIFY(write(path, R"(from tvm.script import ir as I, relax as R

@I.ir_module
class Down:
    @R.function
    def down(i: R.Tensor((), "int64"), h: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Down
        more = R.less(i, R.const(2, "int64"))
        if more:
            twice = R.add(h, h)
            next = R.add(i, R.const(1, "int64"))
            res = cls.down(next, twice)
            last = res
        else:
            last = h
        return last

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Down
        out = cls.down(R.const(0, "int64"), x)
        return out
)"));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {path}));
    for (const char* name : {"twice", "res", "last"})
      QVERIFY(bench.does("select.binding", {name, "down"}) && bench.does("debug.breakWhenWritten"));
    QVERIFY(bench.does("select.binding", {"out", "main"}) && bench.does("debug.breakWhenWritten"));
    QVERIFY(bench.does("debug.start", {"main", "seed=0", "stop=none"}));
    for (const QString name : {"twice", "twice", "last", "res", "last", "res", "last", "out"}) {
      QCOMPARE(bench.debug.stop().reason, QString("data breakpoint"));
      QCOMPARE(bench.selection.place().variable, name);
      const QString shown = bench.window.dump("inspector");
      QVERIFY2(shown.startsWith(name + " ") && shown.contains("min / max"), qPrintable(shown));
      QVERIFY(bench.does("debug.continue"));
    }
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QCOMPARE(bench.selection.place().variable, QString("out"));
  }
};

QTEST_MAIN(LiveBreakpointsTest)
#include "tst_live_breakpoints.moc"
