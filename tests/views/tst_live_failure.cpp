// Failure is loud: cards of runs that can not start, that stop with an error, whose engine dies, and of files that are
// refused; each from the real engine, with its words in the problem list and the status bar, its ways on, Esc and F8.
#include <sys/resource.h>

#include <QAbstractButton>
#include <QApplication>
#include <QClipboard>
#include <QCoreApplication>
#include <QScrollBar>
#include <QTemporaryDir>
#include <csignal>

#include "card_bench.h"
#include "core/tensor/npy.h"
#include "views/models/run_outcome.h"
#include "views/shell/status_strip.h"
#include "views/text/text_view.h"

using namespace rx;
using namespace rx::views;

class LiveFailureTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    useBuiltProgram();
    QVERIFY(folder_.isValid());
  }

  void inputsThatDoNotFit() {
    CardBench bench;
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
    // The tree marks the function, and the Inspector explains the symbol.
    const QStringList tree = bench.window.dump("module").split('\n');
    QCOMPARE(tree.filter("error: y, axis 0: n is 3").size(), 1);
    QVERIFY2(tree.filter("error: ").front().startsWith("main"), qPrintable(tree.join('\n')));
    const QString said = bench.window.dump("inspector");
    for (const char* row : {"Symbol n\n", "bound by: x, axis 0 n = 3\n", "checked at: y, axis 0 5\n",
                            "derived: n * 4 = 12\n", "run: no kernel has run\n", "try: inputs made for n = 3 n = 5\n"})
      QVERIFY2(said.contains(row), qPrintable(said));
    QVERIFY(bench.does("debug.start", {"main", "seed=0", "n=3"}));
    QVERIFY(!bench.window.dump("module").contains("error: "));
    QVERIFY(!bench.window.dump("inspector").contains("Symbol n"));
  }

  /// Of a size that is computed, whoever gave its symbols their values is named.
  void aComputedSizeThatDoesNotFit() {
    const QString file = folder_.filePath("sum_of_sizes.py");
    QVERIFY(write(file,
                  "@I.ir_module\nclass Module:\n    @R.function\n"
                  "    def main(x: R.Tensor((\"n\", 4), \"float32\"), y: R.Tensor((\"m\", 4), \"float32\"),\n"
                  "             z: R.Tensor((\"m + n\", 4), \"float32\")):\n"
                  "        n = T.int64()\n        m = T.int64()\n"
                  "        joined = R.concat((x, y), axis=0)\n        sum = R.add(joined, z)\n        return sum\n"));
    const QString given = folder_.filePath("sum_of_sizes.npz");
    std::vector<NamedTensor> arrays;
    for (const auto& [name, rows] : {std::pair{"x", 3}, std::pair{"y", 5}, std::pair{"z", 9}}) {
      const auto ones = HostTensor::fromDoubles({rows, 4}, DataType::Float(32), std::vector<double>(rows * 4u, 1.0));
      QVERIFY(ones);
      arrays.push_back({name, *ones});
    }
    QVERIFY(writeNpz(given.toStdString(), arrays));
    CardBench bench;
    QVERIFY(bench.does("file.open", {file}));
    QVERIFY(bench.does("debug.start", {"main", "inputs=" + given}));
    QVERIFY(bench.debug.failure() && bench.shown());
    const QString says = "Axis 0 of z is 9, but m + n is 8: x, axis 0 gives n = 3; y, axis 0 gives m = 5.";
    QVERIFY2(bench.card->text().contains(says), qPrintable(bench.card->text()));
    QCOMPARE(failureRows(*bench.debug.failure(), 2).size(), size_t{2});
  }

  /// What the table of parameters says is not said above it again, and the file that gives them is named once.
  void theTableSaysIt() {
    CardBench bench;
    QVERIFY(bench.open("dynamic"));
    bench.does("debug.start", {"main", "inputs=" + kSamples + "mlp/inputs.npz"});
    QVERIFY(bench.debug.failure() && bench.debug.failure()->more.size() > 1 && bench.shown());
    QStringList said;
    for (const QLabel* label : bench.card->findChildren<QLabel*>())
      if (!label->isHidden()) said << label->text();
    QVERIFY2(said.filter("no value is given").isEmpty(), qPrintable(said.join('|')));
    QCOMPARE(said.filter("nothing gives it").size(), 2);
    QCOMPARE(said.filter("inputs.npz").size(), 1);
  }

  void escapeAndBack() {
    CardBench bench;
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
    CardBench bench;
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
    CardBench bench;
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
    CardBench bench;
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
    // The binding is marked, and what it stands under, which may be folded.
    const QStringList tree = bench.window.dump("module").split('\n').filter("error: ");
    QCOMPARE(tree.size(), 3);
    QVERIFY2(tree[0].startsWith("main") && tree[1].trimmed().startsWith("block 1") && tree[2].contains("z_1"),
             qPrintable(tree.join('\n')));
    const QString said = bench.window.dump("inspector");
    QVERIFY2(said.contains("Symbol n\n") && said.contains("checked at: z, axis 1 4"), qPrintable(said));
    QVERIFY2(!said.contains("inputs made for"), qPrintable(said));
    // It can be looked back over, and the card is away while that is done.
    QVERIFY(bench.does("debug.stepBack"));
    QVERIFY(!bench.card->isVisible());
    QVERIFY(bench.does("view.card"));
    QVERIFY(bench.shown());
  }

  /// The text of a refused file is scrolled to what is wrong in the line, not to the line alone.
  void theErrorIsInSight() {
    CardBench bench;
    QByteArray text = contentOf(kSamples + "attention/module.py");
    text.replace("R.matmul(q_t, k_t", "R.matmul(q_t, nothing");
    QTemporaryDir folder;
    const QString path = folder.filePath("refused.py");
    QVERIFY(write(path, text));
    QVERIFY(!bench.window.run("file.open", {path}) || bench.settle());
    QTRY_VERIFY(bench.document.state() == Document::State::Failed);
    QVERIFY(bench.settle());
    const auto* view = bench.window.panel("source")->findChild<TextView*>();
    QCOMPARE(view->decorations().squiggles.size(), size_t(1));
    const Squiggle& wrong = view->decorations().squiggles.front();
    QCOMPARE(view->buffer()->lineOf(wrong.begin), view->caretLine());
    const double letter = QFontMetricsF(view->viewport()->font()).horizontalAdvance('0');
    const double at = (wrong.begin - view->buffer()->lineStart(view->caretLine())) * letter + view->textLeft() -
                      view->horizontalScrollBar()->value();
    QVERIFY2(at >= view->textLeft() && at < view->viewport()->width(), qPrintable(QString::number(at)));
  }

  /// Wherever the middle of its place is, the whole card is in the window.
  void theCardIsWholeInASmallWindow() {
    for (const char* layout : {"Read", "Debug", "Profile"}) {
      CardBench bench;
      bench.window.resize(1024, 700);
      QVERIFY(bench.open("attention_fp16") && bench.does("view.layout", {layout}));
      bench.window.run("debug.start", {"main", "inputs=" + kSamples + "mlp/inputs.npz"});
      QVERIFY(bench.settle() && bench.does("view.layout", {layout}));
      QVERIFY2(bench.shown(), layout);
    }
  }

  void whatHasNoValue() {
    CardBench bench;
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
    CardBench bench;
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

  /// A function that nobody gives has a place for each of its calls, and what no kernel is made for the binding.
  void whoCallsWhatIsNotThere() {
    QTemporaryDir folder;
    const QString file = folder.filePath("module.py");
    QVERIFY(write(file, R"(
@I.ir_module
class Module:
    @R.function
    def side(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        a = R.call_dps_packed("my.own", (x,), out_sinfo=R.Tensor((4,), "float32"))
        return a

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        a = R.exp(x)
        b = R.call_dps_packed("my.own", (a,), out_sinfo=R.Tensor((4,), "float32"))
        c = cls.side(b)
        return c
)"));
    CardBench bench;
    QVERIFY(bench.does("file.open", {file}) && bench.does("select.function", {"main"}));
    QVERIFY(bench.does("debug.start", {"main", "seed=1"}));
    const RunFailure* failure = bench.debug.failure();
    QVERIFY(failure && failure->rule == "vm.missing-function");
    QCOMPARE(failure->variable, QString("a"));
    QCOMPARE(failure->more, QStringList{"called here too: main, binding b"});
    std::vector<ProblemRow> rows = bench.document.problems();
    std::erase_if(rows, [](const ProblemRow& row) { return row.source != "run"; });
    QCOMPARE(rows.size(), size_t{2});
    const StageIndexPtr stage = bench.document.stage(0);
    for (size_t i = 0; i < rows.size(); ++i) {
      const ProblemPlace place = problemPlace(rows[i], stage.get());
      const BindingRow* called = stage->function(i ? "main" : "side")->bindingNamed(i ? "b" : "a");
      QCOMPARE(place.line, called->line);
      QCOMPARE(rows[i].line, called->line);
    }
    QVERIFY(bench.way("All 2 places"));
    // The other place is a link.
    QVERIFY(bench.way("b of main"));
    bench.way("b of main")->click();
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().function, QString("main"));
    QCOMPARE(bench.selection.place().variable, QString("b"));
    QVERIFY(bench.does("view.card"));
    // The binding of that function, not the one of the same name in the function that is selected.
    QVERIFY(bench.way("Go to a"));
    bench.way("Go to a")->click();
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().function, QString("side"));
  }

  /// What a pass and the run both tell of is listed once, with its place in the file.
  void aFaultIsListedOnce() {
    CardBench bench;
    QVERIFY(bench.open("mlp"));
    ProblemRow row;
    row.rule = "vm.codegen";
    row.message = "not available";
    row.context = "main, binding lv";
    ProblemRow placed = row;
    row.source = "run";
    placed.source = "pass LegalizeOps";
    placed.file = "module.py";
    placed.line = 9;
    for (const bool runFirst : {true, false}) {
      bench.document.setProblems(runFirst ? row.source : placed.source, {runFirst ? row : placed});
      bench.document.setProblems(runFirst ? placed.source : row.source, {runFirst ? placed : row});
      QCOMPARE(bench.document.problems().size(), size_t{1});
      QCOMPARE(bench.document.problems().front().line, 9);
      bench.document.setProblems(row.source, {});
      QCOMPARE(bench.document.problems().size(), size_t{1});  // the pass still says it
      bench.document.setProblems(placed.source, {});
      QVERIFY(bench.document.problems().empty());
    }
    // Of two stages each has its own, and what the others do not tell of stays.
    ProblemRow later = placed;
    later.source = "pass FuseOps";
    bench.document.setProblems(later.source, {later});
    bench.document.setProblems(placed.source, {placed});
    QCOMPARE(bench.document.problems().size(), size_t{2});
    bench.document.setProblems(later.source, {});
    bench.document.setProblems(placed.source, {placed});
    row.context = "main, binding gv";
    bench.document.setProblems(row.source, {row});
    QCOMPARE(bench.document.problems().size(), size_t{2});
  }

  void aConstantThatIsNotThere() {
    QTemporaryDir folder;
    const QString file = folder.filePath("module.py");
    QVERIFY(write(file, R"(
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        a = R.exp(x)
        k = R.add(metadata["relax.expr.Constant"][0], R.const(1, "float32"))
        b = R.add(a, a)
        return b
)"));
    CardBench bench;
    QVERIFY(bench.does("file.open", {file}));
    QVERIFY(bench.does("debug.start", {"main", "seed=1"}));
    const RunFailure* failure = bench.debug.failure();
    QVERIFY(failure && failure->rule == "script.missing-constants");
    QCOMPARE(failure->variable, QString("k"));
    QCOMPARE(failure->line, bench.document.stage(0)->function("main")->bindingNamed("k")->line);
  }

  /// Where the arguments fit and something else is in the way, nobody is sent to edit them.
  void aRecordingThatCanNotBeWritten() {
    CardBench bench;
    QVERIFY(bench.open("mlp"));
    rlimit limit{};
    QVERIFY(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    const auto signalled = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{64 << 10, limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    bench.does("debug.start", {"main", "stop=none"});
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, signalled);
    const RunFailure* failure = bench.debug.failure();
    QVERIFY(failure && failure->when == RunFailure::When::Start);
    QVERIFY2(failure->message.contains("can not be written"), qPrintable(failure->message));
    QStringList ways;
    for (const QAbstractButton* button : bench.card->findChildren<QAbstractButton*>())
      if (!button->isHidden()) ways << button->text();
    QVERIFY2(ways.filter("nputs").isEmpty() && ways.contains("Try again"), qPrintable(ways.join('|')));
  }

  void aFunctionThatIsNotThere() {
    CardBench bench;
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
    CardBench bench;
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
    CardBench bench;
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
    CardBench bench;
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

  /// A refused file stands at its first error, every error is listed, and its fix is a button.
  void aFileThatIsRefused() {
    CardBench bench;
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

  /// What a generated value takes is said once, in a unit; that nothing is given for it is no second problem.
  void whatIsTooLargeToGenerate() {
    CardBench bench;
    QVERIFY(write(path("huge.py"),
                  "@I.ir_module\nclass Module:\n    @R.function\n"
                  "    def main(x: R.Tensor((10000000, 1000000), \"float32\")):\n"
                  "        y = R.add(x, x)\n        return y\n"));
    QVERIFY(bench.does("file.open", {path("huge.py")}));
    bench.window.run("debug.start", {"main", "seed=1"});
    QTRY_VERIFY(bench.card->text().contains("to generate x of (10000000, 1000000) takes 40 TB"));
    QVERIFY2(!bench.card->text().contains("no value is given"), qPrintable(bench.card->text()));
    QCOMPARE(bench.document.problems().size(), size_t{1});
  }

  /// A call that a pass makes wrong is told at the binding that it comes from.
  void aPassThatIsRefused() {
    CardBench bench;
    QVERIFY(write(path("rank.py"),
                  "@I.ir_module\nclass Module:\n    @T.prim_func\n"
                  "    def twice(a: T.Buffer((4, 8), \"float32\"), b: T.Buffer((4, 8), \"float32\")):\n"
                  "        for i, j in T.grid(4, 8):\n            with T.block(\"twice\"):\n"
                  "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
                  "                b[vi, vj] = a[vi, vj] + a[vi, vj]\n"
                  "    @R.function\n    def main(x: R.Tensor((32,), \"float32\")):\n"
                  "        z = R.add(x, x)\n"
                  "        y = R.call_tir(Module.twice, (z,), out_sinfo=R.Tensor((4, 8), \"float32\"))\n"
                  "        return y\n"));
    QVERIFY(bench.does("file.open", {path("rank.py")}));
    bench.window.run("debug.start", {"main", "seed=1"});
    QTRY_VERIFY(bench.debug.failure());
    QCOMPARE(bench.debug.failure()->function, QString("main"));
    QCOMPARE(bench.debug.failure()->variable, QString("y"));
  }

  /// A card that takes the place of another is as large as what it says.
  void aCardAfterAnother() {
    CardBench bench;
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

  /// What a failure raises goes with it: the panels that were in front of it before come back, unless somebody has gone
  /// to the list meanwhile.
  void whatAFailureRaises() {
    CardBench bench;
    const auto front = [&](const QString& id) {
      const QWidget* panel = bench.window.panel(id);
      const QWidget* seen = bench.window.childAt(panel->mapTo(&bench.window, QPoint(panel->width() / 2, 12)));
      return seen == panel || panel->isAncestorOf(seen);
    };
    QVERIFY(write(path("half.py"), "@I.ir_module\nclass Module:\n    @R.function\n    def main(:\n"));
    QVERIFY(bench.does("file.open", {path("half.py")}));
    QTRY_VERIFY(front("problems") && front("source"));
    QVERIFY(bench.does("file.open", {kSamples + "mlp"}));
    QTRY_VERIFY(front("ir") && front("inspector"));
    QVERIFY(!front("problems") && !front("source"));
    QVERIFY(bench.does("view.layout", {"Debug"}) && bench.does("view.panel", {"bytecode"}));
    bench.window.run("debug.start", {"main", "inputs=" + path("none.npz")});
    QTRY_VERIFY(front("problems"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QTRY_VERIFY(front("bytecode") && !front("problems"));
    QVERIFY(bench.does("debug.stop"));
    bench.window.run("debug.start", {"main", "inputs=" + path("none.npz")});
    QTRY_VERIFY(front("problems"));
    QVERIFY(bench.does("view.panel", {"problems"}));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(front("problems"));
  }

 private:
  QString path(const QString& name) const { return folder_.filePath(name); }
  QTemporaryDir folder_;
};

QTEST_MAIN(LiveFailureTest)
#include "tst_live_failure.moc"
