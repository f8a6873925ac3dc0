// Fixes of a file that does not open: offered where they are exact, made on the text that is shown, taken back, and
// written to a file when that is asked for.
#include <QPushButton>

#include "live_bench.h"
#include "views/panels/panel.h"

using namespace rx;
using namespace rx::views;

namespace {

const QByteArray kMisspelled =
    "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((4,), \"float32\")):\n"
    "        with R.dataflow():\n            a = R.nn.rellu(x)\n            b = R.sum(a, axes=0)\n"
    "            R.output(b)\n        return b\n";

QStringList shownButtons(QWidget* of) {
  QStringList texts;
  for (QPushButton* button : of->findChildren<QPushButton*>())
    if (button->isVisible()) texts << button->text();
  return texts;
}

QPushButton* buttonNamed(QWidget* of, const QString& text) {
  for (QPushButton* button : of->findChildren<QPushButton*>())
    if (button->isVisible() && button->text() == text) return button;
  return nullptr;
}

}  // namespace

class LiveFixesTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  QString path(const QString& name) const { return folder_.filePath(name); }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// A fix of a later error than the one that the card tells says what it writes and where.
  void aLaterFixSaysWhere() {
    LiveBench bench;
    const QString file = path("later.py");
    QVERIFY(write(file, QByteArray(kMisspelled).replace("R.nn.rellu(x)", "R.nothing_like_it(x)")));
    bench.does("file.open", {file});
    QWidget* card = bench.window.findChild<QWidget*>("outcomeCard");
    QTRY_VERIFY(card->isVisible());
    QTRY_VERIFY2(buttonNamed(card, "Write axis in line 7"), qPrintable(shownButtons(card).join('|')));
    QTest::mouseClick(buttonNamed(card, "Write axis in line 7"), Qt::LeftButton);
    QVERIFY(bench.settle());
    QVERIFY(bench.document.refusedText().contains("axis=0"));
  }

  /// By the buttons of the cards: one fix, then the other, then the file is written.
  void cardsLeadThrough() {
    LiveBench bench;
    const QString file = path("cards.py");
    QVERIFY(write(file, kMisspelled));
    bench.does("file.open", {file});
    QVERIFY(!bench.document.openError().isEmpty());
    QWidget* card = bench.window.findChild<QWidget*>("outcomeCard");
    QTRY_VERIFY(card->isVisible());
    QTRY_VERIFY2(buttonNamed(card, "Write R.nn.relu"), qPrintable(shownButtons(card).join('|')));
    QVERIFY(buttonNamed(card, "Apply all 2 fixes"));
    QTest::mouseClick(buttonNamed(card, "Write R.nn.relu"), Qt::LeftButton);
    QVERIFY(bench.settle());
    // The other error is left, and can be undone to the first.
    QVERIFY(bench.document.refusedText().contains("R.nn.relu(x)"));
    QVERIFY(bench.document.refusedText().contains("axes=0"));
    QCOMPARE(contentOf(file), kMisspelled);
    QTRY_VERIFY2(buttonNamed(card, "Write axis"), qPrintable(shownButtons(card).join('|')));
    QTest::mouseClick(buttonNamed(card, "Undo fix"), Qt::LeftButton);
    QVERIFY(bench.settle());
    QVERIFY(bench.document.refusedText().contains("R.nn.rellu(x)"));
    QTRY_VERIFY(buttonNamed(card, "Apply all 2 fixes"));
    QTest::mouseClick(buttonNamed(card, "Apply all 2 fixes"), Qt::LeftButton);
    QVERIFY(bench.settle());
    QCOMPARE(bench.document.state(), Document::State::Ready);
    QVERIFY(bench.document.problems().empty());
    QCOMPARE(bench.document.fixesMade().size(), 2);
    QCOMPARE(contentOf(file), kMisspelled);
    QVERIFY(bench.document.stage(0)->function("main")->bindingNamed("b"));
    QTRY_VERIFY2(buttonNamed(card, "Write to the file"), qPrintable(shownButtons(card).join('|')));
    // What is shown is what runs.
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none"}));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QVERIFY(bench.does("file.writeFixes"));
    QVERIFY(contentOf(file).contains("R.sum(a, axis=0)"));
    QVERIFY(bench.document.fixesMade().isEmpty());
    QVERIFY(!bench.window.run("file.writeFixes"));
    QVERIFY(!bench.window.run("problem.undoFix"));
  }

  /// The module that was open stays until the fixed text opens; undoing brings the refusal back, saving leaves the
  /// file.
  void fixesAreUndone() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    const QString file = path("undone.py"), copy = path("copy.py");
    QVERIFY(write(file, kMisspelled));
    bench.does("file.open", {file});
    QVERIFY(bench.document.title().contains("mlp"));
    QVERIFY(bench.does("problem.fix", {"all"}));
    QVERIFY(bench.document.title().contains("undone"));
    QVERIFY(bench.does("file.saveFixed", {copy}));
    QCOMPARE(contentOf(copy), bench.document.sourceText().toUtf8());
    QCOMPARE(contentOf(file), kMisspelled);
    QVERIFY(bench.does("problem.undoFix"));
    QVERIFY(!bench.document.openError().isEmpty());
    QVERIFY(bench.document.fixesMade().isEmpty());
    QCOMPARE(bench.document.refusedText().toUtf8(), kMisspelled);
    // Another file has nothing to do with it.
    QVERIFY(bench.does("problem.fix", {"all"}));
    QVERIFY(bench.does("file.open", {copy}));
    QVERIFY(bench.document.fixesMade().isEmpty());
    QCOMPARE(bench.document.sourceText().toUtf8(), contentOf(copy));
  }

  /// The list offers what the current problem's fix writes, and nothing where the fix is advice.
  void theListOffersThem() {
    LiveBench bench;
    QVERIFY(write(path("advice.py"), QByteArray(kMisspelled).replace("R.nn.rellu(x)", "qqq(x)")));
    bench.does("file.open", {path("advice.py")});
    const auto& problems = bench.document.problems();
    QCOMPARE(problems.size(), size_t{2});
    const int exact = bench.document.canFix(problems[0]) ? 1 : 2;
    QVERIFY(bench.document.canFix(problems[size_t(exact) - 1]));
    QVERIFY(!bench.document.canFix(problems[size_t(2 - exact)]));
    QVERIFY(!bench.window.run("problem.fix", {QString::number(3 - exact)}));
    QVERIFY(!bench.window.run("problem.fix", {"3"}));
    QVERIFY(bench.window.run("problem.fix", {QString::number(exact)}));
    QVERIFY(bench.settle());
    QVERIFY(bench.document.refusedText().contains("axis=0"));
    QVERIFY(!bench.window.run("problem.fix"));  // what is left is advice
  }
};

QTEST_MAIN(LiveFixesTest)
#include "tst_live_fixes.moc"
