// A run in the window: its values, its rows and keys at every stop, and what long functions do to them.
#include <QAbstractItemView>
#include <QPushButton>
#include <QRegularExpression>

#include "live_bench.h"
#include "views/models/row_model.h"
#include "views/panels/panel.h"
#include "views/session/engine_rows.h"

using namespace rx;
using namespace rx::views;

class LiveRunTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  QString path(const QString& name) const { return folder_.filePath(name); }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  void breakpointsAndStages() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("debug.toggleBreakpoint", {"scores"}));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.stop().variable, QString("scores"));
    QCOMPARE(bench.debug.breakpoints().front().hits, 1);
    QVERIFY(bench.does("debug.stepInstruction"));
    QVERIFY(bench.does("debug.stepBack"));
    QVERIFY(bench.debug.registers().size() > 5);
    // Another stage: the same place, its bindings from now on.
    QVERIFY(bench.does("pass.goTo", {"4"}));
    QCOMPARE(bench.debug.config().stage, 4);
    QVERIFY(bench.does("debug.stepOver"));
    QVERIFY(!bench.debug.stop().variable.isEmpty());
    QVERIFY(bench.does("debug.clearBreakpoints"));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.state(), RunState::Ended);
  }

  /// The condition that an `if` reads is no value of the binding: it has one when a branch has given it.
  void anIfHasTheValueOfItsBranch() {
    LiveBench bench;
    QVERIFY(bench.open("branch"));
    QVERIFY(bench.does("debug.start", {"main"}));
    const FunctionRow* main = bench.document.stage(0)->function("main");
    QVERIFY(main);
    QCOMPARE(main->signature, QString("((4, 4) f32, (4, 4) f32, (2,) i64)"));
    const BindingRow* chosen = main->bindingNamed("y");
    QVERIFY(chosen);
    QStringList seen;
    while (bench.debug.state() == RunState::Stopped) {
      const ValueSummary value = bench.debug.valueOf("main", chosen->ordinal);
      if (value.known && !seen.contains(value.shape)) seen << value.shape;
      QVERIFY(bench.does("debug.stepInstruction"));
    }
    QCOMPARE(seen, QStringList{"(4, 4)"});
  }

  /// What a binding had at a step is what it has when that step is looked at again, however it was reached.
  void valuesOfEveryStep() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("debug.start", {"main"}));
    const int bindings = static_cast<int>(bench.document.stage(0)->function("main")->bindings.size());
    QStringList registers;  // come as differences to those of the stop before, in whatever order stops are visited
    const auto all = [&] {
      QStringList rows;
      registers.clear();
      for (int i = 0; i < bindings; ++i) {
        const ValueSummary value = bench.debug.valueOf("main", i);
        rows << (value.known ? QStringLiteral("%1 %2 %3").arg(i).arg(value.text).arg(value.mean, 0, 'g', 17)
                             : QString());
      }
      for (const RegisterRow& row : bench.debug.registers())
        registers << QStringLiteral("%1 %2 %3 %4 %5")
                         .arg(row.name, row.binding, row.value.text)
                         .arg(row.value.mean, 0, 'g', 17)
                         .arg(row.changed);
      return rows.join('\n');
    };
    std::map<int, QString> seen;
    std::map<int, QStringList> held;
    while (bench.debug.state() == RunState::Stopped) {
      seen[bench.debug.stop().step] = all();
      held[bench.debug.stop().step] = registers;
      QVERIFY(bench.does("debug.stepInstruction", {"7"}));
    }
    QVERIFY(seen.size() > 10);
    for (auto it = seen.rbegin(); it != seen.rend(); ++it) {
      QVERIFY(bench.does("debug.goToStep", {QString::number(it->first)}));
      QCOMPARE(all(), it->second);
      QCOMPARE(registers, held[it->first]);
    }
    QVERIFY(seen.rbegin()->second.contains('\n'));
    QVERIFY(seen.begin()->second.simplified().isEmpty());
  }

  /// The heap says what its slots hold in the words of the program; at the end registers have the program's names too.
  void heapAndRegistersAreNamed() {
    LiveBench bench;
    QVERIFY(bench.open("dynamic"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.stepOver", {"3"}));
    QStringList slots;
    for (const HeapRow& row : bench.debug.heap()) slots << row.expression;
    QVERIFY2(slots.contains("n") && slots.contains("m"), qPrintable(slots.join(", ")));
    QVERIFY2(!slots.join(' ').contains("H["), qPrintable(slots.join(", ")));
    QVERIFY(bench.does("debug.continue"));
    QStringList names;
    for (const RegisterRow& row : bench.debug.registers()) names << row.binding;
    QVERIFY2(names.contains("scaled"), qPrintable(names.join(", ")));
    QVERIFY2(names.filter("alloc").isEmpty(), qPrintable(names.join(", ")));
  }

  /// Functions of the user's own are called by the engine; a library that is none is said on the card, with its reason.
  void plugins() {
    const QByteArray text =
        "@I.ir_module\nclass Module:\n    @R.function(pure=False)\n"
        "    def main(x: R.Tensor((3,), \"float32\")) -> R.Tensor((3,), \"float32\"):\n"
        "        y = R.call_dps_packed(\"test.add_one\", (x,), out_sinfo=R.Tensor((3,), dtype=\"float32\"))\n"
        "        z = R.subtract(y, x)\n        return z\n";
    QVERIFY(write(path("plugin.py"), text));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {path("plugin.py")}));
    const QString library = QStringLiteral(RX_BINARY_DIR "/tests/plugins/functions.so");
    QVERIFY2(bench.does("debug.start", {"main", "plugin=" + library}), qPrintable(bench.window.lastError()));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QVERIFY(bench.debug.result());
    QVERIFY2(std::abs(bench.debug.result()->values.front().value.mean - 1) < 1e-6, "the function adds one");
    // The engine without them, and one that is given something else.
    bench.window.run("debug.start", {"main"});
    QVERIFY(bench.settle());
    bench.window.run("debug.continue");
    QVERIFY(bench.settle());
    QVERIFY(bench.debug.failure());
    bench.window.run("debug.start", {"main", "plugin=" + path("plugin.py")});
    QVERIFY(bench.settle());
    QVERIFY(bench.debug.failure() && bench.debug.state() != RunState::Died);
    QVERIFY(bench.debug.failure()->when == RunFailure::When::Start);
    QCOMPARE(bench.debug.failure()->rule, QString("plugin.load"));
    QVERIFY2(!bench.debug.failure()->message.contains("engine"), qPrintable(bench.debug.failure()->message));
    // The way forward is where libraries are chosen.
    const auto* card = bench.window.findChild<QWidget*>("outcomeCard");
    QStringList ways;
    for (const auto* button : card->findChildren<QPushButton*>())
      if (button->isVisible()) ways << button->text();
    QVERIFY2(ways.contains("Edit the run…"), qPrintable(ways.join("|")));
  }

  /// More rows than one answer of the engine holds, and a graph that is made on a worker.
  void longFunctions() {
    constexpr int kBindings = 1500;
    QByteArray text =
        "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((\"n\",), \"float32\")):\n        with "
        "R.dataflow():\n            lv0 = R.nn.relu(x)\n";
    for (int i = 1; i < kBindings; ++i)
      text += QStringLiteral("            lv%1 = R.add(lv%2, x)\n").arg(i).arg(i - 1).toUtf8();
    text += QStringLiteral("            R.output(lv%1)\n        return lv%1\n").arg(kBindings - 1).toUtf8();
    QVERIFY(write(path("long.py"), text));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {path("long.py")}));
    QVERIFY(bench.does("select.binding", {"lv1200"}));
    QVERIFY(bench.window.dump("graph").contains("lv1499"));
    // What a folded layer hides is found all the same.
    QVERIFY(bench.does("view.panel", {"graph"}));
    QVERIFY2(bench.does("edit.find", {"lv777"}), qPrintable(bench.window.lastError()));
    QCOMPARE(bench.selection.place().variable, QString("lv777"));
    QVERIFY(!bench.window.run("edit.find", {"nothing of the kind"}));
    QVERIFY(bench.does("view.panel", {"ir"}));
    QVERIFY(bench.window.dump("ir").contains("lv1499"));
    QVERIFY(bench.window.dump("symbols").contains("1,501 places: "));
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "n=2", "stop=none"}));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QVERIFY(bench.debug.instructions().size() > kBindings);
    QCOMPARE(bench.debug.recorded(), bench.debug.stop().step);
    for (const int binding : {0, 999, 1000, kBindings - 1}) QVERIFY(bench.debug.valueOf("main", binding).known);
    QVERIFY(bench.does("debug.goToStep", {QString::number(bench.debug.recorded() / 2)}));
    QVERIFY(bench.debug.valueOf("main", 0).known);
    QVERIFY(!bench.debug.valueOf("main", kBindings - 1).known);
  }

  /// The panels keep their widths while titles change, tabs are raised and a run goes on.
  void panelsStandStill() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("view.layoutDebug"));
    const auto widths = [&] {
      QList<int> all;
      for (const char* id : {"passes", "graph", "inspector", "timeline"}) all << bench.window.panel(id)->width();
      return all;
    };
    QApplication::processEvents();
    const QList<int> before = widths();
    for (int i = 0; i < 3; ++i) {
      QVERIFY(bench.does("debug.start", {"main"}));
      QVERIFY(bench.does("debug.stepOver", {"3"}));
      for (const char* id : {"symbols", "values", "source", "problems", "module", "ir", "bytecode"})
        QVERIFY(bench.does("view.panel", {id}));
      QVERIFY(bench.does("debug.stop"));
      QApplication::processEvents();
      QCOMPARE(widths(), before);
    }
  }

  /// The keys of ui-conventions, pressed: each does what its command does.
  void keys() {
    LiveBench bench;
    QVERIFY(bench.open("branch"));
    bench.window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&bench.window));
    QVERIFY(bench.does("debug.start", {"main"}));
    const auto press = [&](int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
      QTest::keyClick(&bench.window, static_cast<Qt::Key>(key), modifiers);
      return bench.settle();
    };
    const int start = bench.debug.stop().step;
    QVERIFY(press(Qt::Key_F10));
    const int over = bench.debug.stop().step;
    QVERIFY(over > start);
    QVERIFY(press(Qt::Key_F10, Qt::AltModifier));
    QCOMPARE(bench.debug.stop().step, over + 1);
    QVERIFY(press(Qt::Key_F10, Qt::ShiftModifier));
    QVERIFY(bench.debug.stop().step <= over);
    for (int i = 0; i < 60 && bench.debug.frames().size() < 2; ++i) QVERIFY(press(Qt::Key_F11));
    QCOMPARE(bench.debug.frames().size(), size_t{2});
    QVERIFY(press(Qt::Key_F11, Qt::ShiftModifier));
    QCOMPARE(bench.debug.frames().size(), size_t{1});
    QVERIFY(press(Qt::Key_F9));
    QCOMPARE(bench.debug.breakpoints().size(), size_t{1});
    QVERIFY(press(Qt::Key_F9));
    QVERIFY(bench.debug.breakpoints().empty());
    QVERIFY(press(Qt::Key_F5));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QVERIFY(press(Qt::Key_F5, Qt::AltModifier));
    QCOMPARE(bench.debug.stop().step, 0);
    QVERIFY(press(Qt::Key_BracketRight, Qt::ControlModifier));
    QCOMPARE(bench.selection.place().stage, 1);
  }

  /// The row of the machine is in sight in the list that comes to the front or gets smaller.
  void theCurrentRowIsInSight() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("view.panel", {"log"}));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.stepOver", {"12"}));
    const auto inSight = [&] {
      for (QAbstractItemView* view : bench.window.panel("bytecode")->findChildren<QAbstractItemView*>()) {
        if (view->accessibleName() != "Bytecode") continue;
        for (int row = 0; row < view->model()->rowCount(); ++row) {
          if (!view->model()->index(row, 0).data(kCurrentRole).toBool()) continue;
          return view->viewport()->rect().contains(view->visualRect(view->model()->index(row, 0)));
        }
      }
      return false;
    };
    QVERIFY(bench.does("view.panel", {"bytecode"}));
    QTRY_VERIFY(inSight());
    bench.window.resize(1280, 640);
    QTRY_VERIFY(inSight());
  }

  /// After the end nothing runs next: the instruction and the register of what is selected are in sight.
  void theSelectedInstructionIsInSight() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16") && bench.does("select.function", {"main"}));
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none", "mode=release"}));
    QVERIFY(bench.does("view.layout", {"Debug"}));
    const auto inSight = [&](const char* name) {
      for (QAbstractItemView* view : bench.window.panel("bytecode")->findChildren<QAbstractItemView*>())
        if (view->accessibleName() == name)
          return view->currentIndex().isValid() &&
                 view->viewport()->rect().contains(view->visualRect(view->currentIndex()).center());
      return false;
    };
    QTRY_VERIFY(inSight("Bytecode"));
    for (const char* binding : {"scores", "q", "mixed"}) {
      QVERIFY(bench.does("select.binding", {binding}));
      QTRY_VERIFY2(inSight("Bytecode"), binding);
    }
    QVERIFY(bench.does("view.panel", {"log"}) && bench.does("select.binding", {"gv"}));
    QVERIFY(bench.does("view.panel", {"bytecode"}));
    QTRY_VERIFY(inSight("Bytecode"));
  }

  void listsFollowTheTheme() {
    LiveBench bench;
    QVERIFY(bench.does("view.themeLight"));
    QVERIFY(bench.open("attention"));
    const QAbstractItemModel* model = bench.window.panel("symbols")->findChild<QAbstractItemView*>()->model();
    QTRY_COMPARE(model->index(0, 0).data(Qt::ForegroundRole).value<QColor>(), Palette::lightTheme().text);
    QVERIFY(bench.does("view.themeDark"));
    QTRY_COMPARE(model->index(0, 0).data(Qt::ForegroundRole).value<QColor>(), Palette::darkTheme().text);
    QVERIFY(bench.does("view.themeLight"));
  }

  void intoAndOut() {
    LiveBench bench;
    QVERIFY(bench.open("branch"));
    QVERIFY(bench.does("debug.start", {"main"}));
    size_t deepest = 1;
    for (int i = 0; i < 60 && bench.debug.state() == RunState::Stopped && deepest < 2; ++i) {
      QVERIFY(bench.does("debug.stepInto"));
      deepest = std::max(deepest, bench.debug.frames().size());
    }
    QVERIFY2(deepest >= 2, "no call was stepped into");
    const size_t inside = bench.debug.frames().size();
    QVERIFY(bench.does("debug.stepOut"));
    QVERIFY(bench.debug.frames().size() < inside || bench.debug.state() == RunState::Ended);
  }

  void firstInf() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("debug.stopOnNonFinite", {"on"}));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.stop().reason, QString("exception"));
    const Place& place = bench.selection.place();
    QVERIFY(bench.debug.valueOf(place.function, place.binding).inf > 0);
    // The machine stands behind the binding that made it: that one is selected, the arrow is at what runs next, and the
    // finding has its place.
    QCOMPARE(bench.debug.stop().variable, QString("scores"));
    QCOMPARE(bench.debug.frames().front().variable, QString("scores"));
    QVERIFY(bench.window.dump("stack").contains("22"));
    QVERIFY(bench.window.dump("ir").contains(QRegularExpression("\\n *scaled: .*<== current")));
    QVERIFY(bench.window.dump("problems").startsWith("line 22 of stage 0: error[run.stopped]: scores"));
    QVERIFY(bench.does("debug.stopOnNonFinite", {"off"}));
    QVERIFY(bench.does("debug.restart"));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QVERIFY(bench.does("debug.stopOnNonFinite", {"on"}));
    QVERIFY(bench.does("debug.restart"));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.document.problems().size(), size_t{1});
    QVERIFY(bench.does("debug.stop"));
    QVERIFY(bench.document.problems().empty());
  }

  void instructionsAreShort_data() {
    QTest::addColumn<QString>("full");
    QTest::addColumn<QString>("text");
    QTest::newRow("builtin") << "call vm.builtin.make_shape in: %5, i1 dst: %6"
                             << "call make_shape %5, i1 → %6";
    QTest::newRow("kernel") << "call matmul in: %0, %1, %9 dst: %void"
                            << "call matmul %0, %1, %9";
    QTest::newRow("no input") << "call vm.builtin.null_value in: dst: %9"
                              << "call null_value → %9";
    QTest::newRow("other") << "ret %3"
                           << "ret %3";
  }
  void instructionsAreShort() {
    QFETCH(QString, full);
    QFETCH(QString, text);
    QCOMPARE(shortInstruction(full), text);
  }

  /// Ctrl+F in every panel of text or rows; what is not there is not found.
  void findsEverywhere() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("pass.goTo", {"4"}));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.stepOver"));
    const std::pair<const char*, const char*> texts[] = {
        {"ir", "matmul"},      {"source", "matmul"},   {"bytecode", "make_shape"}, {"log", "engine"},
        {"symbols", "x axis"}, {"passes", "Legalize"}, {"stack", "main"},          {"diff", "call_tir"}};
    for (const auto& [panel, text] : texts) {
      QVERIFY2(bench.does("view.panel", {panel}), panel);
      QVERIFY2(bench.does("edit.find", {text}), panel);
      QVERIFY2(bench.does("edit.findNext"), panel);
      // Each time another text: what is said about one is in the log.
      QVERIFY2(!bench.window.run("edit.find", {QString("no such text in %1").arg(panel)}), panel);
      QVERIFY2(bench.window.run("edit.find"), panel);
    }
  }

  /// What the run is compiled for goes to the engine; a target that is none is a failure that says so.
  void targetOfTheRun() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.start", {"main", "target=llvm"}));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY2(bench.debug.commandLine().contains("--target llvm"), qPrintable(bench.debug.commandLine()));
    QVERIFY(bench.does("debug.stop"));
    QVERIFY(!bench.window.run("debug.start", {"main", "target=nonsense"}));
    QVERIFY(bench.settle());
    QVERIFY(bench.debug.failure());
    QVERIFY2(bench.debug.failure()->message.contains("nonsense"), qPrintable(bench.debug.failure()->message));
  }
};

QTEST_MAIN(LiveRunTest)
#include "tst_live_run.moc"
