// The menus of panels: every panel has one, also of its text, and it is about what was clicked.
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>

#include "live_bench.h"
#include "views/panels/list_view.h"
#include "views/panels/panel.h"
#include "views/shell/command.h"
#include "views/text/text_view.h"

using namespace rx;
using namespace rx::views;

class LiveMenusTest : public QObject {
  Q_OBJECT

  /// The menu that a right click into a line of a panel's text opens; its titles.
  static QStringList menuOf(LiveBench& bench, const QString& panel, uint32_t line) {
    TextView* text = nullptr;
    for (TextView* view : bench.window.panel(panel)->findChildren<TextView*>())
      if (view->isVisible()) text = view;
    if (!text) return {};
    text->revealLine(line);
    const QPoint at = text->viewport()->mapFrom(text, text->lineRect(line).center());
    QContextMenuEvent event(QContextMenuEvent::Mouse, QPoint(static_cast<int>(text->textLeft()) + 4, at.y()),
                            text->viewport()->mapToGlobal(at));
    QApplication::sendEvent(text->viewport(), &event);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    if (!menu) return {};
    QStringList titles;
    for (const QAction* action : menu->actions()) titles << action->text().remove('&');
    menu->close();
    return titles;
  }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  void everyPanelHasCommands() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    for (const QString& id : bench.window.panelIds()) {
      const QStringList rows = bench.window.panel(id)->menuCommands();
      QVERIFY2(!rows.isEmpty(), qPrintable(id));
      for (const QString& row : rows)
        QVERIFY2(row == "-" || findCommand(row.section('|', 0, 0).section(' ', 0, 0)), qPrintable(id + ": " + row));
    }
  }

  void textsHaveTheMenuOfTheirPanel() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    const StageIndexPtr stage = bench.document.stage(0);
    const BindingRow* scores = stage->function("main")->bindingNamed("scores");
    const QStringList ir = menuOf(bench, "ir", static_cast<uint32_t>(scores->line - 1));
    for (const char* title : {"Go to Use", "Run to Selected Binding", "Toggle Breakpoint", "Add to Watch",
                              "Show in Graph", "Copy", "Copy Link to This Place"})
      QVERIFY2(ir.contains(title), qPrintable(title + QString(" in ") + ir.join(", ")));
    QCOMPARE(bench.selection.place().variable, QString("scores"));  // it is about what was clicked
    QVERIFY(bench.does("view.panel", {"source"}));
    const QStringList source = menuOf(bench, "source", static_cast<uint32_t>(scores->line));
    QVERIFY2(source.contains("Show in IR"), qPrintable(source.join(", ")));
    QVERIFY(bench.does("pass.goTo", {"4"}) && bench.does("view.panel", {"diff"}));
    const QStringList diff = menuOf(bench, "diff", 0);
    QVERIFY2(diff.contains("Next Change") && diff.contains("Copy"), qPrintable(diff.join(", ")));
  }

  /// Where rows stand for bindings the menus offer the same, and each has what every panel has.
  void whatIsOfferedOfBindings() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    for (const char* id : {"ir", "graph", "module", "source", "timeline", "bytecode", "stack", "breakpoints",
                           "bookmarks", "results", "symbols", "memory", "inspector", "watch"}) {
      const QStringList rows = bench.window.panel(id)->menuCommands();
      for (const char* row : {"debug.runToCursor", "select.definition", "select.use", "debug.toggleBreakpoint",
                              "debug.condition", "debug.logPoint", "debug.breakWhenWritten", "watch.add"})
        QVERIFY2(rows.contains(row), qPrintable(QString(id) + ": " + row));
      QCOMPARE(rows.contains("view.panel graph|Show in Graph"), QString(id) != "graph");
    }
    QVERIFY(bench.does("pass.goTo", {"3"}));
    QVERIFY(bench.does("pass.goTo", {"1"}));
    const QStringList passes = bench.window.panel("passes")->menuCommands();
    QVERIFY2(passes.contains("pass.compare 3|Diff with 3, Shown Before"), qPrintable(passes.join(", ")));
  }

  /// The menu of a row is about the row that was clicked, whatever was selected before; so is what it copies.
  void rowsAreSelectedByARightClick() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("search.find", {"weights"}));
    for (const char* id : {"module", "results"}) {
      QVERIFY(bench.does("view.panel", {id}));
      auto* list = bench.window.panel(id)->findChild<ListView*>();
      QVERIFY2(list->find("weights") > 0, id);
      const QPersistentModelIndex row = list->currentIndex();
      QVERIFY(bench.does("select.binding", {"scores"}));
      list->scrollTo(row);
      const QPoint at = list->visualRect(row).center();
      QContextMenuEvent event(QContextMenuEvent::Mouse, at, list->viewport()->mapToGlobal(at));
      QApplication::sendEvent(list->viewport(), &event);
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      QVERIFY2(menu, id);
      menu->close();
      QVERIFY(bench.settle());
      QCOMPARE(bench.selection.place().variable, QString("weights"));
      QVERIFY(bench.does("edit.copySelection"));
      QVERIFY2(QApplication::clipboard()->text().contains("weights"), qPrintable(QApplication::clipboard()->text()));
    }
    // What is drawn has no text of its own: the line of what is selected there is copied.
    QVERIFY(bench.does("view.panel", {"graph"}));
    QVERIFY(bench.does("edit.copySelection"));
    QVERIFY2(QApplication::clipboard()->text().startsWith("weights: "), qPrintable(QApplication::clipboard()->text()));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(!bench.window.run("edit.copySelection"));
  }

  /// A right click into what is selected leaves it: the menu copies it.
  void whatIsSelectedStays() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    TextView* text = bench.window.panel("ir")->findChild<TextView*>();
    const uint32_t begin = text->buffer()->lineStart(5);
    text->setCaret(begin);
    text->setCaret(begin + 8, true);
    QVERIFY(!text->selectedText().isEmpty());
    const QString selected = text->selectedText();
    QVERIFY(!menuOf(bench, "ir", 5).isEmpty());
    QCOMPARE(text->selectedText(), selected);
    QVERIFY(!menuOf(bench, "ir", 12).isEmpty());
    QVERIFY(text->selectedText().isEmpty());
  }
};

QTEST_MAIN(LiveMenusTest)
#include "tst_live_menus.moc"
