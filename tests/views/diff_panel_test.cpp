// The diff panel over a made-up session.
#include "views/panels/diff/diff_panel.h"

#include <QDir>
#include <QScrollBar>
#include <QSignalSpy>
#include <QtTest>

#include "made_up_session.h"
#include "views/text/diff_view.h"
#include "views/text/text_view.h"

using namespace rx;
using namespace rx::views;

class DiffPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    desk_ = std::make_unique<MadeUpDesk>();
    panel_ = std::make_unique<DiffPanel>(desk_->context, nullptr);
    panel_->resize(1000, 400);
    panel_->show();
  }
  void cleanup() {
    panel_.reset();
    desk_.reset();
  }
  void theImportHasNothingBeforeIt() {
    QVERIFY(!panel_->busy());
    QVERIFY(panel_->view()->message().contains("imported"));
  }
  void aPassBesideItsInput() {
    QSignalSpy title(panel_.get(), &Panel::titleChanged);
    desk_->selection.selectStage(1);
    QTRY_VERIFY(!panel_->busy());
    QCOMPARE(title.last()[0].toString(), QString("Diff 0 ↔ 1"));
    const QString text = panel_->dump();
    QVERIFY2(
        text.contains("-            q: R.Tensor((n, 512), dtype=\"float16\") = R.matmul(x, wq, out_dtype=\"void\")\n"
                      "+            q: R.Tensor((n, 512), dtype=\"float16\") = R.call_tir(cls.matmul"),
        qPrintable(text));
    QVERIFY(!text.contains("softmax"));
    QVERIFY(panel_->command("next", {}));
    QVERIFY(!panel_->command("sideways", {}));
    QVERIFY(panel_->find("call_tir") > 0);
  }
  void theSelectedFunctionComesFirst() {
    desk_->selection.selectFunction("main");
    desk_->selection.selectStage(1);
    QTRY_VERIFY(!panel_->busy());
    QVERIFY(panel_->view()->currentChange() > 0);  // the first one is the added kernel
    const uint32_t line = panel_->view()->right()->caretLine() + 1;
    const FunctionRow* main = desk_->document.stage(1)->function("main");
    QVERIFY(int(line) >= main->firstLine && int(line) <= main->lastLine);
    QVERIFY(!panel_->view()->goToChangeIn(&DiffRow::right, 5000, 6000));
  }
  void twoStagesOfChoice() {
    desk_->selection.selectStage(2);
    desk_->selection.setCompareStage(0);
    QTRY_VERIFY(!panel_->busy());
    QVERIFY(panel_->dump().contains("-            kt:"));
    desk_->selection.setCompareStage(2);  // with itself: the one before
    QTRY_VERIFY(!panel_->busy());
    QVERIFY(panel_->dump().contains("-            kt:"));
    QVERIFY(!panel_->dump().contains("+            q:"));
  }
  void aPassThatChangedNothingSaysSo() {
    desk_->document.repeatStage(1);
    desk_->selection.selectStage(2);
    QTRY_VERIFY(!panel_->busy());
    QCOMPARE(panel_->view()->message(), QString("No difference between 1 LegalizeOps and 2 FuseOps."));
    desk_->selection.selectStage(1);
    QTRY_VERIFY(!panel_->busy());
    QVERIFY(panel_->view()->message().isEmpty());
  }
  /// Beside each other where lines fit, else as one text; what was asked for holds at any width.
  void sidesThatDoNotFitBecomeOneText() {
    desk_->selection.selectStage(1);
    QTRY_VERIFY(!panel_->busy());
    panel_->resize(1600, 600);
    QTRY_VERIFY(!panel_->view()->isUnified());
    panel_->resize(600, 600);
    QTRY_VERIFY(panel_->view()->isUnified());
    QVERIFY(panel_->command("sideBySide", {}));
    QVERIFY(!panel_->view()->isUnified());
    const TextView* left = panel_->view()->left();
    const TextView* right = panel_->view()->right();
    QTRY_VERIFY(right->horizontalScrollBar()->maximum() > 0);
    right->horizontalScrollBar()->setValue(5);
    QTRY_COMPARE(left->horizontalScrollBar()->value(), 5);
    QVERIFY(panel_->command("unified", {}));
    panel_->resize(1600, 600);
    QVERIFY(panel_->view()->isUnified());
  }
  void aStageThatIsNotThereYet() {
    desk_->selection.selectStage(1);
    QTRY_VERIFY(!panel_->busy());
    desk_->document.setMissing(2);
    desk_->selection.selectStage(2);
    QVERIFY(panel_->busy());
    QVERIFY(panel_->view()->message().isEmpty());  // the last comparison stays
    desk_->document.setMissing(-1);
    QTRY_VERIFY(!panel_->busy());
  }

 private:
  std::unique_ptr<MadeUpDesk> desk_;
  std::unique_ptr<DiffPanel> panel_;
};

QTEST_MAIN(DiffPanelTest)
#include "diff_panel_test.moc"
