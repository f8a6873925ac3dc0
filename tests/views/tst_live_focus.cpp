// Where the focus is can be seen: everything that the Tab key reaches looks otherwise with it than without, in both
// themes, in the window and in its dialogs.
#include <QAbstractScrollArea>
#include <QApplication>
#include <QDialog>
#include <QDockWidget>
#include <QLabel>
#include <QPointer>
#include <utility>

#include "live_bench.h"
#include "views/shell/dialogs.h"

using namespace rx;
using namespace rx::views;

class LiveFocusTest : public QObject {
  Q_OBJECT

  /// What the Tab key reaches now of a window or a part of it.
  static QList<QPointer<QWidget>> reached(QWidget* part) {
    QList<QPointer<QWidget>> all;
    for (QWidget* widget : part->findChildren<QWidget*>()) {
      const bool takes = widget->focusPolicy() & Qt::TabFocus && !widget->focusProxy();
      if (takes && widget->window() == part->window() && widget->isVisible() && widget->isEnabled() &&
          !widget->visibleRegion().isEmpty())
        all << widget;
    }
    return all;
  }

  static bool fills(const QWidget* widget) {
    return qobject_cast<const QAbstractScrollArea*>(widget) || qobject_cast<const QLabel*>(widget);
  }
  static const QDockWidget* dockOf(const QWidget* widget) {
    while (widget && !qobject_cast<const QDockWidget*>(widget)) widget = widget->parentWidget();
    return static_cast<const QDockWidget*>(widget);
  }
  /// Takes the focus to where another panel is, or away from all: the tab of a panel keeps its line until then.
  static void leave(const QWidget* widget) {
    if (QWidget* focus = QApplication::focusWidget()) focus->clearFocus();
    if (!fills(widget) || !dockOf(widget)) return;
    for (const QPointer<QWidget>& other : reached(widget->window()))
      if (dockOf(other) && dockOf(other) != dockOf(widget)) return other->setFocus(Qt::TabFocusReason);
  }

  /// With its surroundings: a frame may stand outside, and of what fills a panel the panel's tab says it.
  static QImage seen(const QWidget* widget) {
    QWidget* window = widget->window();
    if (fills(widget)) return window->grab().toImage();
    constexpr int kAround = 4;
    const QRect there(widget->mapTo(window, QPoint()), widget->size());
    return window->grab(there.adjusted(-kAround, -kAround, kAround, kAround)).toImage();
  }

  static int difference(const QImage& a, const QImage& b) {
    int pixels = 0;
    for (int y = 0; y < std::min(a.height(), b.height()); ++y)
      for (int x = 0; x < std::min(a.width(), b.width()); ++x) pixels += a.pixel(x, y) != b.pixel(x, y);
    return pixels;
  }

  static QString named(const QWidget* widget) {
    QStringList parts;
    for (const QWidget* at = widget; at && parts.size() < 4; at = at->parentWidget())
      parts << QString::fromLatin1(at->metaObject()->className()) + ' ' + at->objectName();
    return widget->accessibleName() + ": " + parts.join(" in ");
  }

  /// What of it shows no focus.
  static QStringList blind(QWidget* part) {
    QStringList found;
    for (const QPointer<QWidget>& widget : reached(part)) {
      if (widget) leave(widget);
      QApplication::processEvents();
      if (!widget) continue;  // what it was in has been made again
      const QImage without = seen(widget.data());
      widget->setFocus(Qt::TabFocusReason);
      QApplication::processEvents();
      // A caret alone is easily overlooked.
      constexpr int kLeast = 40;
      if (widget && widget->hasFocus() && difference(without, seen(widget.data())) < kLeast)
        found << named(widget.data());
    }
    return found;
  }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  void everywhere_data() {
    QTest::addColumn<QString>("theme");
    QTest::newRow("light") << "light";
    QTest::newRow("dark") << "dark";
  }
  void everywhere() {
    QFETCH(QString, theme);
    LiveBench bench;
    bench.window.resize(1600, 1000);
    QVERIFY(QTest::qWaitForWindowActive(&bench.window));
    QVERIFY(bench.does("view.theme", {theme}));
    QStringList all = blind(&bench.window);
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("pass.goTo", {"4"}));
    QVERIFY(bench.does("debug.start", {"main", "stop=entry"}) && bench.does("debug.stepOver", {"3"}));
    QVERIFY(bench.does("watch.add", {"n"}));
    for (const QString& id : bench.window.panelIds()) {
      QVERIFY2(bench.does("view.panel", {id}), qPrintable(id));
      all += blind(bench.window.panel(id));
    }
    all += blind(&bench.window);
    all.removeDuplicates();
    QVERIFY(bench.does("debug.stop"));
    bool files = false;  // the dialogs of files are one
    for (const QString& kind : dialogNames()) {
      if (!bench.window.showDialog(kind).isEmpty()) continue;
      QVERIFY(bench.settle());
      QDialog* dialog = nullptr;
      for (QDialog* one : bench.window.findChildren<QDialog*>())
        if (one->isVisible()) dialog = one;
      QVERIFY2(dialog && QTest::qWaitForWindowActive(dialog), qPrintable(kind));
      const bool again = dialog->inherits("QFileDialog") && std::exchange(files, true);
      if (!again)
        for (const QString& name : blind(dialog)) all << kind + ": " + name;
      dialog->close();
      QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    for (const QString& name : all) qWarning("%s", qPrintable(name));
    QVERIFY2(all.isEmpty(), qPrintable(all.join('\n')));
  }
};

QTEST_MAIN(LiveFocusTest)
#include "tst_live_focus.moc"
