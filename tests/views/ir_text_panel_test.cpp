// The IR text panel over a made-up session; with RX_SCREENSHOTS set it leaves pictures in that folder.
#include "views/panels/ir_text/ir_text_panel.h"

#include <QDir>
#include <QScrollBar>
#include <QSignalSpy>
#include <QtTest>
#include <utility>

#include "made_up_session.h"
#include "views/panels/ir_text/call_defaults.h"
#include "views/panels/ir_text/operator_tip.h"
#include "views/panels/ir_text/run_notes.h"
#include "views/panels/ir_text/stage_links.h"
#include "views/text/text_view.h"

using namespace rx;
using namespace rx::views;

class IrTextPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    desk_ = std::make_unique<MadeUpDesk>();
    panel_ = std::make_unique<IrTextPanel>(desk_->context, nullptr);
    panel_->setPalette(Palette::lightTheme().toQt());
    panel_->resize(1000, 420);
    panel_->show();
  }
  void cleanup() {
    panel_.reset();
    desk_.reset();
  }

  void defaultsAreLeftOut_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("shown");
    const auto row = [](const char* name, const char* line, const char* shown) {
      QTest::newRow(name) << QByteArray(line) << QByteArray(shown);
    };
    row("a text", "y = R.matmul(x, w, out_dtype=\"void\")", "y = R.matmul(x, w)");
    row("another value", "y = R.matmul(x, w, out_dtype=\"float32\")", "y = R.matmul(x, w, out_dtype=\"float32\")");
    row("numbers",
        "y = R.nn.batch_norm(a, b, c, d, e, axis=1, epsilon=1.0000000000000001e-05, momentum=0.25, center=True)",
        "y = R.nn.batch_norm(a, b, c, d, e, axis=1, momentum=0.25)");
    row("lists", "y = R.nn.max_pool2d(x, pool_size=[3, 3], strides=[2, 2], dilation=[1, 1])",
        "y = R.nn.max_pool2d(x, pool_size=[3, 3], strides=[2, 2])");
    row("calls in calls", "y = R.exp(R.matmul(x, w, out_dtype=\"void\"))", "y = R.exp(R.matmul(x, w))");
    row("a comma in a text", "R.print(x, format=\"a, out_dtype=\")", "R.print(x, format=\"a, out_dtype=\")");
    row("cut in the middle", "y = R.matmul(x, w, out_dtype=\"vo", "y = R.matmul(x, w, out_dtype=\"vo");
    row("no operator of ours", "y = R.nowhere(x, out_dtype=\"void\")", "y = R.nowhere(x, out_dtype=\"void\")");
    row("another name", "y = MyR.matmul(x, w, out_dtype=\"void\")", "y = MyR.matmul(x, w, out_dtype=\"void\")");
  }
  void defaultsAreLeftOut() {
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, shown);
    const std::vector<Shortening> parts = defaultArguments(line.toStdString());
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      QVERIFY(part->text.isEmpty() && part->begin < part->end);
      line.remove(part->begin, part->end - part->begin);
    }
    QCOMPARE(line, shown);
  }
  void idsComeBack() {
    for (const LinkTarget& target :
         {LinkTarget{LinkTarget::Kind::Binding, 7, 123456}, LinkTarget{LinkTarget::Kind::Param, 0, 0},
          LinkTarget{LinkTarget::Kind::Function, 3, -1}})
      QVERIFY(linkTarget(linkId(target)) == target);
    QVERIFY(linkTarget(0) == LinkTarget{});
  }
  void linksAreTheNames() {
    const StageIndexPtr stage = madeUpStage(1);
    const auto links = stageLinks(*stage);
    auto texts = [&](LinkRole role, LinkTarget target) {
      QStringList list;
      for (const Link& link : links)
        if (link.role == role && link.id == linkId(target))
          list += QString::fromUtf8(stage->text.mid(int(link.begin), int(link.end - link.begin)));
      return list;
    };
    QCOMPARE(texts(LinkRole::Definition, {LinkTarget::Kind::Binding, 1, 0}), QStringList({"q"}));
    QCOMPARE(texts(LinkRole::Use, {LinkTarget::Kind::Binding, 1, 0}), QStringList({"q"}));
    QCOMPARE(texts(LinkRole::Use, {LinkTarget::Kind::Param, 1, 0}), QStringList({"x", "x", "x"}));
    QCOMPARE(texts(LinkRole::Use, {LinkTarget::Kind::Binding, 1, 6}), QStringList({"o"}));  // in `return o`
    QCOMPARE(texts(LinkRole::Callee, {LinkTarget::Kind::Function, 0, -1}), QStringList({"matmul", "matmul", "matmul"}));
    uint32_t at = 0;
    for (const Link& link : links) {
      QVERIFY(link.begin >= at);
      at = link.end;
    }
  }
  void clickSelectsAndSelectionScrolls() {
    const TextView& view = *panel_->view();
    desk_->selection.selectBinding("main", 4, "s");
    QCOMPARE(view.selectedId(), linkId({LinkTarget::Kind::Binding, 0, 4}));
    panel_->view()->setCaret(0);
    panel_->view()->moveToDefinition(1);
    QVERIFY(desk_->selection.place().variable.isEmpty());  // the function itself
    panel_->view()->moveToDefinition(1);
    QVERIFY(desk_->selection.place().variable == "x");
    QTest::keyClick(panel_->view(), Qt::Key_End, Qt::ControlModifier);
    panel_->view()->moveToDefinition(-1);
    QCOMPARE(desk_->selection.place().binding, 6);
  }
  void aBindingIsFoundByNameInAnotherStage() {
    desk_->selection.selectBinding("main", 4, "s");
    desk_->selection.selectStage(2);  // there s is number 3
    QCOMPARE(panel_->view()->selectedId(), linkId({LinkTarget::Kind::Binding, 1, 3}));
  }
  void aRunWritesItsValues() {
    desk_->selection.selectFunction("main");
    QVERIFY(panel_->view()->decorations().notes.empty());
    desk_->debug.stopAt(4);
    const QString text = panel_->dump();
    QVERIFY2(text.contains("2 Inf  of 289 · first at [4, 11]"), qPrintable(text));
    QVERIFY(text.contains("n = 17  bound by x axis 0"));
    QVERIFY(text.contains("(17, 512) f16  -3.125 … 2.90625"));
    QVERIFY(text.contains("<== current"));
    desk_->selection.selectStage(1);  // the run is of stage 0
    QVERIFY(!panel_->dump().contains("<== current"));
    QVERIFY(panel_->view()->decorations().notes.empty());
  }
  void breakpointsStandAtBindings() {
    QSignalSpy message(panel_.get(), &Panel::message);
    QVERIFY(panel_->command("goToLine", {"1"}));
    QVERIFY(panel_->command("toggleBreakpoint", {}));
    QCOMPARE(message.count(), 1);
    QVERIFY(desk_->debug.breakpoints().empty());
    const int line = desk_->document.stage(0)->function("main")->binding(2)->line;
    QVERIFY(panel_->command("goToLine", {QString::number(line)}));
    QVERIFY(panel_->command("toggleBreakpoint", {}));
    QCOMPARE(desk_->debug.breakpoints().size(), size_t(1));
    QCOMPARE(panel_->view()->decorations().marks.size(), size_t(1));
    QVERIFY(!panel_->command("goToLine", {"0"}));
    QVERIFY(!panel_->command("goToLine", {"99999"}));
    QVERIFY(!panel_->command("noSuchCommand", {}));
  }
  void problemsAreUnderlined() {
    ProblemRow problem;
    problem.line = desk_->document.stage(0)->function("main")->binding(5)->line;
    problem.column = 13, problem.endColumn = 14, problem.message = "softmax of an Inf", problem.rule = "test";
    desk_->document.addProblem(problem);
    QCOMPARE(panel_->view()->decorations().squiggles.size(), size_t(1));
    problem.line = 4000;
    desk_->document.addProblem(problem);
    problem.line = 3, problem.stage = 2;
    desk_->document.addProblem(problem);
    QCOMPARE(panel_->view()->decorations().squiggles.size(), size_t(1));
  }
  void hoveringTells() {
    const std::string text = desk_->document.stage(0)->text.toStdString();
    const auto at = [&](const char* what) { return static_cast<uint32_t>(text.find(what)); };
    QVERIFY2(panel_->view()
                 ->tipAt(at("R.nn.softmax") + 4)
                 .startsWith("relax.nn.softmax\n    data: expr\n    axis: int, default -1\n"),
             qPrintable(panel_->view()->tipAt(at("R.nn.softmax") + 4)));
    QCOMPARE(panel_->view()->tipAt(at("(x, wq") + 4), QString("parameter wq: R.Tensor((512, 512), dtype=\"float16\")"));
    QCOMPARE(panel_->view()->tipAt(at(" q: R") + 1), QString("q: R.Tensor((n, 512), dtype=\"float16\")"));
    desk_->debug.stopAt(4);
    QVERIFY(panel_->view()->tipAt(at(" s: R") + 1).contains("2 Inf · first at [4, 11]"));
    QVERIFY(panel_->view()->tipAt(0).isEmpty());
    QVERIFY(operatorTip("relax.no_such_op").isEmpty());
  }
  void theOldTextStaysWhileTheNewIsMade() {
    desk_->document.setMissing(2);
    desk_->selection.selectStage(2);
    QVERIFY(panel_->busy());
    QVERIFY(panel_->view()->buffer()->size() > 0);
    QSignalSpy settled(panel_.get(), &Panel::settled);
    desk_->document.setMissing(-1);
    QVERIFY(!panel_->busy());
    QCOMPARE(settled.count(), 1);
  }
  /// The text of a long stage is there before its rows: it is shown where the selected binding seems to stand, and the
  /// rows move nothing.
  void theTextIsShownBeforeTheRows() {
    const int line = desk_->document.stage(2)->function("main")->binding(3)->line;
    desk_->selection.selectBinding("main", 4, "s");
    desk_->document.setMissing(2);
    desk_->selection.selectStage(2);
    QCOMPARE(panel_->view()->buffer()->text(), desk_->document.stage(0)->text.toStdString());
    desk_->document.setText(2);
    const TextBufferPtr shown = panel_->view()->buffer();
    QCOMPARE(shown->text(), desk_->document.stageText(2)->text.toStdString());
    QVERIFY(panel_->busy());
    QCOMPARE(panel_->view()->selectedLine(), std::optional<uint32_t>(line - 1));  // by its name
    QCOMPARE(panel_->view()->caretLine(), static_cast<uint32_t>(line - 1));
    QVERIFY(panel_->view()->decorations().links.empty());
    QSignalSpy message(panel_.get(), &Panel::message), settled(panel_.get(), &Panel::settled);
    QVERIFY(panel_->command("toggleBreakpoint", {}));
    QCOMPARE(message.count(), 1);  // nobody knows yet what stands there
    desk_->document.setMissing(-1);
    QVERIFY(!panel_->busy());
    QCOMPARE(settled.count(), 1);
    QCOMPARE(panel_->view()->buffer(), shown);
    QVERIFY(!panel_->view()->decorations().links.empty());
    QCOMPARE(panel_->view()->selectedId(), linkId({LinkTarget::Kind::Binding, 1, 3}));
    QCOMPARE(panel_->view()->selectedLine(), std::optional<uint32_t>(line - 1));
  }
  void theTextStaysWhereItWasScrolled() {
    panel_->resize(1000, 120);
    desk_->selection.selectBinding("main", 4, "s");
    desk_->document.setMissing(2);
    desk_->selection.selectStage(2);
    desk_->document.setText(2);
    QScrollBar* bar = panel_->view()->verticalScrollBar();
    QVERIFY(bar->maximum() > 0);
    const int elsewhere = bar->value() == 0 ? bar->maximum() : 0;
    bar->setValue(elsewhere);
    desk_->document.setMissing(-1);
    QCOMPARE(bar->value(), elsewhere);
    QCOMPARE(panel_->view()->selectedId(), linkId({LinkTarget::Kind::Binding, 1, 3}));
  }
  /// A line that is clicked before the rows are there is selected with them.
  void aClickWaitsForTheRows() {
    const int line = desk_->document.stage(2)->function("main")->binding(1)->line;
    desk_->selection.selectBinding("main", 4, "s");
    desk_->document.setMissing(2);
    desk_->selection.selectStage(2);
    desk_->document.setText(2);
    QVERIFY(panel_->command("goToLine", {QString::number(line)}));
    QCOMPARE(desk_->selection.place().variable, QString("s"));
    desk_->document.setMissing(-1);
    QCOMPARE(desk_->selection.place().binding, 1);
    QCOMPARE(panel_->view()->caretLine(), static_cast<uint32_t>(line - 1));
  }
  void pictures() {
    desk_->selection.selectBinding("main", 4, "s");
    desk_->debug.stopAt(4);
    desk_->debug.toggleBreakpoint(0, "main", 4, "s");
    shoot("light");
    panel_->setPalette(Palette::darkTheme().toQt());
    shoot("dark");
  }

 private:
  void shoot(const QString& name) {
    const QString folder = qEnvironmentVariable("RX_SCREENSHOTS");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    QVERIFY(panel_->grab().save(folder + "/ir_" + name + ".png"));
  }
  std::unique_ptr<MadeUpDesk> desk_;
  std::unique_ptr<IrTextPanel> panel_;
};

QTEST_MAIN(IrTextPanelTest)
#include "ir_text_panel_test.moc"
