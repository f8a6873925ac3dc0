// Failure is loud, and so is the end: cards of runs that can not start, that stop with an error, whose engine dies, of
// files that are refused, and of results; each from the real engine, with its words in the problem list and the status
// bar, its ways on, Esc and F8.
#include <QApplication>
#include <QClipboard>
#include <QCoreApplication>
#include <QDialog>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>
#include <csignal>

#include "core/tensor/npy.h"
#include "live_bench.h"
#include "views/shell/cards/card.h"
#include "views/shell/status_strip.h"

using namespace rx;
using namespace rx::views;

namespace {

struct Bench : LiveBench {
  Card* card = window.findChild<Card*>("outcomeCard");

  QPushButton* way(const QString& label) { return wayOf(card, label); }
  static QPushButton* wayOf(const Card* of, const QString& label) {
    for (QPushButton* button : of->findChildren<QPushButton*>())
      if (button->text() == label) return button;
    return nullptr;
  }
  /// Where the end of a run is said first: above the Inspector.
  Card* brief() { return window.findChild<Card*>("resultBrief"); }
  /// Whether the card covers the line that the caret of a panel stands on.
  bool covers(const char* id) {
    const Panel* panel = window.panel(id);
    const QRect line = panel->caretRect();
    if (!panel->isVisible() || !line.isValid()) return false;
    const QRect there(panel->mapTo(&window, line.topLeft()), line.size());
    return QRect(card->mapTo(&window, QPoint()), card->size()).intersects(there);
  }
  /// Whether the card is seen, whole, over the panels.
  bool shown() {
    QTest::qWait(20);
    const QRect there(card->mapTo(&window, QPoint()), card->size());
    return card->isVisible() && window.rect().contains(there) && there.width() > 200 && there.height() > 60;
  }
  const ProblemRow* problem(const QString& rule) {
    for (const ProblemRow& row : document.problems())
      if (row.rule == rule) return &row;
    return nullptr;
  }
};

}  // namespace

class LiveFailureTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    useBuiltProgram();
    QVERIFY(folder_.isValid());
  }

  void inputsThatDoNotFit() {
    Bench bench;
    QVERIFY(bench.open("dynamic"));
    QVERIFY(bench.does("debug.start", {"main", "inputs=" + kSamples + "dynamic/inputs_mismatch.npz"}));
    const RunFailure* failure = bench.debug.failure();
    QVERIFY(failure && failure->when == RunFailure::When::Start);
    QCOMPARE(failure->parameter, QString("y"));
    QCOMPARE(failure->axis, 0);
    QCOMPARE(failure->symbol, QString("n"));
    QCOMPARE(failure->wanted, QString("3"));
    QCOMPARE(failure->given, QString("5"));
    QCOMPARE(failure->boundBy, QString("x, axis 0"));
    QCOMPARE(failure->parameters.size(), size_t{3});
    QCOMPARE(failure->parameters[0].axes[0].verdict, AxisFit::Verdict::Binds);
    QCOMPARE(failure->parameters[1].axes[0].verdict, AxisFit::Verdict::Differs);
    QCOMPARE(failure->parameters[1].axes[1].verdict, AxisFit::Verdict::Fits);
    QCOMPARE(failure->parameters[1].wants, QString("(n, 4) f32"));
    QVERIFY(bench.shown());
    QVERIFY2(bench.card->text().contains("Axis 0 of y is 5, but n is 3: x, axis 0 bound it first"),
             qPrintable(bench.card->text()));
    QVERIFY(!bench.covers("ir"));
    QCOMPARE(bench.window.statusText().count("y, axis 0: n is 3, given 5"), 1);
    const ProblemRow* problem = bench.problem("run.argument-shape");
    QVERIFY(problem);
    QCOMPARE(problem->message, QString("y, axis 0: n is 3 (bound by x, axis 0), but 5 was given"));
    QVERIFY(problem->line > 0 && problem->context.startsWith("main"));
    QCOMPARE(bench.selection.place().function, QString("main"));
  }

  void escapeAndBack() {
    Bench bench;
    QVERIFY(bench.open("dynamic"));
    QVERIFY(!bench.window.enabled("view.card"));
    QVERIFY(bench.does("view.panel", {"ir"}));
    QVERIFY(QTest::qWaitForWindowActive(&bench.window));
    const QWidget* before = QApplication::focusWidget();
    QVERIFY(bench.does("debug.start", {"main", "inputs=" + kSamples + "dynamic/inputs_mismatch.npz"}));
    QVERIFY(bench.card->isAncestorOf(QApplication::focusWidget()));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    QVERIFY(!bench.card->isVisible());
    QCOMPARE(QApplication::focusWidget(), before);
    QVERIFY(bench.window.statusText().contains("Could not start"));
    QTest::keyClick(&bench.window, Qt::Key_F8);
    QVERIFY(bench.shown());
    QVERIFY(bench.window.run("view.copyCard"));
    QVERIFY(QApplication::clipboard()->text().contains("bound it first"));
    // The next run is another matter.
    QVERIFY(bench.way("Make inputs for n = 5"));
    bench.way("Make inputs for n = 5")->click();
    QVERIFY(bench.settle());
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY(!bench.card->isVisible() && !bench.debug.failure());
    QVERIFY(bench.debug.config().symbolValues.contains("n=5"));
    QVERIFY(!bench.problem("run.argument-shape"));
  }

  /// A part of the array that fits is offered and taken; where it is too short, zeros stand behind it.
  void aPartThatFits() {
    Bench bench;
    QVERIFY(bench.open("dynamic"));
    QVERIFY(bench.does("debug.start", {"main", "inputs=" + kSamples + "dynamic/inputs_mismatch.npz"}));
    QVERIFY(bench.way("Use y[0:3]"));
    bench.way("Use y[0:3]")->click();
    QVERIFY(bench.settle());
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY(!bench.debug.failure());
    QVERIFY(bench.debug.valueOfParam("main", "y").known);
    QCOMPARE(bench.debug.valueOfParam("main", "y").shape, QString("(3, 4)"));
    // The other way round: what x is cut to, y has to follow.
    bench.does("debug.retry", {"map=x=x[0:1]", "map=y=y"});
    QVERIFY(bench.way("Use y[0:1]"));
    bench.does("debug.retry", {"map=x=x[0:9]", "map=y=y"});
    QVERIFY(bench.way("Use y[0:9], padded with zeros"));
    bench.way("Use y[0:9], padded with zeros")->click();
    QVERIFY(bench.settle());
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    // What is no part of an array is refused, and offers no part of a part.
    bench.does("debug.retry", {"map=y=y[3:1]"});
    QVERIFY(bench.debug.failure());
    QVERIFY2(bench.window.dump("problems").contains("y[3:1]"), qPrintable(bench.window.dump("problems")));
    bench.does("debug.retry", {"map=y=y[0:2]", "map=x=x[0:3]"});
    QVERIFY(!bench.way("Use y[0:2][0:3]"));
  }

  void theFileBesideTheModule() {
    Bench bench;
    QVERIFY(bench.open("dynamic"));
    QVERIFY(bench.does("debug.start", {"main", "inputs=" + kSamples + "dynamic/inputs_mismatch.npz"}));
    QVERIFY(bench.way("Use inputs.npz"));
    bench.way("Use inputs.npz")->click();
    QVERIFY(bench.settle());
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY(bench.debug.config().inputsFile.endsWith("/inputs.npz"));
  }

  /// A check in the middle of the program: which value, which axis, who bound the size, and the binding is selected.
  void aCheckOfTheProgram() {
    Bench bench;
    QVERIFY(bench.open("dynamic"));
    QVERIFY(bench.does("debug.start", {"main", "stop=none", "inputs=" + kSamples + "dynamic/inputs_bad_cast.npz"}));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    const RunFailure* failure = bench.debug.failure();
    QVERIFY(failure && failure->when == RunFailure::When::Middle);
    QCOMPARE(failure->axis, 1);
    QCOMPARE(failure->symbol, QString("n"));
    QCOMPARE(failure->wanted, QString("3"));
    QCOMPARE(failure->given, QString("4"));
    QCOMPARE(failure->boundBy, QString("x, axis 0"));
    QCOMPARE(failure->variable, QString("z_1"));
    QVERIFY(failure->step > 0);
    QCOMPARE(bench.selection.place().variable, QString("z_1"));
    QVERIFY(bench.shown() && !bench.covers("ir"));
    QVERIFY(bench.window.statusText().contains("Stopped with an error"));
    QVERIFY(bench.problem(failure->rule)->line > 0);
    QVERIFY(!bench.debug.result());
    // It can be looked back over, and the card is away while that is done.
    QVERIFY(bench.does("debug.stepBack"));
    QVERIFY(!bench.card->isVisible());
    QVERIFY(bench.does("view.card"));
    QVERIFY(bench.shown());
  }

  void whatHasNoValue() {
    Bench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.start", {"main", "params="}));
    const RunFailure* failure = bench.debug.failure();
    QVERIFY(failure);
    QCOMPARE(failure->rule, QString("run.missing-argument"));
    QVERIFY2(bench.card->text().contains("4 parameters have no value"), qPrintable(bench.card->text()));
    QVERIFY(bench.way("Open parameters…"));
    QVERIFY(bench.way("Make inputs from seed 0"));
    bench.way("Make inputs from seed 0")->click();
    QVERIFY(bench.settle());
    QCOMPARE(bench.debug.state(), RunState::Stopped);
  }

  /// Of a hundred weights that nothing gives, a few are named: the rest is one press away.
  void manyThatHaveNoValue() {
    QTemporaryDir folder;
    QVERIFY(QFile::copy(kSamples + "resnet18/module.py", folder.filePath("module.py")));
    const auto image = HostTensor::allocate({1, 3, 224, 224}, DataType::Float(32));
    QVERIFY(image && writeNpz(folder.filePath("inputs.npz").toStdString(), {{"x", *image}}));
    Bench bench;
    bench.window.resize(1024, 700);
    QVERIFY(bench.does("file.open", {folder.path()}));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.shown());
    QStringList said;
    for (const QLabel* label : bench.card->findChildren<QLabel*>())
      if (label->text().contains("no value is given") || label->text() == "nothing gives it") said << label->text();
    QCOMPARE(said.size(), 6);
    QVERIFY(bench.card->height() < bench.window.height() / 2);
    QPushButton* rest = bench.way("and 96 more, in Problems");
    QVERIFY(rest && rest->isVisible());
    rest->click();
    QVERIFY(bench.settle());
    QVERIFY(!bench.card->isVisible() && bench.window.panel("problems")->isVisible());
    QVERIFY(bench.window.panel("problems")->dump().contains("fb: R.Tensor((1000,)"));
  }

  /// A recording that ends before the run leaves the result unknown, and says why, instead of a result that is none.
  void aResultThatIsNotKept() {
    Bench bench;
    bench.settings.setValue("budget/record", 1);  // MiB
    QVERIFY(write(folder_.filePath("large.py"),
                  "from tvm.script import ir as I, relax as R\n\n@I.ir_module\nclass Module:\n    @R.function\n"
                  "    def main(x: R.Tensor((1024, 1024), \"float32\")):\n"
                  "        y = R.add(x, x)\n        z = R.multiply(y, x)\n        return z\n"));
    QVERIFY(bench.does("file.open", {folder_.filePath("large.py")}));
    QVERIFY(bench.does("debug.start", {"main", "seed=0", "stop=none"}));
    QVERIFY(bench.debug.result());
    QVERIFY2(bench.debug.result()->lost.contains("the recording ends at step"), qPrintable(bench.debug.result()->lost));
    const QString said = bench.window.cardText();
    QVERIFY2(said.contains("what it returned is not kept") && !said.contains("returned the recording"),
             qPrintable(said));
    QVERIFY(bench.window.statusText().contains("not kept"));
    QPushButton* budgets = bench.wayOf(bench.brief(), "Budgets…");
    QVERIFY(budgets && budgets->isVisible());
    budgets->click();
    QVERIFY(bench.settle());
    const auto dialogs = bench.window.findChildren<QDialog*>();
    QVERIFY(std::any_of(dialogs.begin(), dialogs.end(),
                        [](const QDialog* d) { return d->isVisible() && d->windowTitle() == "Settings"; }));
  }

  void aFunctionThatIsNotThere() {
    Bench bench;
    QVERIFY(bench.open("mlp"));
    RunConfig config;
    config.function = "nobody";
    bench.debug.start(config);
    QVERIFY(bench.settle());
    QVERIFY(bench.debug.failure());
    QCOMPARE(bench.debug.failure()->rule, QString("run.no-function"));
    QVERIFY(bench.shown() && bench.card->text().contains("nobody"));
  }

  /// A key that is no option blocks the run, and names near ones.
  void anUnknownKey() {
    Bench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(!bench.window.run("debug.start", {"main", "sed=3"}));
    QCOMPARE(bench.debug.state(), RunState::Off);
    QVERIFY(bench.shown());
    QVERIFY2(bench.card->text().contains("near it: seed"), qPrintable(bench.card->text()));
    QVERIFY(bench.problem("run.option"));
    QVERIFY(bench.does("debug.start", {"main", "seed=3"}));
    QVERIFY(!bench.card->isVisible() && !bench.debug.failure());
  }

  void anEngineThatDoesNotStart() {
    Bench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(write(path("rxs"), "no program"));
    qputenv("RELAXSCOPE_RXS", path("rxs").toUtf8());
    bench.window.run("debug.start", {"main"});
    QVERIFY(QTest::qWaitFor([&] { return bench.debug.failure() != nullptr; }, 5000));
    qputenv("RELAXSCOPE_RXS", kTool.toUtf8());
    QVERIFY(bench.shown());
    QVERIFY(bench.way("Try again") || bench.way("Restart"));
    QVERIFY(bench.does("debug.restart"));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY(!bench.card->isVisible());
  }

  void anEngineThatDies() {
    Bench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.stepOver", {"2"}));
    ::kill(static_cast<pid_t>(bench.debug.engineId()), SIGKILL);
    QVERIFY(
        QTest::qWaitFor([&] { return bench.debug.state() == RunState::Died && bench.window.settled(); }, kPatience));
    QVERIFY(bench.shown());
    QVERIFY2(bench.card->text().contains("killed by signal 9"), qPrintable(bench.card->text()));
    QVERIFY(bench.way("Restart"));
    bench.way("Restart")->click();
    QVERIFY(bench.settle());
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY(!bench.card->isVisible());
  }

  /// The end of a run: what was returned, and that it is what was expected.
  void aResultThatIsExpected() {
    Bench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    const RunResult* result = bench.debug.result();
    QVERIFY(result && result->values.size() == 1);
    QVERIFY(result->comparison && result->comparison->error.isEmpty());
    QVERIFY(result->comparison->equal && result->comparison->largest < 1e-5);
    QCOMPARE(result->comparison->file, QString("expected.npz"));
    QCOMPARE(result->likely.size(), size_t{10});
    QVERIFY(result->expectedLikely.has_value());
    QVERIFY(result->steps > 0 && result->peakBytes > 0);
    QVERIFY(!bench.card->isVisible() && bench.brief() && bench.brief()->isVisible());
    QVERIFY(bench.does("view.card"));
    QVERIFY(bench.shown() && !bench.brief()->isVisible());
    for (const char* part : {"main returned (1, 10) f32, equal to expected.npz", "unoptimised code", "peak memory"})
      QVERIFY2(bench.card->text().contains(part), qPrintable(bench.card->text()));
    QVERIFY(bench.window.statusText().contains("equals expected.npz"));
    // The text with its values stays in sight.
    const Panel* text = bench.window.panel("ir");
    QVERIFY(text->mapTo(&bench.window, QPoint(text->width(), 0)).x() <= bench.card->mapTo(&bench.window, QPoint()).x());
    QVERIFY(bench.does("export.result", {path("result.npy")}));
    QVERIFY(readNpy(path("result.npy").toStdString()).ok());
    QVERIFY(bench.way("Step back"));
    bench.way("Step back")->click();
    QVERIFY(bench.settle());
    QVERIFY(!bench.card->isVisible());
    QVERIFY2(bench.window.statusText().contains("history: nothing runs"), qPrintable(bench.window.statusText()));
    QVERIFY(bench.does("debug.goToStep", {QString::number(result->steps)}));
    QVERIFY(!bench.window.statusText().contains("history"));
  }

  /// The end of a run covers nothing: it stands above what the Inspector says, which gives way. Closed by the key, it
  /// stays so for this run, whatever is stepped; the next run says its end again.
  void aResultCoversNothing() {
    Bench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("view.panel", {"ir"}));
    QVERIFY(QTest::qWaitForWindowActive(&bench.window));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    const Card* brief = bench.brief();
    QVERIFY(brief && brief->isVisible());
    const Panel* inspector = bench.window.panel("inspector");
    QVERIFY(inspector->isAncestorOf(brief));
    for (const QWidget* other : inspector->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
      QVERIFY(other == brief || !other->isVisible() || !other->geometry().intersects(brief->geometry()));
    for (const QPushButton* way : brief->findChildren<QPushButton*>())
      QVERIFY2(brief->rect().contains(QRect(way->mapTo(brief, QPoint()), way->size())), qPrintable(way->text()));
    QVERIFY(Bench::wayOf(brief, "Details") && Bench::wayOf(brief, "Step back"));
    // Also where the Inspector is low.
    QVERIFY(bench.does("view.layout", {"Profile"}));
    QTest::qWait(20);
    for (const QLabel* line : brief->findChildren<QLabel*>())
      QVERIFY2(line->height() >= line->fontMetrics().height() || line->text().isEmpty(), qPrintable(line->text()));
    QVERIFY(bench.does("view.layout", {"Debug"}));
    QVERIFY(bench.does("view.panel", {"ir"}));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    QVERIFY(!brief->isVisible());
    QVERIFY(bench.does("debug.stepBack"));
    QVERIFY(bench.does("debug.goToStep", {QString::number(bench.debug.result()->steps)}));
    QVERIFY(!brief->isVisible() && !bench.card->isVisible());
    QVERIFY(bench.does("view.card"));
    QVERIFY(bench.shown() && bench.card->isAncestorOf(QApplication::focusWidget()));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    QVERIFY(!bench.card->isVisible());
    QVERIFY(bench.window.panel("ir")->isAncestorOf(QApplication::focusWidget()));
    QVERIFY(bench.does("debug.restart"));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QVERIFY(bench.brief() && bench.brief()->isVisible());
    Bench::wayOf(bench.brief(), "Details")->click();
    QVERIFY(bench.shown() && !bench.brief()->isVisible());
  }

  /// A run whose result is finite says so of the result alone: what was not finite on the way is said beside it, with
  /// the binding that made it. One that is finite everywhere, or what was expected, gives no reason to look.
  void whatWasNotFiniteOnTheWay() {
    Bench bench;
    QVERIFY(write(path("root.py"),
                  "@I.ir_module\nclass Module:\n    @R.function\n"
                  "    def main(x: R.Tensor((4,), dtype=\"float32\")) -> R.Tensor((4,), dtype=\"float32\"):\n"
                  "        lv: R.Tensor((4,), dtype=\"float32\") = R.negative(x)\n"
                  "        lv1: R.Tensor((4,), dtype=\"float32\") = R.log(lv)\n"
                  "        lv2: R.Tensor((4,), dtype=\"float32\") = R.add(lv1, x)\n"
                  "        gv: R.Tensor((4,), dtype=\"float32\") = R.nn.relu(lv2)\n"
                  "        return gv\n"));
    const auto runs = [&](const std::vector<double>& numbers) {
      const Result<Ref<HostTensor>> x = HostTensor::fromDoubles({4}, DataType::Float(32), numbers);
      return x && writeNpz(path("x.npz").toStdString(), {{"x", *x}}).ok() &&
             bench.does("debug.start", {"main", "inputs=" + path("x.npz"), "stop=none"}) && bench.debug.result();
    };
    QVERIFY(bench.does("file.open", {path("root.py")}));
    QVERIFY(runs({1, -2, -3, -4}));
    const RunResult* result = bench.debug.result();
    QCOMPARE(result->values.front().value.nan, 0);
    QVERIFY(result->bad);
    QCOMPARE(result->bad->variable, QString("lv1"));
    QCOMPARE(result->bad->calls, 2);
    QVERIFY(doubtful(*result));
    QVERIFY2(bench.window.statusText().contains("NaN or Inf in 2 calls, first in lv1"),
             qPrintable(bench.window.statusText()));
    QVERIFY(bench.does("view.card"));
    QStringList facts;
    for (const QLabel* label : bench.card->findChildren<QLabel*>()) facts << label->text();
    QVERIFY2(facts.contains("none in the result") && facts.contains("NaN or Inf in 2 calls, first in lv1"),
             qPrintable(facts.join('\n')));
    QVERIFY(bench.way("Go to lv1"));
    bench.way("Go to lv1")->click();
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().variable, QString("lv1"));
    QVERIFY(runs({-1, -2, -3, -4}));
    QVERIFY(!bench.debug.result()->bad);
    QVERIFY(bench.does("view.card"));
    QVERIFY(!bench.way("Go to lv1"));
    QVERIFY(!bench.card->text().contains("NaN"));
  }

  /// In a small window the card is as wide as what it says.
  void aResultInASmallWindow() {
    Bench bench;
    bench.window.resize(1024, 700);
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QVERIFY(bench.does("view.card"));
    QVERIFY(bench.shown());
    for (const QPushButton* way : bench.card->findChildren<QPushButton*>())
      QVERIFY2(way->width() >= way->sizeHint().width(), qPrintable(way->text()));
  }

  void aTupleOfResults() {
    Bench bench;
    QVERIFY(bench.open("dynamic"));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QVERIFY(bench.debug.result() && bench.debug.result()->values.size() == 2);
    QVERIFY(bench.debug.result()->comparison && bench.debug.result()->comparison->equal);
    QVERIFY(bench.debug.result()->likely.empty());
  }

  /// Where nothing says what should come out, nothing is claimed.
  void aResultWithoutAnExpectation() {
    Bench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "stop=none"}));
    QVERIFY(bench.debug.result() && !bench.debug.result()->comparison);
    QVERIFY(bench.brief()->isVisible() && !bench.window.cardText().contains("expected"));
  }

  void aResultThatDiffers() {
    Bench bench;
    QDir(folder_.path()).mkdir("wrong");
    for (const char* name : {"module.py", "inputs.npz", "params.npz"})
      QVERIFY(write(path(QString("wrong/") + name), contentOf(kSamples + "mlp/" + name)));
    auto arrays = readNpz((kSamples + "mlp/expected.npz").toStdString());
    QVERIFY(arrays.ok());
    auto changed = (*arrays)[0].second->copy();  // what is read is mapped
    QVERIFY(changed.ok());
    (*changed)->set(3, 0.5);
    (*arrays)[0].second = *changed;
    QVERIFY(writeNpz(path("wrong/expected.npz").toStdString(), *arrays).ok());
    QVERIFY(bench.does("file.open", {path("wrong")}));
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QVERIFY(bench.debug.result() && bench.debug.result()->comparison);
    QVERIFY(!bench.debug.result()->comparison->equal);
    QCOMPARE(bench.debug.result()->comparison->at, QString("[0, 3]"));
    QVERIFY(bench.window.cardText().contains("which differs from expected.npz"));
    QVERIFY(bench.brief()->accessibleName().contains("differs"));
  }

  /// A refused file stands at its first error, every error is listed, and its fix is a button.
  void aFileThatIsRefused() {
    Bench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(write(path("bad.py"),
                  "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((4,), \"float32\")):\n"
                  "        a = R.add(x, y)\n        b = R.add(a, z)\n        return b\n"));
    QVERIFY(bench.does("file.open", {path("bad.py")}));
    QCoreApplication::processEvents();
    QVERIFY(bench.shown());
    QVERIFY2(bench.card->text().contains("bad.py does not open"), qPrintable(bench.card->text()));
    QVERIFY(bench.card->text().contains("line 5"));
    QVERIFY(!bench.covers("source"));
    QVERIFY(bench.way("Go to line 5"));
    int errors = 0;
    for (const ProblemRow& row : bench.document.problems()) errors += row.severity == Severity::Error;
    QVERIFY(errors >= 1);
    const auto* strip = bench.window.findChild<StatusStrip*>();
    QVERIFY2(strip && strip->text().startsWith("bad.py does not open"), qPrintable(bench.window.statusText()));
    QVERIFY(bench.does("file.open", {kSamples + "mlp"}));
    QVERIFY2(strip->text().startsWith("Ready"), qPrintable(strip->text()));
    QVERIFY(!bench.card->isVisible());
    QVERIFY(!bench.window.enabled("view.card"));
  }

  /// A card that takes the place of another is as large as what it says.
  void aCardAfterAnother() {
    Bench bench;
    QVERIFY(bench.open("mlp"));
    bench.window.run("debug.start", {"main", "inputs=" + path("none.npz")});
    QTRY_VERIFY(bench.card->text().contains("could not start"));
    QVERIFY(bench.shown());
    QVERIFY(write(path("worse.py"), "@I.ir_module\nclass Module:\n    @R.function\n    def main(:\n"));
    QVERIFY(bench.does("file.open", {path("worse.py")}));
    QTRY_VERIFY(bench.card->text().contains("worse.py does not open"));
    QVERIFY(bench.shown());
    for (const QPushButton* way : bench.card->findChildren<QPushButton*>())
      QVERIFY2(bench.card->rect().contains(QRect(way->mapTo(bench.card, QPoint()), way->size())),
               qPrintable(way->text()));
  }

  void cancelLeavesNothing() {
    Bench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.window.run("pass.last"));
    QVERIFY(bench.window.run("pass.cancel"));
    QVERIFY(bench.settle());
    const int stage = bench.selection.place().stage;
    QVERIFY(bench.document.stage(stage, false));
    for (QLabel* label : bench.window.panel("ir")->findChildren<QLabel*>())
      QVERIFY2(!label->isVisible() || !label->text().contains("being made"), qPrintable(label->text()));
    QVERIFY(bench.does("pass.last"));
    QVERIFY(bench.selection.place().stage > stage);
  }

  /// What `rxs` does for the window ends by the same command, from the status bar too, and leaves nothing behind: no
  /// files, no error, and the next one can start.
  void cancelEndsExportsAndProfiles() {
    Bench bench;
    QVERIFY(bench.open("decoder"));
    QVERIFY(!bench.window.enabled("pass.cancel"));
    QTemporaryDir folder;
    const QString target = folder.filePath("package");
    using Words = QStringList;
    for (const Words& work : {Words{"export.package", target}, Words{"profile.run"}}) {
      QVERIFY(bench.window.run(work[0], work.mid(1)));
      QVERIFY(bench.window.enabled("pass.cancel"));
      QToolButton* cancel = nullptr;
      for (QToolButton* button : bench.window.findChild<StatusStrip*>()->findChildren<QToolButton*>())
        if (button->isVisible() && button->text() == "Cancel") cancel = button;
      QVERIFY(cancel);
      cancel->click();
      QVERIFY(bench.settle());
      QVERIFY2(bench.window.statusText().contains("cancelled"), qPrintable(bench.window.statusText()));
      QVERIFY(!cancel->isVisible() && !bench.window.enabled("pass.cancel") && !bench.card->isVisible());
      for (const LogLine& line : bench.debug.log()) QVERIFY2(line.kind != LogLine::Kind::Error, qPrintable(line.text));
    }
    QVERIFY(!QFileInfo::exists(target));
    QVERIFY(bench.does("export.package", {target}));
    QVERIFY(QFileInfo::exists(target + "/manifest.json"));
  }

  void aDialogReturnsTheFocus() {
    Bench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(QTest::qWaitForWindowActive(&bench.window));
    QVERIFY(bench.does("view.panel", {"passes"}));
    const QWidget* before = QApplication::focusWidget();
    QVERIFY(before);
    QVERIFY(bench.window.run("debug.start"));
    auto* dialog = bench.window.findChild<QDialog*>();
    QVERIFY(dialog && QTest::qWaitForWindowActive(dialog));
    dialog->close();
    QVERIFY(QTest::qWaitFor([&] { return QApplication::focusWidget() == before; }, 2000));
  }

  /// While it runs: what, where, how far; the timeline grows, and it can be paused.
  void whatRuns() {
    Bench bench;
    QByteArray text =
        "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((320, 320), \"float32\")):\n";
    QByteArray last = "x";
    for (int i = 0; i < 8; ++i) {
      const QByteArray name = "big" + QByteArray::number(i);
      text += "        " + name + " = R.matmul(" + last + ", x)\n";
      last = name;
    }
    QVERIFY(write(path("slow.py"), text + "        return " + last + "\n"));
    QVERIFY(bench.does("file.open", {path("slow.py")}));
    QSignalSpy grown(&bench.debug, &DebugSession::traceChanged);
    QVERIFY(bench.window.run("debug.start", {"main", "seed=1", "stop=none"}));
    QVERIFY(QTest::qWaitFor([&] { return bench.debug.progress().variable.startsWith("big"); }, kPatience));
    QCOMPARE(bench.debug.state(), RunState::Running);
    QVERIFY2(bench.window.statusText().contains("Running matmul"), qPrintable(bench.window.statusText()));
    QVERIFY(bench.window.enabled("debug.pause"));
    QVERIFY(QTest::qWaitFor([&] { return bench.debug.recorded() > 0; }, kPatience));
    QCOMPARE(bench.debug.state(), RunState::Running);
    QVERIFY(!grown.isEmpty());
    QVERIFY(bench.window.run("debug.pause"));
    QVERIFY(bench.settle());
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY(!bench.window.enabled("debug.pause"));
    QVERIFY(bench.does("debug.stop"));
  }

 private:
  QString path(const QString& name) const { return folder_.filePath(name); }
  QTemporaryDir folder_;
};

QTEST_MAIN(LiveFailureTest)
#include "tst_live_failure.moc"
