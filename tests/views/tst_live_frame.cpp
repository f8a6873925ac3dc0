// The frame of the window on the real program: layouts and their undo, copies and locks of panels, menus, the toolbar
// in narrow windows, tabs of documents, sessions, bookmarks.
#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QCoreApplication>
#include <QDockWidget>
#include <QKeySequence>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSet>
#include <QStyleOptionComboBox>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTimer>
#include <QToolButton>

#include "tab_bench.h"
#include "views/canvas/graph_canvas.h"
#include "views/models/profile_board.h"
#include "views/panels/bytecode/register_list.h"
#include "views/shell/dock_area.h"
#include "views/shell/dock_tabs.h"
#include "views/shell/panel_table.h"
#include "views/shell/status_strip.h"
#include "views/shell/toolbar.h"
#include "views/shell/toolbar_button.h"
#include "views/text/text_view.h"

using namespace rx::views;

namespace {

/// In sight: a tab behind another one counts as visible in Qt.
bool seen(LiveBench& bench, const char* id) {
  const QWidget* panel = bench.window.docks().panel(id);
  const QWidget* there = bench.window.childAt(panel->mapTo(&bench.window, panel->rect().center()));
  return panel->isVisible() && there && (there == panel || panel->isAncestorOf(there));
}

/// Titles of the tabs with an icon, which is a pin.
QStringList pinnedTabs(LiveBench& bench) {
  QStringList titles;
  for (const QTabBar* bar : bench.window.findChildren<QTabBar*>())
    for (int tab = 0; tab < bar->count(); ++tab)
      if (!bar->tabIcon(tab).isNull()) titles << bar->tabText(tab);
  return titles;
}

/// The text of the titles of the open context menu; it is closed then.
QStringList menuRows() {
  auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
  if (!menu) return {};
  QStringList rows;
  for (const QAction* action : menu->actions())
    if (!action->isSeparator()) rows << action->text();
  menu->close();
  return rows;
}

}  // namespace

class LiveFrameTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  void readComesFirstAndDebugOnceWithTheFirstRun() {
    LiveBench bench;
    bench.window.resize(1600, 1000);
    QVERIFY(bench.open("attention"));
    QCOMPARE(bench.window.layoutName(), QString("Read"));
    QVERIFY(seen(bench, "graph") && seen(bench, "ir") && seen(bench, "inspector") && seen(bench, "module"));
    QVERIFY(!seen(bench, "bytecode") && !seen(bench, "timeline"));
    // What a stage plans is read beside it: its tab is there.
    QVERIFY(bench.window.docks()
                .tabifiedDockWidgets(bench.window.findChild<QDockWidget*>("inspector"))
                .contains(bench.window.findChild<QDockWidget*>("memory")));
    const QWidget* graph = bench.window.panel("graph");
    for (const char* other : {"ir", "inspector", "module", "passes"}) {
      const QWidget* panel = bench.window.panel(other);
      QVERIFY2(graph->width() * graph->height() > panel->width() * panel->height(), other);
    }
    QVERIFY(bench.does("debug.start", {"main"}));
    QCOMPARE(bench.window.layoutName(), QString("Debug"));
    QVERIFY(seen(bench, "bytecode") && seen(bench, "timeline"));
    QVERIFY(bench.does("view.layoutRead"));
    QVERIFY(bench.does("debug.restart"));
    QCOMPARE(bench.window.layoutName(), QString("Read"));
    QVERIFY(!bench.window.run("view.layout", {"Passes"}));
    QVERIFY(bench.window.lastError().contains("Read, Debug"));
  }

  /// A layout moves every dock, but each is laid out only where it stands in the end: in front, or as large behind it.
  void aLayoutIsLaidOutOnce() {
    class Resizes : public QObject {
     public:
      QHash<QObject*, int> all;
      bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Resize) ++all[watched];
        return false;
      }
    };
    LiveBench bench;
    bench.window.resize(1600, 1000);
    QVERIFY(bench.open("mlp"));
    const DockArea& docks = bench.window.docks();
    const auto places = [&] {
      QHash<QString, QRect> all;
      for (const QString& id : docks.ids())
        if (seen(bench, id.toLatin1())) all[id] = docks.panel(id)->parentWidget()->geometry();
      return all;
    };
    QHash<QString, QHash<QString, QRect>> first;
    for (const char* layout : {"Debug", "Read", "Profile", "Debug", "Profile", "Read"}) {
      Resizes resizes;
      for (const QString& id : docks.ids()) docks.panel(id)->installEventFilter(&resizes);
      QVERIFY(bench.does("view.layout", {layout}));
      // Once with the layout; again where the strip of a dock that has tabs now is a line instead of a title.
      for (auto it = resizes.all.cbegin(); it != resizes.all.cend(); ++it)
        QVERIFY2(it.value() <= 2, qPrintable(docks.idOf(static_cast<Panel*>(it.key()))));
      if (!first.contains(layout)) first[layout] = places();
      QCOMPARE(places(), first[layout]);
      for (const QString& id : docks.ids()) {
        auto* dock = static_cast<QDockWidget*>(docks.panel(id)->parentWidget());
        for (const QDockWidget* other : static_cast<QMainWindow*>(dock->parentWidget())->tabifiedDockWidgets(dock))
          if (!dock->isHidden() && !other->isHidden()) {
            QCOMPARE(dock->size(), other->size());
          }
      }
    }
  }

  /// The panel table and the layouts fit: each panel has a place in each form, each place has a panel, and one panel
  /// alone is in front there.
  void everyPanelHasItsPlace() {
    for (const Layout& layout : everyLayout()) {
      std::vector<int> panels(layout.cells.size(), 0), fronts(layout.cells.size(), 0);
      for (const PanelRow& row : panelTable()) {
        const size_t cell = cellOf(layout, row);
        QVERIFY2(cell < layout.cells.size(), row.id);
        ++panels[cell];
        fronts[cell] += row.in(layout.form).seen == PanelSeen::Front;
      }
      QVERIFY(std::ranges::all_of(panels, [](int count) { return count > 0; }));
      if (*layout.name) QVERIFY(std::ranges::all_of(fronts, [](int count) { return count <= 1; }));
    }
  }

  /// What a layout has in front is in front, whoever has the focus; a wide panel is never sent to a narrow place.
  void theLayoutSaysWhatIsInFront() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    for (const QSize size : {QSize(1024, 700), QSize(1600, 1000)}) {
      bench.window.resize(size);
      for (const char* layout : {"Debug", "Read", "Profile", "Read"}) {
        QVERIFY(bench.does("view.panel", {"module"}) && bench.does("view.layout", {layout}));
        const Layout* shown = builtInLayout(layout, size.width() < 1200);
        for (const PanelRow& row : panelTable())
          if (row.in(shown->form).seen == PanelSeen::Front)
            QTRY_VERIFY2(seen(bench, row.id), qPrintable(QStringLiteral("%1 in %2").arg(row.id, layout)));
      }
      QVERIFY(bench.does("view.layout", {"Profile"}) && bench.does("view.panel", {"bisect"}));
      QVERIFY(bench.window.panel("bisect")->width() > size.width() / 2);
    }
  }

  /// In a small window the watches stand beside the text, not over it.
  void watchesLeaveTheTextInSight() {
    LiveBench bench;
    bench.window.resize(1024, 700);
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("view.panel", {"watch"}));
    QVERIFY(seen(bench, "watch"));
    QVERIFY(seen(bench, "ir"));
  }

  void ownLayoutStandsInTheSwitch() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(!bench.window.enabled("view.layoutFourth"));
    QVERIFY(bench.does("panel.float", {"inspector"}));
    QVERIFY(bench.does("view.saveLayout", {"mine"}));
    QVERIFY(bench.does("view.layoutRead"));
    QVERIFY(!bench.window.findChild<QDockWidget*>("inspector")->isFloating());
    QVERIFY(bench.does("view.layoutFourth"));
    QVERIFY(bench.window.findChild<QDockWidget*>("inspector")->isFloating());
    QCOMPARE(bench.window.layoutName(), QString("mine"));
    QVERIFY(!bench.window.run("view.saveLayout", {"read"}));
  }

  void changesOfTheLayoutAreUndone() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("view.closePanel", {"graph"}));
    QVERIFY(!seen(bench, "graph"));
    QVERIFY(bench.does("panel.duplicate", {"ir"}));
    QVERIFY(bench.window.docks().panel("ir.2"));
    QVERIFY(bench.does("view.undoLayout"));
    QVERIFY(!bench.window.docks().panel("ir.2"));
    QVERIFY(bench.does("view.undoLayout"));
    QVERIFY(seen(bench, "graph"));
    QVERIFY(bench.does("view.redoLayout"));
    QVERIFY(!seen(bench, "graph"));
  }

  /// A lock is on a module: another one that is opened is shown, the same one read again keeps it.
  void aLockGoesWithItsModule() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("pass.goTo", {"LegalizeOps"}) && bench.does("select.binding", {"scores"}));
    QVERIFY(bench.does("panel.lock", {"binding", "ir"}));
    QVERIFY(bench.does("file.reload"));
    QVERIFY(bench.window.docks().lockOf(bench.window.panel("ir")));
    QVERIFY(bench.open("mlp"));
    QVERIFY(!bench.window.docks().lockOf(bench.window.panel("ir")));
    QVERIFY2(bench.window.dump("ir").contains("R.matmul"), qPrintable(bench.window.dump("ir").left(300)));
  }

  /// A copy that is locked to stage 0 stays there while the window goes on, and both are live.
  void lockedCopyKeepsItsStage() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("panel.duplicate", {"ir"}));
    QVERIFY(bench.does("panel.lock", {"stage", "ir.2"}));
    const QString imported = bench.window.dump("ir.2");
    QVERIFY(bench.does("pass.goTo", {"4"}));
    QVERIFY(bench.does("view.panel", {"ir.2"}));
    QTRY_COMPARE(bench.window.dump("ir.2"), imported);
    QVERIFY(bench.does("view.panel", {"ir"}));
    QTRY_VERIFY(bench.window.dump("ir") != imported);
    const auto* copy = bench.window.findChild<QDockWidget*>("ir.2");
    QVERIFY(copy->property(DockTabs::kTitle).toString().contains("pinned to stage 0"));
    QTRY_COMPARE(pinnedTabs(bench), QStringList{copy->windowTitle()});
    QVERIFY(bench.does("panel.lock", {"off", "ir.2"}));
    QVERIFY(bench.does("view.panel", {"ir.2"}));
    QTRY_COMPARE(bench.window.dump("ir.2"), bench.window.dump("ir"));
    QVERIFY(!bench.window.run("panel.lock", {"forever"}));
    QVERIFY(!bench.window.run("panel.lock", {"off", "ir"}));
  }

  /// What the title of the tab in front tells of its content gives way before the name of any panel beside it does.
  void aLongTitleLeavesTheOthersTheirNames() {
    LiveBench bench;
    bench.window.resize(1100, 800);
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("panel.duplicate", {"ir"}) && bench.does("panel.lock", {"stage", "ir.2"}));
    for (const QString& front : {"ir.2", "ir", "source"}) {
      QVERIFY(bench.does("view.panel", {front}));
      QTabBar* tabs = nullptr;
      for (QTabBar* bar : bench.window.docks().findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
        for (int tab = 0; bar->isVisible() && tab < bar->count(); ++tab)
          if (bar->tabText(tab).startsWith("Source")) tabs = bar;
      QVERIFY(tabs);
      const QFontMetrics metrics(tabs->font());
      const auto whole = [&](int tab) {
        return tabs->tabRect(tab).width() > metrics.horizontalAdvance(tabs->tabText(tab)) &&
               tabs->tabRect(tab).right() <= tabs->width();
      };
      for (int tab = 0; tab < tabs->count(); ++tab)
        QTRY_VERIFY2(whole(tab), qPrintable(front + ": " + tabs->tabText(tab)));
    }
  }

  void tabsCloseFloatAndHaveAMenu() {
    LiveBench bench;
    bench.window.resize(1600, 1000);
    QVERIFY(bench.open("mlp"));
    QTabBar* tabs = nullptr;
    for (QTabBar* bar : bench.window.docks().findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
      if (bar->isVisible() && bar->tabText(0).startsWith("Module")) tabs = bar;
    QVERIFY(tabs);
    const QPoint symbols = tabs->tabRect(1).center();
    QContextMenuEvent right(QContextMenuEvent::Mouse, symbols, tabs->mapToGlobal(symbols));
    QApplication::sendEvent(tabs, &right);
    const QStringList rows = menuRows();
    for (const char* row :
         {"Float or Dock", "Close Panel", "Close Others", "Duplicate", "Lock to This Stage", "Move to the Left"})
      QVERIFY2(rows.contains(row), qPrintable(rows.join(", ")));
    QTest::mouseClick(tabs, Qt::MiddleButton, Qt::NoModifier, symbols);
    QVERIFY(!seen(bench, "symbols"));
    const auto closers = bench.window.docks().findChildren<QAbstractButton*>();
    const auto close = std::find_if(closers.begin(), closers.end(), [](const QAbstractButton* button) {
      return button->isVisible() && button->accessibleName().startsWith("Close Inspector");
    });
    QVERIFY(close != closers.end());
    (*close)->click();
    QVERIFY(!seen(bench, "inspector"));
  }

  void everyPanelHasAContextMenuByTheKeyboard() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("view.layoutDebug"));
    for (const QString& id : bench.window.panelIds()) {
      QVERIFY(bench.does("view.panel", {id}));
      QWidget* focus = bench.window.panel(id)->focusProxy();
      if (!focus) focus = bench.window.panel(id);
      const QPoint at(5, 5);
      QContextMenuEvent key(QContextMenuEvent::Keyboard, at, focus->mapToGlobal(at));
      QWidget* target = focus;
      if (auto* area = qobject_cast<QAbstractScrollArea*>(focus)) target = area->viewport();
      // Some menus run a loop of their own until they are closed.
      QStringList rows;
      QTimer::singleShot(20, this, [&rows] { rows = menuRows(); });
      QApplication::sendEvent(target, &key);
      QTRY_VERIFY2(!rows.isEmpty(), qPrintable(id));
    }
  }

  void narrowWindowsKeepWhatMatters() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("view.layoutDebug"));
    bench.window.resize(1024, 700);
    QCoreApplication::processEvents();
    QCOMPARE(bench.window.size(), QSize(1024, 700));
    auto* toolbar = bench.window.findChild<Toolbar*>();
    for (const char* id : {"debug.start", "debug.stepOver", "debug.stepBack", "debug.stop", "file.open"}) {
      auto* button = toolbar->findChild<ToolbarButton*>(QStringLiteral("button.") + id);
      QVERIFY2(button->isVisible() && button->geometry().right() < toolbar->width(), id);
      QVERIFY2(button->toolTip().contains('\n'), id);
    }
    // The graph, the module and the passes are tabs beside the text, which has most of the width.
    QWidget* text = bench.window.panel("ir");
    QVERIFY(text->width() > 600);
    QTRY_VERIFY(!seen(bench, "graph") && !seen(bench, "module"));
    QVERIFY(bench.does("view.panel", {"graph"}));
    QVERIFY(seen(bench, "graph") && !seen(bench, "ir"));
    // So are registers and watches beside the bytecode; only origins share the place of the inspector.
    const auto tabsOf = [&](const char* id) {
      QStringList tabs;
      auto* dock = bench.window.docks().findChild<QDockWidget*>(id);
      for (const QDockWidget* other : bench.window.docks().tabifiedDockWidgets(dock))
        if (!other->isHidden()) tabs << other->objectName();
      return tabs;
    };
    const auto* beside = bench.window.panel("bytecode")->findChild<RegisterList*>();
    QVERIFY(tabsOf("ir").contains("passes") && tabsOf("ir").contains("module"));
    QVERIFY(tabsOf("bytecode").contains("registers") && tabsOf("bytecode").contains("watch"));
    QCOMPARE(tabsOf("inspector"), QStringList{"origin"});
    QVERIFY(beside->isHidden());
    bench.window.resize(1600, 1000);
    QCoreApplication::processEvents();
    QTRY_VERIFY(seen(bench, "graph") && seen(bench, "ir") && seen(bench, "module"));
    // With the room for both they stand beside the bytecode, and once.
    QVERIFY(!beside->isHidden() && !tabsOf("bytecode").contains("registers"));
    QVERIFY(bench.does("debug.start", {"main"}) && bench.does("view.panel", {"registers"}));
    QVERIFY(beside->isHidden() && bench.window.dump("registers").contains("%0\t"));
    QVERIFY(bench.does("view.closePanel") && !beside->isHidden());
  }

  /// In a window of usual size the nodes have nearly all of the graph of a run: its overview takes what it needs.
  void theOverviewLeavesTheNodesTheirRoom() {
    LiveBench bench;
    bench.window.resize(1280, 800);
    QVERIFY(bench.open("attention_fp16") && bench.does("debug.start", {"main"}) && bench.does("debug.stepOver"));
    QCOMPARE(bench.window.layoutName(), QString("Debug"));
    const auto* canvas = bench.window.panel("graph")->findChild<rx::GraphCanvas*>();
    QVERIFY(!canvas->overviewRect().isNull());
    const double strip = canvas->width() - canvas->railRect().width() - canvas->viewRect().width();
    QVERIFY2(strip <= canvas->width() * 0.2, qPrintable(QString::number(strip)));
    QVERIFY(canvas->viewRect().width() >= bench.window.width() * 0.19);
  }

  /// Why it stands, where, and what comes next are the last that a small window leaves out.
  void aSmallWindowSaysWhatIsNext() {
    LiveBench bench;
    bench.window.resize(1024, 700);
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("debug.start", {"main", "stop=nonfinite"}));
    QStringList said;
    for (const QLabel* label : bench.window.findChild<StatusStrip*>()->findChildren<QLabel*>())
      if (label->isVisible()) said << label->text();
    QVERIFY2(std::ranges::any_of(said, [](const QString& text) { return text.startsWith("next: scaled, line 23"); }),
             qPrintable(said.join('|')));
  }

  /// Names go one by one, each only where there is no room for it, and nothing is ever cut off.
  void theToolbarGivesUpNamesOneByOne() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    auto* toolbar = bench.window.findChild<Toolbar*>();
    const auto* layouts = toolbar->findChild<LayoutSwitch*>();
    QSet<int> counts;
    int before = 4;
    for (int width = 1800; width >= 1000; width -= 20) {
      bench.window.resize(width, 700);
      QCoreApplication::processEvents();
      int named = 0;
      for (const char* id : {"file.open", "debug.stepOver", "debug.stepInto", "debug.stepBack"}) {
        const auto* button = toolbar->findChild<ToolbarButton*>(QStringLiteral("button.") + id);
        named += button->sizeHint().width() > button->widthFor(ToolbarButton::Shown::IconOnly);
      }
      QVERIFY2(named <= before, qPrintable(QString::number(width)));
      QVERIFY2(layouts->geometry().right() < toolbar->width(), qPrintable(QString::number(width)));
      // A window of usual size has room for all of them.
      QVERIFY2(named == 4 || width < 1280, qPrintable(QString::number(width)));
      counts.insert(before = named);
    }
    QVERIFY(counts.contains(4) && counts.contains(0));
    QVERIFY2(counts.size() >= 4, qPrintable(QString::number(counts.size())));
  }

  /// In a window of usual size the stage is named whole, and the words of the search are.
  void wordsOfTheToolbarAreWhole() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    const auto* stage = bench.window.findChild<QComboBox*>("stageChoice");
    const auto* search = bench.window.findChild<Toolbar*>()->findChild<QLineEdit*>();
    const auto whole = [&] {
      QCoreApplication::processEvents();
      QStyleOptionComboBox box;
      box.initFrom(stage);
      const QRect name = stage->style()->subControlRect(QStyle::CC_ComboBox, &box, QStyle::SC_ComboBoxEditField, stage);
      int widest = 0;
      for (int row = 0; row < stage->count(); ++row)
        widest = std::max(widest, stage->fontMetrics().horizontalAdvance(stage->itemText(row)));
      const int beside = search->width() - search->fontMetrics().horizontalAdvance(search->placeholderText());
      return widest <= name.width() && (!search->isVisible() || beside > search->fontMetrics().height());
    };
    for (const int width : {1280, 1600, 1920}) {
      bench.window.resize(width, 800);
      QVERIFY2(whole(), qPrintable(QString::number(width)));
    }
    // Where there is no room for them names may be cut; the tip has them.
    bench.window.resize(1024, 700);
    QVERIFY(bench.does("pass.goTo", {"RewriteDataflowReshape"}));
    QVERIFY(stage->toolTip().contains("RewriteDataflowReshape"));
  }

  void stageAndLayoutAreChosenOnTheToolbar() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    auto* stage = bench.window.findChild<QComboBox*>("stageChoice");
    QCOMPARE(stage->currentText(), QString("0 imported"));
    Q_EMIT stage->activated(3);
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().stage, 3);
    QCOMPARE(stage->currentIndex(), 3);
    for (QAbstractButton* button : bench.window.findChild<LayoutSwitch*>()->findChildren<QAbstractButton*>())
      if (button->text() == "Debug") button->click();
    QCOMPARE(bench.window.layoutName(), QString("Debug"));
  }

  void bookmarksAndNotes() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(!bench.window.enabled("bookmark.next"));
    QVERIFY(bench.does("select.binding", {"scores"}));
    QVERIFY(bench.does("bookmark.toggle"));
    QVERIFY(bench.does("select.binding", {"weights"}));
    QVERIFY(bench.does("bookmark.note", {"too", "large"}));
    QVERIFY(bench.window.dump("bookmarks").contains("weights\tmain\t0\ttoo large"));
    // Both are marked beside their lines, the note with its words; another stage has none.
    const rx::TextView* text = bench.window.panel("ir")->findChild<rx::TextView*>();
    const FunctionRow* main = bench.document.stage(0)->function("main");
    const auto lineOf = [&](const char* name) { return uint32_t(main->bindingNamed(name)->line - 1); };
    QCOMPARE(text->decorations().places.size(), size_t{2});
    QVERIFY(text->decorations().placeOf(lineOf("scores"))->text.isEmpty());
    QCOMPARE(text->decorations().placeOf(lineOf("weights"))->text, QString("too large"));
    QVERIFY(bench.does("pass.goTo", {"4"}));
    QVERIFY(text->decorations().places.empty());
    QVERIFY(bench.does("pass.goTo", {"0"}));
    QCOMPARE(text->decorations().places.size(), size_t{2});
    QVERIFY(bench.does("bookmark.next"));
    QCOMPARE(bench.selection.place().variable, QString("scores"));
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.window.desk().notes.rows().empty());
    QVERIFY(bench.open("attention"));
    QCOMPARE(bench.window.desk().notes.rows().size(), size_t{2});
  }

  void documentsInTabsAndASessionOfThem() {
    QTemporaryDir folder;
    const QString file = folder.filePath("two.rxsession");
    {
      TabBench bench;
      QVERIFY(!bench.tabs.current().run("session.save", {file}));
      QVERIFY(bench.does("file.open", {kSamples + "mlp"}));
      QVERIFY(bench.does("select.function", {"main"}));
      QVERIFY(bench.does("bookmark.note", {"first"}));
      QVERIFY(bench.does("profile.run") && bench.does("profile.rename", {"slow"}));
      QVERIFY(bench.does("profile.run"));
      QVERIFY(bench.does("profile.show", {"1"}) && bench.does("profile.against", {"2"}));
      QVERIFY(bench.does("tab.new", {kSamples + "attention"}));
      QCOMPARE(bench.tabs.tabCount(), 2);
      QVERIFY(bench.tabs.windowTitle().contains("attention"));
      QVERIFY(bench.does("pass.goTo", {"2"}));
      QVERIFY(bench.does("debug.start", {"main"}));
      QVERIFY(bench.does("tab.next"));
      QVERIFY(bench.tabs.windowTitle().contains("mlp"));
      QCOMPARE(bench.tabs.current().desk().debug.state(), RunState::Off);
      QCOMPARE(bench.tabs.current().desk().selection.place().stage, 0);
      QVERIFY(bench.does("session.save", {file}));
      QVERIFY(bench.does("tab.close"));
      QCOMPARE(bench.tabs.tabCount(), 1);
      QVERIFY(bench.tabs.windowTitle().contains("attention"));
      bench.tabs.close();
    }
    TabBench bench;
    QVERIFY(bench.does("session.open", {file}));
    QCOMPARE(bench.tabs.tabCount(), 2);
    QVERIFY(bench.tabs.windowTitle().contains("mlp"));
    QCOMPARE(bench.tabs.current().desk().notes.rows().size(), size_t{1});
    const ProfileBoard& profiles = bench.tabs.current().desk().profiles;
    QCOMPARE(profiles.entries().size(), size_t{2});
    QCOMPARE(profiles.entries()[0].name, QString("slow"));
    QVERIFY(profiles.entries()[1].name.startsWith("2 · ") && profiles.entries()[1].input.contains("inputs.npz"));
    QCOMPARE(profiles.shownNumber(), 0);
    QCOMPARE(profiles.againstNumber(), 1);
    QCOMPARE(profiles.staleness(), QString());
    QVERIFY(bench.does("tab.next"));
    QTRY_COMPARE(bench.tabs.current().desk().selection.place().stage, 2);
    // Again: the documents that are open are gone to, and keep what was noted in them meanwhile.
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("bookmark.note", {"later"}));
    QVERIFY(bench.does("pass.goTo", {"0"}));
    QVERIFY(bench.does("session.open", {file}));
    QCOMPARE(bench.tabs.tabCount(), 2);
    QVERIFY(bench.tabs.windowTitle().contains("mlp"));
    QVERIFY(bench.does("tab.next"));
    QTRY_COMPARE(bench.tabs.current().desk().selection.place().stage, 2);
    QCOMPARE(bench.tabs.current().desk().notes.rows().size(), size_t{1});
    // One that was closed is opened beside them.
    QVERIFY(bench.does("tab.close"));
    QVERIFY(bench.does("session.open", {file}));
    QCOMPARE(bench.tabs.tabCount(), 2);
    QVERIFY(write(file, "{}"));
    QVERIFY(!bench.tabs.current().run("session.open", {file}));
    QVERIFY(bench.tabs.current().lastError().contains("not a session file"));
    bench.tabs.close();
  }
};

QTEST_MAIN(LiveFrameTest)
#include "tst_live_frame.moc"
