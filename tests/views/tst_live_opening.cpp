// What the window says of what was opened, and how it begins with a newcomer.
#include <QApplication>
#include <QDialog>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QTemporaryDir>

#include "live_bench.h"
#include "views/shell/cards/toast.h"
#include "views/shell/file_list.h"
#include "views/shell/tour.h"

using namespace rx;
using namespace rx::views;

class LiveOpeningTest : public QObject {
  Q_OBJECT

  static QPushButton* wayOf(LiveBench& bench, const QString& title) {
    for (QPushButton* button : bench.window.findChild<Toast*>()->findChildren<QPushButton*>())
      if (button->isVisible() && button->text().startsWith(title)) return button;
    return nullptr;
  }
  static QString saidOf(LiveBench& bench) { return bench.window.findChild<Toast*>()->content().text; }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// How much there is, and the next steps; the tour once. Nothing is cut off in a small window.
  void whatWasOpened() {
    LiveBench bench;
    bench.window.resize(1024, 700);
    QVERIFY(bench.open("mlp"));
    const auto* toast = bench.window.findChild<Toast*>();
    QTRY_VERIFY(toast->isVisible());
    QVERIFY2(saidOf(bench).startsWith("Opened in ") && saidOf(bench).endsWith(": 1 Relax function with 7 bindings."),
             qPrintable(saidOf(bench)));
    for (const char* title : {"Run…", "Run All Passes", "Take the Tour"}) {
      const QPushButton* way = wayOf(bench, title);
      QVERIFY2(way, title);
      QVERIFY2(way->width() >= way->sizeHint().width(), title);
      QVERIFY(toast->rect().contains(QRect(way->mapTo(toast, QPoint()), way->size())));
    }
    wayOf(bench, "Run All Passes")->click();
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().stage, static_cast<int>(bench.document.steps().size()) - 1);
    QVERIFY(!toast->isVisible());
    QVERIFY(bench.open("attention"));
    QTRY_VERIFY(saidOf(bench).contains("with 20 bindings"));
    QVERIFY(wayOf(bench, "Run…") && !wayOf(bench, "Take the Tour"));
    // A word that is longer than the line, as a link is, is shortened in its middle; the tip has it whole.
    QVERIFY(bench.does("select.binding", {"weights"}) && bench.does("file.copyLink"));
    QTRY_VERIFY(saidOf(bench).contains("relaxscope://"));
    const auto* label = toast->findChild<QLabel*>();
    QCOMPARE(label->toolTip(), saidOf(bench));
    for (const QString& word : label->text().split(' '))
      QVERIFY2(label->fontMetrics().horizontalAdvance(word) <= label->width(), qPrintable(word));
    // A run is another matter.
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(!toast->isVisible());
  }

  /// Read again, it is nothing new; what is wrong in it is told.
  void readAgainAndFaulty() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QTRY_VERIFY(bench.window.findChild<Toast*>()->isVisible());
    bench.window.findChild<Toast*>()->dismiss();
    QVERIFY(bench.does("file.reload"));
    QTest::qWait(100);
    QVERIFY(!bench.window.findChild<Toast*>()->isVisible());
    QTemporaryDir folder;
    const QString path = folder.filePath("refused.py");
    QVERIFY(write(path, "def main(:\n"));
    bench.does("file.open", {path});
    QTest::qWait(100);
    QVERIFY2(!saidOf(bench).contains("with 0"), qPrintable(saidOf(bench)));
    // What was asked for and is not done looks like no good news.
    QVERIFY(!bench.window.run("select.binding", {"nothing of that name"}));
    QVERIFY(saidOf(bench).contains("nothing of that name"));
    QCOMPARE(bench.window.findChild<Toast*>()->content().tone, ToastTone::Warning);
    QVERIFY(bench.document.path().endsWith("mlp"));
  }

  /// Six steps, each with the state that it speaks of; it can be left.
  void tour() {
    LiveBench bench;
    // It is not begun below a dialog.
    QVERIFY(bench.does("view.settings"));
    QVERIFY(bench.does("help.tour"));
    for (const QDialog* dialog : bench.window.findChildren<QDialog*>()) QVERIFY(!dialog->isVisible());
    auto* tour = bench.window.findChild<Tour*>();
    QVERIFY(tour);
    const auto there = [&](int step) {
      return QTest::qWaitFor([&] { return tour->step() == step && !tour->busy(); }, kPatience);
    };
    QCOMPARE(Tour::stepCount(), 6);
    QVERIFY(there(0));
    QVERIFY(tour->isVisible());
    QVERIFY(bench.document.path().endsWith("attention_fp16"));
    QVERIFY(!bench.window.findChild<Toast*>()->isVisible());  // the tour speaks of it
    tour->go(1);
    QVERIFY(there(1));
    QCOMPARE(bench.selection.place().variable, QString("weights"));
    tour->go(1);
    QVERIFY(there(2));
    QVERIFY(bench.selection.place().stage > 0);
    tour->go(1);
    QVERIFY(there(3));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QCOMPARE(bench.debug.stop().reason, QString("exception"));
    const int step = bench.debug.stop().step;
    tour->go(1);
    QVERIFY(there(4));
    QVERIFY(bench.debug.stop().step < step);
    tour->go(1);
    QVERIFY(there(5));
    QVERIFY(tour->isVisible());
    tour->go(1);
    QVERIFY(!tour->isVisible());
    QVERIFY(bench.settings.value("tourSeen").toBool());
  }

  /// Esc while the sample of the first step is being opened: the tour is gone, nothing of it goes on, the focus is
  /// where keys do something, and the tour can be taken again.
  void tourIsLeftWhileItOpens() {
    LiveBench bench;
    QVERIFY(QTest::qWaitForWindowActive(&bench.window));
    QVERIFY(bench.window.run("help.tour"));
    auto* tour = bench.window.findChild<Tour*>();
    QVERIFY(tour && tour->isVisible());
    QTRY_COMPARE(bench.document.state(), Document::State::Opening);
    QVERIFY(tour->busy());
    QWidget* focus = QApplication::focusWidget();
    QTest::keyClick(focus ? focus : &bench.window, Qt::Key_Escape);
    QVERIFY(!tour->isVisible() && !tour->busy());
    QCOMPARE(tour->step(), -1);
    QVERIFY(bench.settle());
    QCOMPARE(bench.document.state(), Document::State::Ready);
    QTest::qWait(50);
    QVERIFY(!tour->isVisible());
    focus = QApplication::focusWidget();
    QVERIFY(focus && focus->isVisible() && focus != &bench.window && !tour->isAncestorOf(focus));
    QVERIFY(bench.does("help.tour"));
    QVERIFY(QTest::qWaitFor([&] { return tour->step() == 0 && !tour->busy(); }, kPatience));
    // Left at rest, in the same way.
    QVERIFY(tour->isAncestorOf(QApplication::focusWidget()));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    QVERIFY(!tour->isVisible());
    focus = QApplication::focusWidget();
    QVERIFY(focus && focus->isVisible() && !tour->isAncestorOf(focus));
  }

  /// What is dropped on the window opens; arrays are files of the next run, also of a module that came with them.
  void whatIsDropped() {
    LiveBench bench;
    const auto drop = [&](const QStringList& paths) {
      QMimeData data;
      QList<QUrl> urls;
      for (const QString& path : paths) urls << QUrl::fromLocalFile(path);
      data.setUrls(urls);
      QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
      QApplication::sendEvent(&bench.window, &enter);
      QDropEvent event(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
      QApplication::sendEvent(&bench.window, &event);
      return enter.isAccepted() && bench.settle();
    };
    const auto files = [&]() -> QStringList {
      const auto* list = bench.window.findChild<FileList*>("files");
      return list && list->isVisible() ? list->files() : QStringList();
    };
    QVERIFY(drop({kSamples + "mlp/inputs.npz", kSamples + "mlp/module.py"}));
    QVERIFY(QTest::qWaitFor([&] { return !files().isEmpty(); }, kPatience) && bench.settle());
    QCOMPARE(bench.document.state(), Document::State::Ready);
    QVERIFY2(files().contains(kSamples + "mlp/inputs.npz"), qPrintable(files().join(' ')));
    QVERIFY(drop({kSamples + "mlp/expected.npz"}));
    QVERIFY2(files().contains(kSamples + "mlp/expected.npz"), qPrintable(files().join(' ')));
    QVERIFY(drop({kSamples + "branch"}));
    QVERIFY(bench.document.path().contains("branch"));
    // Arrays are no module: the one that is open stays, and it is said where they go.
    QVERIFY(!bench.window.run("file.open", {kSamples + "mlp/inputs.npz"}));
    QVERIFY2(bench.window.lastError().contains("holds arrays, no module"), qPrintable(bench.window.lastError()));
    QVERIFY(bench.document.path().contains("branch"));
  }
};

QTEST_MAIN(LiveOpeningTest)
#include "tst_live_opening.moc"
