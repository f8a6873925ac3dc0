// The numbers of a run in the panel Values: table, picture and histogram are one; formats, axes, comparisons, copies.
#include <QClipboard>
#include <QGuiApplication>
#include <QInputDialog>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>

#include "live_bench.h"
#include "views/panels/values/histogram_view.h"
#include "views/panels/values/item_list.h"
#include "views/panels/values/plot_view.h"
#include "views/panels/values/tensor_table.h"
#include "views/panels/values/values_panel.h"

using namespace rx;
using namespace rx::views;

class LiveValuesTest : public QObject {
  Q_OBJECT

  /// A run of a sample to its end, a binding selected, the panel in front and wide.
  struct ValuesBench : LiveBench {
    ValuesPanel* panel = nullptr;
    bool run(const QString& sample, const QString& binding) {
      window.resize(1600, 1000);
      const bool ran = open(sample) && does("debug.start", {"main"}) && does("debug.continue") &&
                       does("select.function", {"main"}) && does("select.binding", {binding}) &&
                       does("view.panel", {"values"});
      panel = qobject_cast<ValuesPanel*>(window.panel("values"));
      return ran && panel && settle();
    }
    std::vector<qint64> current() const { return panel->study()->current(); }
    double shown() const {
      const QModelIndex cell = panel->table()->table()->currentIndex();
      return cell.isValid() ? panel->study()->page()->value(cell.row(), cell.column()) : 0;
    }
  };

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// Memory that a tensor was given holds what was there before, which is no value: said until a kernel has written it,
  /// forwards and back, the second time that the same memory is given too.
  void whatIsNotWrittenYet() {
    LiveBench bench;
    QVERIFY(bench.open("mlp") && bench.does("debug.start", {"main", "stop=entry"}));
    const auto row = [&](const QString& reg) {
      for (const QString& line : bench.window.panel("bytecode")->dump().section("-- registers", 1).split('\n'))
        if (line.startsWith(reg + '\t')) return line.section('\t', 1, 1);
      return QString();
    };
    const auto givenAndWritten = [&](const QString& reg, const QString& type) {
      int given = 0;
      while (row(reg).isEmpty() && bench.debug.state() == RunState::Stopped)
        if (!bench.does("debug.stepInstruction")) return false;
      for (; row(reg) == type + "  not written yet"; ++given)
        if (!bench.does("debug.stepInstruction")) return false;
      if (given != 1 || !row(reg).startsWith(type + "  ") || !row(reg).contains("…")) return false;
      return bench.does("debug.stepInstructionBack") && row(reg) == type + "  not written yet" &&
             bench.does("debug.stepInstruction") && row(reg).contains("…");
    };
    QVERIFY2(givenAndWritten("%8", "(1, 128) f32"), qPrintable(row("%8")));
    QVERIFY2(givenAndWritten("%11", "(1, 128) f32"), qPrintable(row("%11")));
  }

  /// A cell that is edited changes the run; what the steps before had stays, and a refusal is told.
  void cellsAreEdited() {
    ValuesBench bench;
    QVERIFY(bench.open("mlp") && bench.does("debug.start", {"main"}) && bench.does("debug.stepOver", {"2"}));
    bench.panel = qobject_cast<ValuesPanel*>(bench.window.panel("values"));
    const QString function = bench.debug.frames().front().function;
    const StageIndexPtr stage = bench.document.stage(bench.debug.config().stage, false);
    const FunctionRow* row = stage->function(function);
    const BindingRow* first = nullptr;
    for (const BindingRow& binding : row->bindings) {
      const ValueSummary value = bench.debug.valueOf(function, binding.ordinal);
      if (value.known && value.isTensor && value.reference != 0) first = &binding;
    }
    QVERIFY(first);
    QVERIFY(bench.does("select.function", {function}) && bench.does("select.binding", {first->name}));
    QVERIFY(bench.does("view.panel", {"values"}) && bench.settle());
    QVERIFY(bench.debug.canSetValues());
    QTableView* table = bench.panel->table()->table();
    const QModelIndex cell = table->model()->index(0, 0);
    QVERIFY(cell.isValid() && (cell.flags() & Qt::ItemIsEditable));
    // By the keyboard: F2, the number, Enter.
    table->setCurrentIndex(cell);
    table->setFocus();
    QTest::keyClick(table, Qt::Key_F2);
    auto* editor = table->viewport()->findChild<QLineEdit*>();
    QVERIFY(editor);
    editor->setText("123.5");
    QTest::keyClick(editor, Qt::Key_Return);
    QVERIFY(bench.settle());
    QTRY_COMPARE(table->model()->index(0, 0).data().toString(), QString("123.5"));
    QCOMPARE(bench.debug.valueOf(function, first->ordinal).max, 123.5);
    QString said;
    connect(bench.panel, &ValuesPanel::message, &bench.window, [&](const QString& text) { said = text; });
    QVERIFY(bench.does("values.set", {"\"text\""}));
    QTRY_VERIFY2(said.contains("no number"), qPrintable(said));
    QVERIFY(bench.does("values.set", {"2"}));
    QTRY_COMPARE(table->model()->index(0, 1).data().toString(), QString("2"));
    QVERIFY(!bench.window.run("values.set", {"2", "behind", "1"}));
    // Without arguments a dialog asks.
    QVERIFY(bench.window.run("values.set", {}));
    auto* dialog = bench.panel->findChild<QInputDialog*>("setValue");
    QVERIFY(dialog);
    dialog->setTextValue("3");
    dialog->accept();
    QVERIFY(bench.settle());
    QTRY_COMPARE(table->model()->index(0, 1).data().toString(), QString("3"));
    // At the end of the run nothing is left to change.
    QVERIFY(bench.does("debug.continue"));
    QVERIFY(!bench.window.run("values.set", {"2"}));
    QVERIFY(!(table->model()->index(0, 0).flags() & Qt::ItemIsEditable));
  }

  /// At a step of the past a value is edited and the program goes on from there: what came of the old one is gone.
  void pastIsEdited() {
    ValuesBench bench;
    QVERIFY(bench.open("mlp") && bench.does("debug.start", {"main"}) && bench.does("debug.stepOver", {"3"}));
    const int steps = bench.debug.recorded();
    QVERIFY(bench.does("debug.stepOver") && bench.debug.recorded() > steps);
    const double before = bench.debug.valueOf("main", bench.debug.stop().madeBinding).max;
    QVERIFY(bench.does("debug.stepBack") && bench.debug.stop().past);
    const int made = bench.debug.stop().madeBinding;
    const QString name = bench.debug.stop().madeVariable;
    QVERIFY(made >= 0 && bench.does("select.binding", {name}) && bench.does("view.panel", {"values"}));
    QVERIFY(bench.debug.canSetValues());
    QVERIFY(bench.window.panel("values")->menuCommands().join('\n').contains("Edit and Run from Here"));
    QVERIFY(bench.does("values.set", {"1000"}));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY(!bench.debug.stop().past);
    QCOMPARE(bench.debug.recorded(), steps);
    QCOMPARE(bench.debug.valueOf("main", made).max, 1000.0);
    QVERIFY(bench.does("debug.stepOver"));
    QVERIFY(bench.debug.valueOf("main", bench.debug.stop().madeBinding).max != before);
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.state(), RunState::Ended);
  }

  /// A value opens at its first NaN; the marks of table, picture and histogram move together.
  void tablePictureAndHistogramAreOne() {
    ValuesBench bench;
    QVERIFY(bench.run("attention_fp16", "weights"));
    const ValueSummary& value = bench.panel->study()->value();
    QCOMPARE(value.nan, qint64(18));
    QVERIFY(bench.current() == value.firstBad);
    QVERIFY(std::isnan(bench.shown()));
    const QString text = bench.panel->dump();
    QVERIFY2(text.startsWith("weights (4, 6, 6) float16  min 0  max 1"), qPrintable(text));
    QVERIFY2(text.contains("18 NaN") && text.contains("NaN: 18"), qPrintable(text));
    // The histogram leads to numbers of its bars.
    HistogramView* histogram = bench.panel->histogram();
    histogram->pick(0);
    QVERIFY(bench.settle());
    QVERIFY2(bench.shown() < 0.2, qPrintable(QString::number(bench.shown())));
    histogram->pick(histogram->barCount() - 1);
    QVERIFY(bench.settle());
    QVERIFY(std::isnan(bench.shown()));
    const qint64 plane = bench.current()[0];
    // A pick in the picture moves the table, a cell of the table the picture's element.
    QVERIFY(bench.panel->picture()->hasPicture());
    Q_EMIT bench.panel->picture()->picked(2, 3);
    QVERIFY(bench.settle());
    QVERIFY(bench.current() == std::vector<qint64>({plane, 2, 3}));
    QCOMPARE(bench.panel->table()->table()->currentIndex().column(), 3);
    bench.panel->table()->table()->setCurrentIndex(bench.panel->table()->model()->index(5, 1));
    QVERIFY(bench.current() == std::vector<qint64>({plane, 5, 1}));
  }

  void fromBadElementToBadElement() {
    ValuesBench bench;
    QVERIFY(bench.run("attention_fp16", "weights"));
    const auto first = bench.current();
    std::set<std::vector<qint64>> seen;
    for (int i = 0; i < 18; ++i) {
      QVERIFY(std::isnan(bench.shown()));
      seen.insert(bench.current());
      QVERIFY(bench.does("values.nextBad"));
    }
    QCOMPARE(seen.size(), size_t(18));
    QVERIFY(bench.current() == first);
    QVERIFY(bench.does("values.previousBad"));
    QVERIFY(bench.current() == *seen.rbegin());
    // A finite value opens at its largest and has no bad element to go to.
    QVERIFY(bench.does("select.binding", {"q"}));
    QVERIFY(bench.settle());
    const ValueSummary& q = bench.panel->study()->value();
    QCOMPARE(std::abs(bench.shown()), std::max(std::abs(q.min), std::abs(q.max)));
    QVERIFY(!bench.window.run("values.nextBad", {}));
  }

  void axesAndFormats() {
    ValuesBench bench;
    QVERIFY(bench.run("attention_fp16", "k_t"));  // (4, 8, 6)
    TensorPage* page = bench.panel->study()->page();
    QVERIFY(bench.does("values.goTo", {"3", "7", "5"}));
    const double number = bench.shown();
    QVERIFY(bench.does("values.axes", {"2", "0"}));  // the engine's order of the axes turned round
    QCOMPARE(page->rowCount(), 6);
    QCOMPARE(page->columnCount(), 4);
    QCOMPARE(page->at()[1], qint64(7));
    QCOMPARE(page->value(5, 3), number);
    QVERIFY(bench.does("values.hold", {"1", "0"}));
    QCOMPARE(page->indexText(5, 3), QString("[3, 0, 5]"));
    QVERIFY(!bench.window.run("values.hold", {"2", "0"}));  // its rows
    QVERIFY(!bench.window.run("values.hold", {"1", "8"}));
    QVERIFY(!bench.window.run("values.axes", {"1", "1"}));
    QVERIFY(!bench.window.run("values.axes", {"0", "3"}));
    QVERIFY(!bench.window.run("values.goTo", {"0", "0", "6"}));
    QVERIFY(bench.does("select.binding", {"weights"}));
    QVERIFY(bench.settle());
    QVERIFY(bench.does("values.axes", {"1", "2"}));
    QVERIFY(bench.does("values.format", {"hex"}));
    const QModelIndex bad = bench.panel->table()->table()->currentIndex();
    QVERIFY2(bad.data().toString().startsWith("0x7e") || bad.data().toString().startsWith("0xfe"),
             qPrintable(bad.data().toString()));
    QVERIFY(bench.does("values.format", {"bits"}));
    QCOMPARE(bad.data().toString().size(), 17);
    QVERIFY(bench.does("values.format", {"scientific"}));
    QVERIFY(bench.panel->table()->model()->index(0, 0).data().toString().contains("e"));
    QVERIFY(!bench.window.run("values.format", {"roman"}));
  }

  void comparedWithExpected() {
    ValuesBench bench;
    QVERIFY(bench.run("attention", "gv"));
    const QString file = kSamples + "attention/expected.npz";
    QVERIFY(bench.does("values.compare", {"file", file}));
    QVERIFY(bench.settle());
    const TensorComparison* result = bench.panel->study()->comparison();
    QVERIFY(result && result->error.isEmpty());
    QVERIFY2(result->worst[0].distance < 1e-3, qPrintable(QString::number(result->worst[0].distance)));
    QVERIFY2(bench.panel->dump().contains("expected.npz"), qPrintable(bench.panel->dump()));
    QVERIFY(bench.does("values.distance", {"ulp"}));
    QVERIFY(bench.settle());
    QCOMPARE(bench.shown(), std::round(bench.shown()));
    // With another value of that shape, and not with one of another shape or with nobody.
    QVERIFY(bench.does("values.compare", {"joined"}));
    QVERIFY(bench.settle());
    QVERIFY(bench.panel->study()->comparison()->different > 0);
    QVERIFY(!bench.window.run("values.compare", {"scores"}));
    QVERIFY(!bench.window.run("values.compare", {"nobody"}));
    QVERIFY(bench.does("values.compare", {"off"}));
    QVERIFY(bench.settle());
    QVERIFY(!bench.panel->study()->source().compares());
    QVERIFY(bench.does("values.compare", {"file", "/nowhere/x.npy"}));
    QVERIFY(bench.settle());
    QVERIFY(bench.panel->dump().contains("Not compared"));
  }

  /// What a panel comes to show makes neither it nor the window larger; its tools stay in sight.
  void theWindowKeepsItsSize() {
    ValuesBench bench;
    QVERIFY(bench.run("attention", "weights"));
    bench.window.resize(1280, 800);
    QVERIFY(bench.does("pass.goTo", {"4"}) && bench.does("diff.graphs") && bench.does("view.panel", {"values"}));
    QVERIFY(bench.does("select.binding", {"weights"}) && bench.does("values.compare", {"scores"}) && bench.settle());
    QCOMPARE(bench.window.size(), QSize(1280, 800));
    bench.window.resize(1024, 700);
    QVERIFY(bench.settle());
    QCOMPARE(bench.window.size(), QSize(1024, 700));
    for (const QToolButton* tool : bench.panel->findChildren<QToolButton*>())
      if (tool->isVisible() && !tool->text().isEmpty())
        QVERIFY2(bench.panel->rect().contains(tool->mapTo(bench.panel, tool->rect().center())),
                 qPrintable(tool->text()));
  }

  void imagesAndLines() {
    ValuesBench bench;
    QVERIFY(bench.run("mlp", "gv"));
    bench.selection.selectBinding("main", -1, "x");
    QVERIFY(bench.settle());
    QVERIFY(bench.does("values.picture", {"image"}));
    QVERIFY(bench.settle());
    QCOMPARE(bench.panel->picture()->image().size(), QSize(28, 28));
    const QRgb pixel = bench.panel->picture()->image().pixel(14, 14);
    QVERIFY(qRed(pixel) == qGreen(pixel) && qGreen(pixel) == qBlue(pixel));
    QVERIFY(bench.does("values.picture", {"line"}));
    QVERIFY(bench.settle());
    QVERIFY(bench.panel->plot()->hasLine());
    QVERIFY(!bench.window.run("values.picture", {"sculpture"}));
  }

  void copies() {
    ValuesBench bench;
    QVERIFY(bench.run("attention_fp16", "total"));  // (4, 6, 1)
    QVERIFY(bench.does("values.hold", {"0", "0"}));
    QVERIFY(bench.does("values.copyNumpy"));
    const QString text = QGuiApplication::clipboard()->text();
    QVERIFY2(text.startsWith("np.array([[") && text.endsWith("]], dtype=np.float16)"), qPrintable(text));
    QVERIFY2(text.contains("np.nan"), qPrintable(text));
    QVERIFY(bench.does("values.copyCells"));
    QCOMPARE(QGuiApplication::clipboard()->text().count('\n'), 6);
  }

  /// A recording that keeps statistics has no elements of earlier values, and the panel says why. Of what shares the
  /// bytes of an input it has no statistics either, and makes none up.
  void whatIsNotKept() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.start", {"main", "keep=statistics"}) && bench.does("debug.continue"));
    QVERIFY(bench.does("select.function", {"main"}) && bench.does("select.binding", {"lv"}));
    QVERIFY(bench.does("view.panel", {"values"}) && bench.settle());
    const QString shown = bench.window.panel("values")->dump();
    QVERIFY2(shown.startsWith("lv (1, 784) float32\nNot available: the recording's policy keeps no bytes"),
             qPrintable(shown));
    // The sentence that stands for the value breaks where the Inspector ends, as all its sentences do.
    for (const QScrollArea* area : bench.window.panel("inspector")->findChildren<QScrollArea*>())
      QCOMPARE(area->horizontalScrollBar()->maximum(), 0);
    QVERIFY(bench.does("select.binding", {"lv1"}) && bench.settle());
    const QString counted = bench.window.panel("values")->dump();
    QVERIFY2(counted.startsWith("lv1 (1, 128) float32  min -0.67") && counted.contains("Not available: "),
             qPrintable(counted));
    for (const char* expression : {"lv[0, 3]", "max(lv)"}) QVERIFY(bench.does("watch.add", {expression}));
    QVERIFY(bench.settle());
    QCOMPARE(bench.window.dump("watch").count("the recording's policy keeps no bytes"), 2);
    // What the statistics of the step say needs no elements; what they do not say is refused.
    const ValueSummary noted =
        bench.debug.valueOf("main", bench.document.stage(0)->function("main")->bindingNamed("lv1")->ordinal);
    QVERIFY(noted.known && noted.max > noted.min);
    const auto watch = [&](const char* expression) {
      if (!bench.does("watch.add", {expression}) || !bench.settle()) return WatchRow();
      return bench.debug.watches().back();
    };
    QCOMPARE(watch("max(lv1)").number, noted.max);
    QCOMPARE(watch("lv1.min").number, noted.min);
    QCOMPARE(watch("nan(lv1)").number, 0.0);
    QCOMPARE(watch("lv1.shape[1]").number, 128.0);
    QCOMPARE(watch("lv1.shape").text, QString("(1, 128)"));
    QVERIFY(watch("lv1").value.isTensor);
    for (const char* expression : {"lv1[0, 3]", "max(abs(lv1))"}) {
      const WatchRow refused = watch(expression);
      QVERIFY2(!refused.known && refused.error.contains("the recording's policy keeps no bytes"), expression);
    }
  }

  /// An item of a tuple that no instruction takes out has its value all the same: where the tuple has it.
  void itemsOfTuples() {
    LiveBench bench;
    QTemporaryDir folder;
    QVERIFY(write(folder.filePath("items.py"), R"(@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 6), "float32")) -> R.Tensor((2, 2), "float32"):
        with R.dataflow():
            parts = R.split(x, indices_or_sections=3, axis=1)
            first = parts[0]
            again = first
            pair = (parts, x)
            nested = pair[0]
            third = nested[2]
            gv = R.add(first, third)
            R.output(gv)
        return gv
)"));
    QVERIFY(bench.does("file.open", {folder.filePath("items.py")}));
    QVERIFY(bench.does("debug.start", {"main", "seed=3"}) && bench.does("debug.continue"));
    const FunctionRow* main = bench.document.stage(0)->function("main");
    for (const char* name : {"first", "again", "third"}) {
      const ValueSummary value = bench.debug.valueOf("main", main->bindingNamed(name)->ordinal);
      QVERIFY2(value.known && value.isTensor && value.max > value.min, name);
    }
    QVERIFY(bench.does("select.function", {"main"}) && bench.does("select.binding", {"first"}));
    const QString shown = bench.window.dump("values");
    QVERIFY2(shown.startsWith("first (2, 2) float32  min "), qPrintable(shown));
    QVERIFY(bench.does("watch.add", {"first[1, 1] - parts[0][1, 1]"}) && bench.settle());
    QVERIFY(bench.debug.watches().back().isNumber && bench.debug.watches().back().number == 0);
  }

  /// In a local function, which runs as one of the module, its bindings, its parameters and what it captures have their
  /// values, and the stop is selected.
  void localFunctions() {
    LiveBench bench;
    QTemporaryDir folder;
    QVERIFY(write(folder.filePath("local.py"), R"(@I.ir_module
class Module:
    @R.function
    def main(toks: R.Tensor((3, 8), "float32"), w: R.Tensor((8, 8), "float32")) -> R.Tensor((3, 8), "float32"):
        @R.function
        def step(y: R.Tensor((3, 8), "float32")) -> R.Tensor((3, 8), "float32"):
            z = R.matmul(y, w)
            s = R.add(z, toks)
            return s
        a = step(toks)
        b = step(a)
        return b
)"));
    QVERIFY(bench.does("file.open", {folder.filePath("local.py")}) && bench.does("select.function", {"main"}));
    QVERIFY(bench.does("debug.toggleBreakpoint", {"s"}));
    QVERIFY(bench.does("debug.start", {"main", "seed=3"}) && bench.does("debug.continue"));
    QCOMPARE(bench.debug.stop().reason, QString("breakpoint"));
    QCOMPARE(bench.selection.place().function, QString("main"));
    QCOMPARE(bench.selection.place().variable, QString("z"));
    const FunctionRow* main = bench.document.stage(0)->function("main");
    QVERIFY(bench.debug.valueOf("main", main->bindingNamed("z")->ordinal).isTensor);
    for (const char* name : {"y", "w", "toks"}) QVERIFY2(bench.debug.valueOfParam("main", name).isTensor, name);
    QVERIFY(!bench.window.dump("inspector").contains("no value"));
    // Where no call of it runs, that is what is said.
    QVERIFY(bench.does("debug.clearBreakpoints") && bench.does("debug.continue"));
    QVERIFY(bench.does("select.binding", {"z"}));
    const QString shown = bench.window.dump("values");
    QVERIFY2(shown.contains("No call of step runs at this step"), qPrintable(shown));
  }

  void aPolicyThatThereIsNot() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    bench.does("debug.start", {"main", "keep=nothing"});
    QVERIFY(bench.settle());
    QVERIFY(bench.debug.failure());
  }

  /// What is selected while an answer is on its way is what is shown in the end.
  void theLastSelectionCounts() {
    ValuesBench bench;
    QVERIFY(bench.run("attention_fp16", "q"));
    for (const char* name : {"k", "v", "scores", "weights", "gv", "scaled"})
      QVERIFY(bench.window.run("select.binding", {name}));
    QVERIFY(bench.settle());
    QCOMPARE(bench.panel->study()->value().variable, QString("scaled"));
    QVERIFY(bench.current() == bench.panel->study()->value().firstBad);
    QVERIFY(!bench.panel->busy());
  }

  /// A tuple has a row for each of its items, also of those that do not come with it.
  void itemsOfALongTuple() {
    QTemporaryDir folder;
    const QString path = folder.filePath("long.py");
    QVERIFY(write(path, R"(from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((50, 2), "float32")):
        parts = R.split(x, 50, axis=0)
        pair = (parts, x)
        return pair
)"));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {path}) && bench.does("debug.start", {"main", "seed=1", "stop=none"}));
    QVERIFY(bench.does("select.binding", {"parts", "main"}) && bench.does("view.panel", {"values"}));
    auto* panel = qobject_cast<ValuesPanel*>(bench.window.panel("values"));
    const QAbstractItemModel* rows = panel->items()->model();
    const auto last = [&] { return rows->index(49, 1).data().toString(); };
    QCOMPARE(rows->rowCount(), 50);
    QCOMPARE(last(), QString(QChar(0x2026)));
    panel->items()->scrollToBottom();
    QTRY_VERIFY2(last().startsWith("(1, 2) f32"), qPrintable(last()));
    panel->items()->setCurrentIndex(rows->index(49, 0));
    QTest::keyClick(panel->items(), Qt::Key_Return);
    QVERIFY(bench.settle());
    QVERIFY2(bench.window.dump("values").startsWith("parts[49] (1, 2) float32"),
             qPrintable(bench.window.dump("values")));
    // In another tuple as well.
    QVERIFY(bench.does("select.binding", {"pair", "main"}) && bench.does("values.item", {"0"}));
    QCOMPARE(rows->rowCount(), 50);
    panel->items()->scrollToBottom();
    QTRY_VERIFY2(last().startsWith("(1, 2) f32"), qPrintable(last()));
  }

  /// The items of a tuple are rows, which open: tensors as tables, tuples in it as rows again, and what is neither.
  void itemsOfATuple() {
    QTemporaryDir folder;
    const QString path = folder.filePath("tuple.py");
    QVERIFY(write(path, R"(from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 6), "float32")):
        halves = R.split(x, 2, axis=1)
        inner = (halves, x)
        whole = (inner, R.str("name"), R.shape([4, 6]), R.prim_value(3), x)
        first = whole[0]
        low = first[0]
        gv = R.exp(low[1])
        return (whole, gv)
)"));
    LiveBench bench;
    bench.window.resize(1600, 1000);
    QVERIFY(bench.does("file.open", {path}) && bench.does("debug.start", {"main", "seed=1", "stop=none"}));
    QVERIFY(bench.does("select.binding", {"whole", "main"}) && bench.does("view.panel", {"values"}));
    auto* panel = qobject_cast<ValuesPanel*>(bench.window.panel("values"));
    QVERIFY(panel && panel->items()->isVisible() && !panel->table()->isVisible());
    const auto said = [&] { return bench.window.dump("values"); };
    QVERIFY2(said().contains("0\ttuple of 2") && said().contains("1\t\"name\"") && said().contains("2\tshape(4, 6)") &&
                 said().contains("3\t3") && said().contains("4\t(4, 6) f32"),
             qPrintable(said()));
    panel->items()->setCurrentIndex(panel->items()->model()->index(4, 0));
    QTest::keyClick(panel->items(), Qt::Key_Return);
    QVERIFY(bench.settle());
    QVERIFY2(said().startsWith("whole[4] (4, 6) float32") && panel->table()->isVisible(), qPrintable(said()));
    QCOMPARE(panel->study()->page()->rowCount(), 4);
    QVERIFY(bench.does("values.item", {"0"}));
    QVERIFY2(said().startsWith("whole[0] tuple of 2") && said().contains("1\t(4, 6) f32"), qPrintable(said()));
    QVERIFY(bench.does("values.item", {"0", "0", "1"}));
    QVERIFY2(said().startsWith("whole[0][0][1] (4, 3) float32"), qPrintable(said()));
    QVERIFY(bench.does("values.item", {"up"}));
    QVERIFY2(said().startsWith("whole[0][0] tuple of 2"), qPrintable(said()));
    QVERIFY(bench.does("values.item", {"1"}));
    QVERIFY2(said().startsWith("whole[1] \"name\""), qPrintable(said()));
    QVERIFY(!bench.window.run("values.item", {"9"}));
    // Another value is shown as a whole; a name of an inner tuple has its items too.
    QVERIFY(bench.does("select.binding", {"first", "main"}));
    QVERIFY2(said().startsWith("first tuple of 2") && said().contains("0\ttuple of 2"), qPrintable(said()));
    // A watch of an item that is picked opens it; what is changed in the run is shown as it is then.
    const QString inspected = bench.window.dump("inspector");
    QVERIFY2(inspected.contains("Fields of the tuple"), qPrintable(inspected));
    bench.debug.addWatch("whole[0]");
    QVERIFY(bench.settle());
    QVERIFY2(bench.window.dump("watch").contains("tuple of 2: tuple of 2"), qPrintable(bench.window.dump("watch")));
    QVERIFY(bench.does("select.binding", {"gv_1", "main"}) && bench.does("debug.toggleBreakpoint"));
    QVERIFY(bench.does("debug.restart"));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY(bench.does("select.binding", {"whole", "main"}) && bench.does("values.item", {"0", "0", "1"}));
    QVERIFY(bench.does("values.set", {"7"}));
    QVERIFY2(said().startsWith("whole[0][0][1] (4, 3) float32  min 7  max 7"), qPrintable(said()));
  }

  /// What was computed of something that has changed since has no hue in any picture, and says what it is of.
  void picturesOfThePast() {
    ValuesBench bench;
    QVERIFY(bench.run("attention_fp16", "scores"));
    const auto hues = [](QWidget* widget) {
      int coloured = 0;
      const QImage image = widget->grab().toImage();
      for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) coloured += QColor(image.pixel(x, y)).saturation() > 100;
      return coloured;
    };
    QVERIFY(hues(bench.panel->histogram()) > 0);
    QVERIFY(hues(bench.panel->picture()) > 0);
    QVERIFY(bench.does("pass.pipeline", {"LegalizeOps(), CallTIRRewrite()"}));
    QVERIFY(bench.does("select.binding", {"scores", "main"}) && bench.does("view.panel", {"values"}));
    QVERIFY2(bench.window.dump("values").contains("of another pipeline"), qPrintable(bench.window.dump("values")));
    QCOMPARE(hues(bench.panel->histogram()), 0);
    QCOMPARE(hues(bench.panel->picture()), 0);
    QVERIFY(bench.does("values.picture", {"line"}));
    QCOMPARE(hues(bench.panel->plot()), 0);
  }
};

QTEST_MAIN(LiveValuesTest)
#include "tst_live_values.moc"
