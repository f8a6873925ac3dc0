// Everything by the keyboard: keys of each preset run their commands whatever panel has the focus, F1 explains each
// panel and Escape goes back to it, and the menu key opens the panel's menu.
#include <QAction>
#include <QContextMenuEvent>
#include <QDialog>
#include <QKeyEvent>
#include <QMenu>
#include <QPointer>

#include "live_bench.h"
#include "views/panels/list_view.h"
#include "views/panels/panel.h"
#include "views/shell/command.h"
#include "views/shell/key_map.h"
#include "views/shell/panel_help.h"
#include "views/shell/panel_table.h"
#include "views/shell/script_keys.h"

using namespace rx;
using namespace rx::views;

namespace {

/// Keys that mean in text and lists what they mean everywhere; what runs by them has another way in.
const QStringList kOfTexts = {"Ctrl+C", "Ctrl+A"};

/// Whether what has the focus takes a key for itself, before any command.
bool taken(QWidget* focus, const QString& key) {
  const QKeySequence sequence(key, QKeySequence::PortableText);
  QKeyEvent event(QEvent::ShortcutOverride, sequence[0].key(), sequence[0].keyboardModifiers());
  event.ignore();
  QApplication::sendEvent(focus, &event);
  return event.isAccepted();
}

QDialog* openDialog(const LiveBench& bench) {
  for (QDialog* dialog : bench.window.findChildren<QDialog*>())
    if (dialog->isVisible()) return dialog;
  return nullptr;
}

bool isIn(const QWidget* part, const QWidget* whole) { return part == whole || whole->isAncestorOf(part); }

}  // namespace

class LiveKeysTest : public QObject {
  Q_OBJECT

  /// A window with something in every panel.
  static bool filled(LiveBench& bench) {
    bench.window.resize(1600, 1000);
    bench.window.activateWindow();
    return QTest::qWaitForWindowActive(&bench.window) && bench.open("attention") && bench.does("pass.goTo", {"4"}) &&
           bench.does("debug.start", {"main", "stop=entry"}) && bench.does("debug.stepOver", {"3"}) &&
           bench.does("watch.add", {"n"}) && bench.does("search.find", {"scores"}) &&
           bench.does("select.binding", {"scores"}) && bench.does("bookmark.toggle");
  }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  void presets_data() {
    QTest::addColumn<QString>("preset");
    for (const QString& preset : keyPresets()) QTest::newRow(qPrintable(preset)) << preset;
  }
  /// Menus show the keys of the preset, no key runs two commands, and no panel keeps one for itself.
  void presets() {
    QFETCH(QString, preset);
    LiveBench bench;
    QVERIFY(filled(bench));
    QVERIFY(bench.does("view.keys", {preset}));
    const KeyMap map(bench.settings);
    QVERIFY2(map.conflicts().isEmpty(), qPrintable(map.conflicts().join('\n')));
    QStringList wrong;
    for (const Command* row : commandTable()) {
      const QStringList keys = map.keys(*row);
      const auto* action = bench.window.findChild<QAction*>(QString::fromUtf8(row->id));
      QVERIFY2(action, row->id);
      QStringList shown;
      for (const QKeySequence& key : action->shortcuts()) shown << key.toString(QKeySequence::PortableText);
      QStringList wanted;
      for (const QString& key : keys)
        wanted << QKeySequence(key, QKeySequence::PortableText).toString(QKeySequence::PortableText);
      if (shown != wanted) wrong << QString("%1 has %2, not %3").arg(row->id, shown.join(' '), wanted.join(' '));
    }
    for (const QString& id : bench.window.panelIds()) {
      QVERIFY2(bench.does("view.panel", {id}), qPrintable(id));
      QWidget* focus = QApplication::focusWidget();
      QVERIFY2(focus && isIn(focus, bench.window.panel(id)), qPrintable(id + " has no focus"));
      for (const Command* row : commandTable())
        for (const QString& key : map.keys(*row))
          if (!kOfTexts.contains(key) && taken(focus, key)) wrong << QString("%1 keeps %2 of %3").arg(id, key, row->id);
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  void keysFollowThePreset() {
    LiveBench bench;
    auto* step = bench.window.findChild<QAction*>("bookmark.toggle");
    QCOMPARE(step->shortcut(), QKeySequence("Ctrl+B"));
    QVERIFY(bench.does("view.keys", {"Visual", "Studio"}));
    QCOMPARE(step->shortcut(), QKeySequence("Ctrl+K, Ctrl+K"));
    QVERIFY(!bench.window.run("view.keys", {"vi"}));
    // Every list of keys shows those.
    QVERIFY(bench.window.dump("shortcuts").contains("Toggle Bookmark\tCtrl+K, Ctrl+K\t"));
    QVERIFY(!bench.window.dump("shortcuts").contains("Toggle Bookmark\tCtrl+B"));
    bench.window.showPalette("> Toggle Bookmark");
    QVERIFY(bench.window.dump("palette").contains("Toggle Bookmark\tCtrl+K, Ctrl+K"));
    for (const QString& preset : keyPresets()) {
      setKeyPreset(bench.settings, preset);
      const QStringList conflicts = KeyMap(bench.settings).conflicts();
      QVERIFY2(conflicts.isEmpty(), qPrintable(preset + ": " + conflicts.join("; ")));
    }
    setOwnKeys(bench.settings, "edit.find", "F10");
    QCOMPARE(KeyMap(bench.settings).conflicts().size(), 1);
    setOwnKeys(bench.settings, "edit.find", QString());
    QVERIFY(KeyMap(bench.settings).conflicts().isEmpty());
    QVERIFY(bench.does("view.settings"));
  }

  /// Every panel has its page, and F1 shows that of the panel with the focus.
  void helpOnPanels() {
    LiveBench bench;
    for (const PanelRow& row : panelTable()) {
      const QString text = panelHelpText(row.id, bench.settings);
      QVERIFY2(text.count('\n') > 3, row.id);
    }
    QVERIFY(panelHelpText("no such panel", bench.settings).isEmpty());
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("help.panel", {"timeline"}));
    QVERIFY(bench.window.findChild<QDialog*>("help.timeline"));
    QVERIFY(!bench.window.run("help.panel", {"no such panel"}));
  }

  /// F1 in each panel; Escape leaves the page and gives the focus back.
  void helpOfEveryPanel() {
    LiveBench bench;
    QVERIFY(filled(bench));
    for (const PanelRow& row : panelTable()) {
      bench.window.activateWindow();
      QVERIFY(QTest::qWaitForWindowActive(&bench.window));
      QVERIFY2(bench.does("view.panel", {row.id}), row.id);
      QWidget* focus = QApplication::focusWidget();
      QVERIFY2(focus && isIn(focus, bench.window.panel(row.id)), row.id);
      QCOMPARE(pressKeys(&bench.window, "F1"), QString());
      QVERIFY(bench.settle());
      QDialog* help = openDialog(bench);
      QVERIFY2(help && help->objectName() == "help." + QString(row.id), row.id);
      QVERIFY2(QTest::qWaitForWindowActive(help), row.id);
      auto* list = help->findChild<ListView*>();
      QVERIFY2(list, row.id);
      QTest::keyClick(list, Qt::Key_Escape);
      QPointer<QDialog> left = help;
      const bool gone = QTest::qWaitFor([&] { return !left || !left->isVisible(); }, kPatience);
      const QWidget* at = QApplication::focusWidget();
      QVERIFY2(gone, at ? at->metaObject()->className() : "nothing has the focus");
      QVERIFY2(QTest::qWaitFor([&] { return QApplication::focusWidget() == focus; }, kPatience), row.id);
    }
  }

  /// The menu key opens a menu with what every panel has; Escape closes it and the focus is where it was.
  void menuOfEveryPanel() {
    LiveBench bench;
    QVERIFY(filled(bench));
    QStringList wrong;
    for (const QString& id : bench.window.panelIds()) {
      bench.window.activateWindow();  // a popup that closed leaves none active where there is no window manager
      QVERIFY(QTest::qWaitForWindowActive(&bench.window));
      QVERIFY2(bench.does("view.panel", {id}), qPrintable(id));
      QWidget* focus = QApplication::focusWidget();
      QVERIFY2(focus, qPrintable(id));
      // What Qt makes of the menu key.
      const QPoint at = focus->inputMethodQuery(Qt::ImCursorRectangle).toRect().center();
      QContextMenuEvent event(QContextMenuEvent::Keyboard, at, focus->mapToGlobal(at));
      QApplication::sendEvent(focus, &event);
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      if (!menu) {
        wrong << id + " has no menu by the key";
        continue;
      }
      QStringList titles;
      for (const QAction* action : menu->actions()) titles << action->text().remove('&');
      for (const char* title : {"Copy", "Copy Link to This Place"})
        if (!titles.contains(title)) wrong << QString("%1 lacks %2: %3").arg(id, title, titles.join(", "));
      if (const QWidget* panel = bench.window.panel(id);
          !QRect(panel->mapToGlobal(QPoint()), panel->size()).contains(event.globalPos()))
        wrong << id + " opens its menu elsewhere";
      pressKeys(&bench.window, "Esc");
      if (!QTest::qWaitFor([&] { return !QApplication::activePopupWidget(); }, kPatience)) wrong << id + " keeps it";
      bench.window.activateWindow();
      if (!QTest::qWaitFor([&] { return QApplication::focusWidget() == focus; }, kPatience))
        wrong << id + " loses the focus";
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  /// Panels are closed and floated by keys; what is undone has the panel back.
  void closingAndFloating() {
    LiveBench bench;
    QVERIFY(filled(bench));
    for (const char* id : {"graph", "module", "values"}) {
      QVERIFY(bench.does("view.panel", {id}));
      QCOMPARE(pressKeys(&bench.window, "Ctrl+Alt+F"), QString());
      QVERIFY(bench.settle());
      QVERIFY2(bench.window.panel(id)->window() != &bench.window, id);
      QVERIFY(bench.does("view.panel", {id}));
      QCOMPARE(pressKeys(&bench.window, "Ctrl+Alt+F"), QString());
      QVERIFY(bench.settle());
      QVERIFY2(bench.window.panel(id)->window() == &bench.window, id);
      QVERIFY(bench.does("view.panel", {id}));
      QCOMPARE(pressKeys(&bench.window, "Ctrl+W"), QString());
      QVERIFY(bench.settle());
      QVERIFY2(!bench.window.panel(id)->isVisible(), id);
      QVERIFY(bench.does("view.undoLayout"));
      QVERIFY2(bench.window.panel(id)->isVisible(), id);
    }
  }
};

QTEST_MAIN(LiveKeysTest)
#include "tst_live_keys.moc"
