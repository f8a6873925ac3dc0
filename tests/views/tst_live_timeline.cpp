// The timeline and the bytecode of a run: what they say, how they follow the selection, and how long a run may be.
#include <QAbstractItemView>
#include <QWheelEvent>

#include "fakes.h"
#include "live_bench.h"
#include "views/models/list_models.h"
#include "views/panels/bytecode/instruction_delegate.h"
#include "views/panels/timeline/timeline_panel.h"

using namespace rx;
using namespace rx::views;

namespace {

struct NoCommands : Commands {
  bool run(const QString&, const QStringList&) override { return true; }
  bool enabled(const QString&) const override { return true; }
  QString label(const QString& id) const override { return id; }
};

QAbstractItemView* list(LiveBench& bench, const char* name) {
  for (QAbstractItemView* view : bench.window.panel("bytecode")->findChildren<QAbstractItemView*>())
    if (view->accessibleName() == QLatin1String(name)) return view;
  return nullptr;
}

}  // namespace

class LiveTimelineTest : public QObject {
  Q_OBJECT

  static TimelinePanel* timeline(LiveBench& bench) {
    return static_cast<TimelinePanel*>(bench.window.panel("timeline"));
  }
  static QString caption(LiveBench& bench) { return bench.window.dump("timeline").section('\n', 0, 0); }
  static double widest(const TimelinePanel& panel) {
    double width = 0;
    for (const TimelineBar& bar : panel.bars()) width = std::max(width, bar.end - bar.begin);
    return width;
  }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// What a call made that has returned is neither there nor "not computed yet": the step that made it is shown.
  void valuesOfReturnedCallsAreFound() {
    LiveBench bench;
    QVERIFY(bench.open("branch"));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QVERIFY(bench.does("select.function", {"power"}));
    const FunctionRow* power = bench.document.stage(0, false)->function("power");
    bench.selection.selectBinding("power", 0, power->bindings[0].name);
    QVERIFY(bench.settle());
    const QString absent = bench.window.dump("inspector");
    QVERIFY2(absent.contains("No call of power runs at this step"), qPrintable(absent));
    QVERIFY(bench.does("debug.goToBinding"));
    QTRY_VERIFY2(bench.window.dump("inspector").contains("Value made by step"),
                 qPrintable(bench.window.dump("inspector")));
  }

  void sayLiveHistoryAndEnd() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY2(caption(bench).startsWith("No steps recorded yet"), qPrintable(caption(bench)));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY2(caption(bench).startsWith("step 0, at the entry\tStep Over"), qPrintable(caption(bench)));
    QVERIFY(bench.does("select.binding", {"x"}));
    QVERIFY2(bench.window.dump("inspector").contains("min / max"), qPrintable(bench.window.dump("inspector")));
    QVERIFY(bench.does("select.binding", {"q"}));
    QVERIFY(bench.window.dump("inspector").contains("q has not been computed yet"));
    QVERIFY(bench.does("debug.stepOver", {"3"}));
    QVERIFY2(caption(bench).contains(", live\t"), qPrintable(caption(bench)));
    QVERIFY(caption(bench).contains("recorded, unoptimised code"));
    const int recorded = bench.debug.stop().step;
    QVERIFY(bench.does("debug.stepBack"));
    QVERIFY2(caption(bench).startsWith(QString("step %1 of %2, history").arg(bench.debug.stop().step).arg(recorded)),
             qPrintable(caption(bench)));
    QVERIFY(bench.does("debug.continue"));
    QVERIFY2(caption(bench).contains(", end"), qPrintable(caption(bench)));
    QVERIFY(bench.does("debug.stop"));
    QVERIFY(caption(bench).startsWith("No steps recorded yet"));
  }

  /// As wide as it took, or all alike; the wheel zooms around the pointer; dragging shows steps.
  void widthsZoomAndScrubbing() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    TimelinePanel& panel = *timeline(bench);
    const std::vector<TraceRow> trace = bench.steps();
    const auto longest = std::max_element(trace.begin(), trace.end(), [](const TraceRow& a, const TraceRow& b) {
      return a.microseconds < b.microseconds;
    });
    for (const TimelineBar& bar : panel.bars())
      if (bar.first <= longest->step && longest->step <= bar.last) QCOMPARE(bar.end - bar.begin, widest(panel));
    QVERIFY(bench.does("timeline.equalSteps", {"on"}));
    const TimelineBar first = panel.bars().front(), last = panel.bars().back();
    QVERIFY(std::abs((first.end - first.begin) / (first.last - first.first + 1) -
                     (last.end - last.begin) / (last.last - last.first + 1)) < 1e-6);
    QVERIFY(!bench.window.run("timeline.equalSteps", {"maybe"}));
    QVERIFY(bench.does("timeline.equalSteps", {"off"}));
    QCOMPARE(panel.view(), std::pair(0.0, 1.0));
    QWheelEvent wheel(QPointF(panel.width() / 2.0, 20), panel.mapToGlobal(QPointF(panel.width() / 2.0, 20)), {},
                      QPoint(0, 240), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&panel, &wheel);
    const auto [from, to] = panel.view();
    QVERIFY(from > 0 && to < 1 && to - from < 0.7);
    QVERIFY(bench.does("timeline.fit"));
    QCOMPARE(panel.view(), std::pair(0.0, 1.0));
    QTest::mouseClick(&panel, Qt::LeftButton, {}, QPoint(panel.width() / 2, panel.height() / 2));
    QVERIFY(bench.settle());
    const int middle = bench.debug.stop().step;
    QVERIFY(middle > 0 && middle < static_cast<int>(trace.size()));
    QTest::mousePress(&panel, Qt::LeftButton, {}, QPoint(panel.width() / 2, panel.height() / 2));
    QTest::mouseMove(&panel, QPoint(panel.width() / 3, panel.height() / 2));
    QTest::mouseRelease(&panel, Qt::LeftButton, {}, QPoint(panel.width() / 3, panel.height() / 2));
    QVERIFY(bench.settle());
    QVERIFY(bench.debug.stop().step <= middle);
  }

  /// What a kernel ran is told apart from what its machine code took; what holds NaN or Inf is marked wherever one
  /// looks from.
  void compilingAndBadValues() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QVERIFY2(caption(bench).contains(", compiled in "), qPrintable(caption(bench)));
    const std::vector<TraceRow> trace = bench.steps();
    const auto first = std::find_if(trace.begin(), trace.end(),
                                    [](const TraceRow& row) { return row.variable == "q" && !row.builtin; });
    QVERIFY(first != trace.end() && first->compiled > first->microseconds);
    QVERIFY2(bench.window.dump("timeline").contains(", compiled in "), qPrintable(bench.window.dump("timeline")));
    QVERIFY(bench.does("timeline.equalSteps", {"on"}));
    const auto marked = [&] {
      QStringList names;
      if (!QTest::qWaitFor([&] { return timeline(bench)->complete(); }, kPatience)) return names;
      for (const TimelineBar& bar : timeline(bench)->bars())
        if (bar.holdsBad) names << trace[static_cast<size_t>(bar.first)].variable;
      return names;
    };
    const QStringList all = marked();
    for (const char* name : {"scores", "scaled", "powers", "weights"})
      QVERIFY2(all.contains(name), qPrintable(all.join(' ')));
    QVERIFY(!all.contains("q"));
    for (int back = 0; back < 3; ++back) {
      QVERIFY(bench.does("debug.stepBack", {"4"}));
      QCOMPARE(marked(), all);
    }
    QVERIFY(bench.does("timeline.equalSteps", {"off"}));
  }

  /// The step that made the selected binding is one command away, and marked in all panels.
  void goToTheStepOfTheSelection() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QVERIFY(bench.does("select.binding", {"weights"}));
    QVERIFY(bench.does("debug.goToBinding"));
    const TraceRow made = bench.steps()[static_cast<size_t>(bench.debug.stop().step) - 1];
    QCOMPARE(made.variable, QString("weights"));
    QVERIFY(!made.builtin);
    QCOMPARE(made.kind, OpKind::Elementwise);
    QVERIFY(bench.does("debug.stop"));
    QVERIFY(!bench.window.run("debug.goToBinding"));
  }

  /// Steps are named by the bindings of the stage that is shown.
  void stepsFollowTheStage() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    const int steps = bench.debug.recorded();
    const auto names = [&] {
      QStringList all;
      for (const TraceRow& row : bench.steps())
        if (!row.variable.isEmpty()) all << row.variable;
      return all;
    };
    QVERIFY(!names().join(' ').contains("alloc"));
    QVERIFY(bench.does("pass.goTo", {"8"}));
    QCOMPARE(bench.debug.recorded(), steps);
    QVERIFY2(names().join(' ').contains("alloc"), qPrintable(names().join(' ')));
    QVERIFY(bench.does("pass.goTo", {"0"}));
    QVERIFY(!names().join(' ').contains("alloc"));
  }

  /// What the engine told of a stage before the window had built its rows is named as those say, once they are there.
  void namesOfAStageThatComesLater() {
    LiveBench bench;
    QVERIFY(bench.open("mlp") && bench.does("debug.start", {"main", "stop=none"}));
    constexpr int kStage = 9;
    QVERIFY(!bench.document.stage(kStage, false));
    const auto bare = [&] {
      return std::ranges::any_of(bench.debug.instructions(),
                                 [](const InstructionRow& row) { return row.called == QLatin1String("_"); });
    };
    bench.debug.selectStage(kStage);
    QTRY_VERIFY(bench.debug.idle() && bare());
    bench.document.stage(kStage);
    QTRY_VERIFY_WITH_TIMEOUT(bench.document.stage(kStage, false) && bench.debug.idle() && !bare(), kPatience);
  }

  /// Bytecode and registers select what is selected, and a click in them selects it everywhere.
  void bytecodeFollowsTheSelection() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("view.panel", {"bytecode"}));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QVERIFY(bench.does("select.binding", {"weights"}));
    QAbstractItemView* program = list(bench, "Bytecode");
    QAbstractItemView* registers = list(bench, "Registers");
    QVERIFY(program && registers);
    QCOMPARE(program->model()->headerData(2, Qt::Horizontal).toString(), QString("instruction"));
    QVERIFY2(program->currentIndex().siblingAtColumn(2).data().toString().startsWith("call divide"),
             qPrintable(program->currentIndex().siblingAtColumn(2).data().toString()));
    QCOMPARE(program->currentIndex().siblingAtColumn(2).data(kKindRole).toInt(), static_cast<int>(OpKind::Elementwise));
    for (int row = 0; row < program->model()->rowCount(); ++row) {
      const QModelIndex index = program->model()->index(row, 2);
      if (!index.data().toString().startsWith("call matmul")) continue;
      program->setFocus();
      program->setCurrentIndex(index);
      break;
    }
    QCOMPARE(bench.selection.place().variable, QString("q"));
    QVERIFY(bench.does("debug.goToBinding"));
    for (int row = 0; row < registers->model()->rowCount(); ++row) {
      const QModelIndex index = registers->model()->index(row, 2);
      if (index.data().toString() != "p_0") continue;
      registers->setFocus();
      registers->setCurrentIndex(index);
    }
    QCOMPARE(bench.selection.place().variable, QString("p_0"));
    QVERIFY2(bench.window.dump("bytecode").contains("heap[0]\t6\tn, from x axis 0"),
             qPrintable(bench.window.dump("bytecode")));
  }

  void operatorNamesStandApart() {
    QCOMPARE(instructionParts("call divide %47, %49", false).first, QString("call divide"));
    QCOMPARE(instructionParts("call null_value → %41", true), std::pair(QString("null_value"), QString(" → %41")));
    QCOMPARE(instructionParts("ret %3", true).first, QString("ret"));
  }

  /// As many bars as have room are drawn within a frame.
  void manyBars() {
    FakeDocument document;
    FakeDebug debug;
    Selection selection;
    NoCommands commands;
    debug.state_ = RunState::Stopped;
    debug.part_.recorded = 100000;
    debug.part_.length = 100000;
    for (int i = 0; i < 500; ++i)
      debug.part_.bars.push_back(
          {i * 200, i * 200 + 199, i * 200.0, (i + 1) * 200.0, 200, 0, i % 3 == 0, false, false});
    TimelinePanel panel({&document, &selection, &debug, &commands}, nullptr);
    panel.resize(1280, 48);
    Q_EMIT debug.traceChanged();
    panel.bringUpToDate();
    QCOMPARE(panel.bars().size(), size_t{500});
    QVERIFY(!panel.busy() && panel.complete());
    // A bar whose program is not known is one of the machine's.
    const QImage image = panel.grab().toImage();
    QVERIFY(image.pixelColor(panel.width() / 2, panel.height() / 2) != image.pixelColor(panel.width() / 2, 1));
    QVERIFY2(panel.dump().contains("200 steps, the longest"), qPrintable(panel.dump().left(200)));
    QVERIFY(panel.command("zoom", {"2"}) && !panel.command("zoom", {"no"}));
    QVERIFY(panel.view().second - panel.view().first < 0.51);
  }
};

QTEST_MAIN(LiveTimelineTest)
#include "tst_live_timeline.moc"
