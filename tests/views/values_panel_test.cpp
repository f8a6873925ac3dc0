// The value table over a made-up session; with RX_SCREENSHOTS set it leaves pictures in that folder.
#include "views/panels/values/values_panel.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QDir>
#include <QSignalSpy>
#include <QTableView>
#include <QtTest>

#include "made_up_session.h"
#include "views/panels/values/tensor_study.h"
#include "views/panels/values/tensor_table.h"

using namespace rx;
using namespace rx::views;

namespace {

ValueSummary tensor(int reference, const QString& shape) {
  ValueSummary value;
  value.known = value.isTensor = true;
  value.reference = reference;
  value.shape = shape;
  value.dtype = "float32";
  value.text = shape + " float32";
  value.variable = "lv";
  value.count = value.finite = 1;
  return value;
}

}  // namespace

class ValuesPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    desk_ = std::make_unique<MadeUpDesk>();
    panel_ = std::make_unique<ValuesPanel>(desk_->context, nullptr);
    panel_->setPalette(Palette::lightTheme().toQt());
    panel_->resize(760, 360);
    panel_->show();
  }
  void cleanup() {
    panel_.reset();
    desk_.reset();
  }
  void shapes() {
    QVERIFY(shapeOf("(17, 512)") == std::vector<qint64>({17, 512}));
    QVERIFY(shapeOf("(3,)") == std::vector<qint64>({3}));
    QVERIFY(shapeOf("()") == std::vector<qint64>());
    QVERIFY(!shapeOf("(n, 4)"));
    QVERIFY(!shapeOf("(-1,)"));
    QVERIFY(!shapeOf("17"));
  }
  void noRunSaysSo() {
    QVERIFY(panel_->dump().contains("when the program runs"));
    desk_->debug.stopAt(4);
    QVERIFY(panel_->dump().contains("Select a binding"));
    desk_->selection.selectBinding("main", 6, "o");
    QVERIFY(panel_->dump().contains("o has not been computed yet"));
    desk_->selection.selectStage(1);
    QVERIFY(panel_->dump().contains("The run shows stage 0"));
  }
  void numbersOfABinding() {
    desk_->debug.stopAt(4);
    desk_->selection.selectBinding("main", 4, "s");
    QTRY_VERIFY(!panel_->busy());
    const QAbstractItemModel* model = panel_->table()->table()->model();
    QCOMPARE(model->rowCount(), 17);
    QCOMPARE(model->columnCount(), 17);
    QCOMPARE(model->index(4, 11).data().toString(), QString("+Inf"));
    QVERIFY(model->index(4, 11).data(Qt::BackgroundRole).isValid());
    QVERIFY(!model->index(4, 10).data(Qt::BackgroundRole).isValid());
    QCOMPARE(model->index(4, 11).data(Qt::ToolTipRole).toString(), QString("[4, 11] = +Inf"));
    QVERIFY(model->index(0, 0).data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight);
    QVERIFY(panel_->dump().startsWith("s (17, 17) float16  min -61,216  max 65,472  mean -0.0125  2 Inf\n"));
    shoot("light");
    panel_->setPalette(Palette::darkTheme().toQt());
    shoot("dark");
  }
  /// A large tensor is searched in parts: how far is said, and what one looks at otherwise ends the search.
  /// The choosers of the axes stand in one line where the panel has room for them.
  void axesShareALine() {
    desk_->debug.stopAt(4);
    desk_->selection.selectBinding("main", 4, "s");
    QTRY_VERIFY(!panel_->busy());
    std::vector<int> tops;
    for (const QComboBox* box : panel_->findChildren<QComboBox*>())
      if (box->isVisible() && box->accessibleName().startsWith("Axis of"))
        tops.push_back(box->mapTo(panel_.get(), QPoint()).y());
    QCOMPARE(tops.size(), size_t(2));
    QCOMPARE(tops[0], tops[1]);
  }
  void searchesInParts() {
    TensorStudy* study = panel_->study();
    study->setValue(tensor(9, "(4, 50)"), 9);
    QTRY_VERIFY(!panel_->busy());
    desk_->debug.searchParts = 3;
    desk_->debug.searchFinds = {3, 7};
    QStringList said;
    connect(study, &TensorStudy::changed, study, [&] { said << panel_->dump().section('\n', 1, 1); });
    study->find({});
    QTRY_VERIFY(!panel_->busy());
    QVERIFY2(said.contains("searched 200 of 300 elements…"), qPrintable(said.join('|')));
    QVERIFY(study->current() == std::vector<qint64>({3, 7}));
    QVERIFY2(!panel_->dump().contains("searched"), qPrintable(panel_->dump()));
    desk_->debug.searchFinds.clear();
    study->find({});
    QTRY_VERIFY(!panel_->busy());
    QVERIFY2(panel_->dump().contains("none found among 300 elements"), qPrintable(panel_->dump()));
    desk_->debug.searchParts = 1000000;
    study->find({});
    QTRY_VERIFY(study->search() && study->search()->looked >= 300);
    study->setCurrent({1, 1});
    QTRY_VERIFY(!panel_->busy());
    QVERIFY(study->current() == std::vector<qint64>({1, 1}) && !study->search());
  }
  void pagesOfALargeTensor() {
    TensorPage* page = panel_->study()->page();
    QAbstractItemModelTester tester(panel_->table()->table()->model());
    panel_->study()->setValue(tensor(9, "(2, 3, 300, 120)"), 9);
    QTRY_VERIFY(!page->busy());
    QCOMPARE(page->rowCount(), 128);
    QCOMPARE(page->columnCount(), 64);
    QVERIFY(page->canTurn(1, 0) && page->canTurn(0, 1) && !page->canTurn(-1, 0) && !page->canTurn(0, -1));
    page->turn(1, 0);
    page->turn(1, 1);
    QTRY_VERIFY(!page->busy());
    QCOMPARE(page->rowCount(), 300 - 256);
    QCOMPARE(page->columnCount(), 120 - 64);
    QVERIFY(!page->canTurn(1, 0) && !page->canTurn(0, 1));
    QCOMPARE(page->indexText(0, 0), QString("[0, 0, 256, 64]"));
    QCOMPARE(panel_->table()->table()->model()->headerData(0, Qt::Vertical).toString(), QString("256"));
    page->setIndex(1, 2);
    page->setIndex(1, 3);  // there are three
    page->setIndex(7, 0);
    QTRY_VERIFY(!page->busy());
    QCOMPARE(page->indexText(0, 0), QString("[0, 2, 256, 64]"));
    QVERIFY(page->goTo({1, 0, 5, 119}));
    QTRY_VERIFY(!page->busy());
    QCOMPARE(page->indexText(5, 55), QString("[1, 0, 5, 119]"));
    QVERIFY(!page->goTo({1, 0, 5}));
    QVERIFY(!page->goTo({1, 0, 300, 0}));
    shoot("pages");
  }
  void onlyTheLastAnswerCounts() {
    TensorPage* page = panel_->study()->page();
    panel_->study()->setValue(tensor(1, "(17, 512)"), 1);
    panel_->study()->setValue(tensor(5, "(17, 17)"), 5);
    QTRY_VERIFY(!page->busy());
    QCOMPARE(page->columnCount(), 17);
  }
  void scalarsAndEmptyOnes() {
    TensorPage* page = panel_->study()->page();
    panel_->study()->setValue(tensor(8, "()"), 8);
    QTRY_VERIFY(!page->busy());
    QCOMPARE(page->rowCount(), 1);
    QCOMPARE(page->indexText(0, 0), QString("[]"));
    ValueSummary none = tensor(7, "(0, 4)");
    none.count = none.finite = 0;
    panel_->study()->setValue(none, 7);
    QTRY_VERIFY(!page->busy());
    QCOMPARE(page->rowCount(), 0);
    QVERIFY(panel_->dump().contains("no elements"));
  }
  void errorsAreSentences() {
    panel_->study()->setValue(tensor(6, "(17, 512)"), 6);
    QTRY_VERIFY(!panel_->busy());
    QVERIFY(panel_->dump().contains("Not available: the engine has ended"));
    panel_->study()->setValue(tensor(5, "(99, 99)"), 5);  // the engine has another shape
    QTRY_VERIFY(!panel_->busy());
    QVERIFY(panel_->dump().contains("another part"));
    panel_->study()->setValue(tensor(0, "(4, 4)"), 0);
    QVERIFY(panel_->dump().contains("Only the statistics"));
  }

 private:
  void shoot(const QString& name) {
    const QString folder = qEnvironmentVariable("RX_SCREENSHOTS");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    QVERIFY(panel_->grab().save(folder + "/values_" + name + ".png"));
  }
  std::unique_ptr<MadeUpDesk> desk_;
  std::unique_ptr<ValuesPanel> panel_;
};

QTEST_MAIN(ValuesPanelTest)
#include "values_panel_test.moc"
