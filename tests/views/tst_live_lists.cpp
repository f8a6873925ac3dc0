// Lists, tables and trees act alike in every panel: a click or a key selects and leaves on top what is there, Enter or
// a double click goes.
#include <QLineEdit>
#include <QStyledItemDelegate>
#include <QTemporaryDir>
#include <algorithm>

#include "live_bench.h"
#include "views/panels/list_view.h"
#include "views/panels/panel.h"
#include "views/shell/dock_area.h"

using namespace rx;
using namespace rx::views;

namespace {

/// A panel with lists, how it comes to have rows, and a row whose cells hold a text.
struct Case {
  const char* panel;
  const char* row;
  const char* variable;  // what the row selects
};
constexpr Case kCases[] = {
    {"module", "weights", "weights"}, {"bookmarks", "mixed_t", "mixed_t"}, {"breakpoints", "weights", "weights"},
    {"results", "powers", "powers"},  {"watch", "total", "total"},         {"symbols", "n", "x"},
};

/// The index of the first row, in a tree too, with that text.
QModelIndex rowWith(const ListView* list, const QString& text, const QModelIndex& parent = {}) {
  const QAbstractItemModel* model = list->model();
  for (int row = 0; row < model->rowCount(parent); ++row) {
    const QModelIndex index = model->index(row, 0, parent);
    for (int column = 0; column < model->columnCount(parent); ++column)
      if (index.siblingAtColumn(column).data().toString() == text) return index;
    if (const QModelIndex below = rowWith(list, text, index); below.isValid()) return below;
  }
  return {};
}

void press(ListView* list, const QModelIndex& index, bool twice) {
  list->scrollTo(index);
  const QPoint at = list->visualRect(index).center();
  QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, at);
  if (twice) QTest::mouseDClick(list->viewport(), Qt::LeftButton, {}, at);
}

}  // namespace

class LiveListsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  void listsActAlike_data() {
    QTest::addColumn<QString>("panel");
    QTest::addColumn<QString>("row");
    QTest::addColumn<QString>("variable");
    for (const Case& row : kCases) QTest::newRow(row.panel) << row.panel << row.row << row.variable;
  }
  void listsActAlike() {
    QFETCH(QString, panel);
    QFETCH(QString, row);
    QFETCH(QString, variable);
    LiveBench bench;
    bench.window.resize(1920, 1080);
    const bool symbols = panel == "symbols";
    QVERIFY(bench.open(symbols ? "dynamic" : "attention_fp16"));
    QVERIFY(bench.does("select.function", {"main"}));
    if (!symbols) {
      QVERIFY(bench.does("select.binding", {"mixed_t"}));
      QVERIFY(bench.does("bookmark.toggle"));
      QVERIFY(bench.does("debug.toggleBreakpoint", {"weights"}));
      QVERIFY(bench.does("watch.add", {"total"}));
      QVERIFY(bench.does("search.find", {"powers"}));
    }
    // The difference covers the text: what goes there brings the text up, what selects does not.
    QWidget* text = bench.window.panel("ir");
    for (const bool byKey : {false, true}) {
      QVERIFY(bench.does("select.function", {"main"}));
      QVERIFY(bench.does("view.panel", {"diff"}));
      QVERIFY(bench.does("view.panel", {panel}));
      QVERIFY(text->visibleRegion().isEmpty());
      auto* list = bench.window.panel(panel)->findChild<ListView*>();
      QVERIFY(list);
      const QModelIndex index = rowWith(list, row);
      QVERIFY2(index.isValid(), qPrintable(bench.window.dump(panel)));
      for (QModelIndex up = index.parent(); up.isValid(); up = up.parent()) list->expand(up);
      press(list, index, false);
      QVERIFY(bench.settle());
      QCOMPARE(bench.selection.place().variable, variable);
      QVERIFY2(text->visibleRegion().isEmpty(), "a click selects only");
      if (panel == "watch") break;  // a row of it is edited by Enter
      if (byKey) {
        QTest::keyClick(list, Qt::Key_Return);
      } else {
        press(list, rowWith(list, row), true);
      }
      QVERIFY(bench.settle());
      QCOMPARE(bench.selection.place().variable, variable);
      QVERIFY2(!text->visibleRegion().isEmpty(), "Enter and a double click go there");
    }
  }

  /// The keys that move through a list select as a click does.
  void keysSelect() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("search.find", {"powers"}));
    auto* list = bench.window.panel("results")->findChild<ListView*>();
    QVERIFY(list->model()->rowCount() > 2);
    press(list, list->model()->index(1, 0), false);  // the line of the binding above it
    const Place first = bench.selection.place();
    QTest::keyClick(list, Qt::Key_Down);
    QVERIFY(bench.settle());
    QVERIFY(!(bench.selection.place() == first));
    QTest::keyClick(list, Qt::Key_Up);
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().variable, first.variable);
  }

  /// Ctrl+F in a tree finds what is folded away, and goes on from there in both directions.
  void findsInTrees() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("view.panel", {"module"}));
    auto* tree = bench.window.panel("module")->findChild<ListView*>();
    tree->collapseAll();
    QVERIFY(bench.does("edit.find"));
    auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QVERIFY(field && tree->isAncestorOf(field));
    QTest::keyClicks(field, "mixed");
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().variable, QString("mixed"));
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().variable, QString("mixed_t"));
    QTest::keyClick(field, Qt::Key_Return);  // around the end
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().variable, QString("mixed"));
    QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().variable, QString("mixed_t"));
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(!field->isVisible());
    QCOMPARE(QApplication::focusWidget(), tree);
    QVERIFY(!bench.window.run("edit.find", {"no such row"}));
  }

  /// Stages, frames and instructions.
  void stagesAndFrames() {
    LiveBench bench;
    bench.window.resize(1920, 1080);
    QVERIFY(bench.open("branch"));
    QVERIFY(bench.does("pass.goTo", {"2"}));
    auto* passes = bench.window.panel("passes")->findChild<ListView*>();
    QVERIFY(bench.does("view.panel", {"diff"}));
    QVERIFY(bench.does("view.panel", {"passes"}));
    QWidget* text = bench.window.panel("ir");
    press(passes, passes->model()->index(1, 0), false);
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().stage, 1);
    QVERIFY(text->visibleRegion().isEmpty());
    QTest::keyClick(passes, Qt::Key_Return);
    QVERIFY(bench.settle());
    QVERIFY(!text->visibleRegion().isEmpty());
    QVERIFY(bench.does("pass.goTo", {"0"}));
    QVERIFY(bench.does("debug.start", {"main"}));
    for (int i = 0; i < 60 && bench.debug.frames().size() < 2; ++i) QVERIFY(bench.does("debug.stepInto"));
    QVERIFY(bench.debug.frames().size() >= 2);
    QVERIFY(bench.does("view.panel", {"stack"}));
    auto* stack = bench.window.panel("stack")->findChild<ListView*>();
    press(stack, stack->model()->index(1, 0), false);
    QCOMPARE(bench.selection.place().function, bench.debug.frames()[1].function);
    QCOMPARE(bench.selection.place().variable, bench.debug.frames()[1].variable);
  }

  /// Many lines that are said in one go are shown in one go.
  void aLogThatIsSaidAtOnce() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("view.panel", {"log"}));
    const auto* list = bench.window.panel("log")->findChild<ListView*>();
    QSignalSpy other(list->model(), &QAbstractItemModel::modelReset);
    QSignalSpy changed(list->model(), &QAbstractItemModel::dataChanged);
    for (int i = 0; i < 10000; ++i) bench.debug.addLog({LogLine::Kind::Output, QString::number(i), {}});
    QVERIFY(bench.settle());
    QVERIFY2(other.size() + changed.size() <= 2, qPrintable(QString::number(other.size() + changed.size())));
    const int last = list->model()->rowCount() - 1;
    QCOMPARE(list->model()->index(last, 2).data().toString(), QString("9999"));
    QVERIFY(last < 10000);
  }

  /// Numbers that grow along a list are whole at its end, also where it was fitted at its beginning.
  void numbersAreWholeAtTheEnd() {
    QTemporaryDir folder;
    QByteArray text =
        "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
        "    @R.function\n    def main(x0: R.Tensor((2,), \"float32\")):\n        with R.dataflow():\n";
    constexpr int kBindings = 600;
    for (int i = 0; i < kBindings; ++i)
      text += QByteArray("            x%2 = R.tanh(x%1)\n")
                  .replace("%1", QByteArray::number(i))
                  .replace("%2", QByteArray::number(i + 1));
    text += "            R.output(x600)\n        return x600\n";
    QVERIFY(write(folder.filePath("long.py"), text));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {folder.filePath("long.py")}));
    QVERIFY(bench.does("debug.start", {"main", "seed=1"}));
    const auto lists = bench.window.panel("bytecode")->findChildren<ListView*>();
    const auto* list =
        *std::ranges::find_if(lists, [](const ListView* each) { return each->accessibleName() == "Bytecode"; });
    const int last = list->model()->rowCount() - 1;
    QVERIFY2(last >= 1000, qPrintable(QString::number(last)));
    QVERIFY(list->viewport()->rect().intersects(list->visualRect(list->model()->index(0, 0))));
    const QModelIndex pc = list->model()->index(last, 1);
    QCOMPARE(pc.data().toString(), QString::number(last));
    QVERIFY(list->columnWidth(1) >= list->sizeHintForIndex(pc).width());
  }

  /// No panel has a list of another kind.
  void everyListIsOne() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    for (const QString& id : bench.window.panelIds()) {
      QVERIFY(bench.does("view.panel", {id}));
      for (const QTreeView* view : bench.window.panel(id)->findChildren<QTreeView*>())
        QVERIFY2(qobject_cast<const ListView*>(view), qPrintable(id));
    }
  }
};

QTEST_MAIN(LiveListsTest)
#include "tst_live_lists.moc"
