// What the window says of what was opened, and how it begins with a newcomer.
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>

#include "live_bench.h"
#include "views/shell/cards/toast.h"

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
    QVERIFY(bench.document.path().endsWith("mlp"));
  }
};

QTEST_MAIN(LiveOpeningTest)
#include "tst_live_opening.moc"
