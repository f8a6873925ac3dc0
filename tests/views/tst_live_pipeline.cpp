// The pipeline editor in the real window: rows, options, undo, and what stays of a run when the pipeline changes.
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>

#include "live_bench.h"
#include "views/models/list_models.h"
#include "views/models/module_tree_model.h"
#include "views/models/numbers.h"
#include "views/panels/list_view.h"
#include "views/panels/pipeline/pipeline_model.h"
#include "views/panels/pipeline/pipeline_panel.h"
#include "views/text/text_view.h"

using namespace rx;
using namespace rx::views;

class LivePipelineTest : public QObject {
  Q_OBJECT

  static QStringList names(const LiveBench& bench) {
    QStringList names;
    for (const PipelineRow& row : pipelineRows(bench.document.pipeline())) names << (row.on ? "" : "-") + row.name();
    return names;
  }
  static PipelinePanel* panel(LiveBench& bench) { return static_cast<PipelinePanel*>(bench.window.panel("pipeline")); }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// Names of passes come before their options and changes; no button of the bar is cut off.
  void namesAreReadable() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("pass.last") && bench.does("view.layout", {"Debug"}));
    QVERIFY(bench.does("view.panel", {"pipeline"}));
    Panel* panel = bench.window.panel("pipeline");
    const auto* view = panel->findChild<ListView*>();
    QVERIFY(view && view->viewport()->width() < 600);
    int name = 0;
    while (name < view->model()->columnCount() && view->model()->headerData(name, Qt::Horizontal).toString() != "pass")
      ++name;
    QVERIFY2(view->columnWidth(name) >= view->fontMetrics().horizontalAdvance("StaticPlanBlockMemory"),
             qPrintable(QString::number(view->columnWidth(name))));
    // Numbers give up nothing for them.
    for (int row = 0; row < view->model()->rowCount(); ++row) {
      const QModelIndex time = view->model()->index(row, view->model()->columnCount() - 1);
      QVERIFY(time.data(Qt::TextAlignmentRole).value<Qt::Alignment>().testFlag(Qt::AlignRight));
      QVERIFY2(view->columnWidth(time.column()) >= view->fontMetrics().horizontalAdvance(time.data().toString()),
               qPrintable(time.data().toString()));
    }
    for (const QToolButton* button : panel->findChildren<QToolButton*>()) {
      if (!button->isVisible()) continue;
      QVERIFY2(button->width() >= button->sizeHint().width(), qPrintable(button->text()));
      QVERIFY2(panel->rect().contains(QRect(button->mapTo(panel, QPoint()), button->size())),
               qPrintable(button->text()));
    }
  }

  /// What each stage plans for its values, from where memory is planned on; reuse makes it less.
  void plannedMemoryIsAColumn() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("pass.last") && bench.does("view.panel", {"pipeline"}));
    QVERIFY(!bench.document.steps()[7].planned);
    QVERIFY(bench.open("mlp") && bench.does("pass.last"));
    const auto asked = bench.document.steps()[8].planned, held = bench.document.steps()[9].planned;
    QVERIFY(asked && held && *held > 0 && *held < *asked);
    const auto* model = panel(bench)->findChild<ListView*>()->model();
    QCOMPARE(model->index(8, PipelineModel::kBytes).data().toString(), bytesText(*held));
    QVERIFY(model->index(3, PipelineModel::kBytes).data().toString().isEmpty());
    // What is to be run again is not known any more.
    QVERIFY(bench.does("pipeline.remove", {"0"}));
    QVERIFY(!bench.document.steps()[9].planned);
  }

  void textAndRows() {
    const PipelineRows rows = pipelineRows("Normalize(),\n# off: FuseOps(fuse_opt_level=1)\nzero");
    QCOMPARE(rows.size(), size_t(7));
    QVERIFY(rows[0].on && !rows[1].on && rows[2].on);
    QCOMPARE(rows[1].options(), "fuse_opt_level=1");
    const QString text = pipelineText(rows);
    QVERIFY2(text.startsWith("Normalize(),\n# off: FuseOps(fuse_opt_level=1)\nLegalizeOps(),\n"), qPrintable(text));
    QCOMPARE(pipelineText(pipelineRows(text)), text);
    QVERIFY(pipelineRows("NoSuchPass()").empty());
    QVERIFY(pipelineRows("# off: NoSuchPass()\nNormalize()").empty());
  }
  void optionsOfRows() {
    const PipelineRow row = pipelineRows("FuseOps()")[0];
    const Result<PipelineRow> made = withOption(row, "fuse_opt_level", "1");
    QVERIFY(made);
    QCOMPARE(made->options(), "fuse_opt_level=1");
    const Result<PipelineRow> cleared = withOption(*made, "fuse_opt_level", "");
    QCOMPARE(cleared->options(), "");
    QVERIFY(!withOption(row, "fuse_opt_level", "\"one\""));
    QVERIFY(!withOption(row, "fuse_opt_level", "1 2"));
    QVERIFY(!withOption(row, "no_such_option", "1"));
    const Result<PipelineRow> text = withOption(pipelineRows("ToMixedPrecision()")[0], "out_dtype", "float16");
    QVERIFY(text);
    QCOMPARE(text->options(), "out_dtype=\"float16\"");
    QCOMPARE(optionValue(*text, text->call.row->options[0]), "float16");
  }

  /// For a device each kernel says before any code is made whether it can run there, in tree, Inspector and text, and
  /// the fix is one click. For this machine nothing is said, and a target that is none is refused.
  void badgesForADevice() {
    LiveBench bench;
    QTemporaryDir folder;
    const QString file = folder.filePath("power.py");
    QVERIFY(write(file,
                  "@R.function\ndef main(x: R.Tensor((1024,), \"float32\")):\n"
                  "    with R.dataflow():\n        gv = R.power(x, R.const(2.0, \"float32\"))\n"
                  "        R.output(gv)\n    return gv\n"));
    QVERIFY(bench.does("file.open", {file}));
    QVERIFY(bench.does("pass.goTo", {"LegalizeOps"}));
    const auto kernel = [&] { return bench.document.stage(bench.selection.place().stage, false)->function("power"); };
    QVERIFY(kernel() && !kernel()->badge);
    QVERIFY(!bench.window.enabled("pass.schedule"));
    QVERIFY(!bench.window.run("pass.target", {"no-such-kind"}));
    QVERIFY2(bench.window.lastError().contains("no-such-kind"), qPrintable(bench.window.lastError()));
    QVERIFY(bench.does("pass.target", {"cuda"}));
    QVERIFY(kernel() && kernel()->badge);
    QCOMPARE(kernel()->badge->name, QString("unscheduled"));
    QCOMPARE(kernel()->badge->reasons.size(), size_t{1});
    const int line = kernel()->firstLine + kernel()->badge->reasons[0].line;
    const QStringList lines = QString::fromUtf8(bench.document.stage(bench.selection.place().stage)->text).split('\n');
    QVERIFY2(lines[line - 1].trimmed().startsWith("for "), qPrintable(lines[line - 1]));
    QVERIFY(bench.does("select.function", {"power"}));
    const auto chip = [&] {
      const QAbstractItemModel* tree = bench.window.panel("module")->findChild<QTreeView*>()->model();
      const QModelIndexList found = tree->match(tree->index(0, 0), Qt::DisplayRole, "power");
      return found.isEmpty() ? QString() : found[0].data(ModuleTreeModel::kChipRole).toString();
    };
    QVERIFY2(chip().contains("unscheduled"), qPrintable(chip()));
    const QString inspected = bench.window.dump("inspector");
    QVERIFY2(inspected.contains("On cuda") && inspected.contains("runs on no thread of a device"),
             qPrintable(inspected));
    const auto* text = bench.window.panel("ir")->findChild<TextView*>();
    const auto& marks = text->decorations().squiggles;
    QVERIFY(std::any_of(marks.begin(), marks.end(), [&](const Squiggle& mark) {
      return mark.tip.contains("apply the default schedule here") &&
             text->buffer()->lineOf(mark.begin) == static_cast<uint32_t>(line - 1);
    }));
    QVERIFY(bench.window.panel("inspector")->command("follow", {"run:pass.schedule"}));
    QVERIFY(bench.settle());
    QVERIFY(bench.document.pipeline().contains("DefaultGPUSchedule"));
    QVERIFY(kernel() && kernel()->badge);
    QVERIFY2(kernel()->badge->ready, qPrintable(kernel()->badge->name));
    QVERIFY(!bench.window.enabled("pass.schedule"));
    bench.window.dump("module");
    QVERIFY2(chip().contains("verified"), qPrintable(chip()));
    QVERIFY2(bench.document.commandLine(5).contains("--target cuda"), qPrintable(bench.document.commandLine(5)));
    QVERIFY(bench.does("pass.target", {"host"}));
    QVERIFY(kernel() && !kernel()->badge);
  }

  /// What a pass left and what would let it go on stands under it; one click does that, and one undo takes it back.
  void waysForward() {
    LiveBench bench;
    QVERIFY(bench.open("simplenet"));
    QVERIFY(bench.does("pass.pipeline", {"FoldBatchnormToConv2D(), FuseOps()"}));
    QVERIFY(bench.does("pass.last") && bench.does("view.panel", {"pipeline"}));
    const auto way = [&](const QString& label) -> QPushButton* {
      for (QPushButton* button : panel(bench)->findChildren<QPushButton*>())
        if (button->text() == label && button->isVisible()) return button;
      return nullptr;
    };
    QVERIFY(panel(bench)->command("select", {"0"}));
    QPushButton* bind = way("Put BindParams(params.npz) before 1");
    QVERIFY2(bind && way("Switch This Pass Off"), qPrintable(bench.window.dump("pipeline")));
    QVERIFY(bench.document.problems().empty());
    bind->click();
    QTest::qWait(0);
    QVERIFY(bench.settle());
    QCOMPARE(names(bench), QStringList({"BindParams", "FoldBatchnormToConv2D", "FuseOps"}));
    QCOMPARE(bench.selection.place().stage, 2);
    QVERIFY(!bench.document.steps()[2].changed.empty());
    QVERIFY2(!bench.window.dump("pipeline").contains("[Put"), qPrintable(bench.window.dump("pipeline")));
    QVERIFY(bench.does("pipeline.undo") && bench.does("pass.last"));
    QCOMPARE(names(bench).size(), 2);
    // Operators without kernels are not fused: the passes that give them kernels and patterns are named.
    QVERIFY(bench.does("pass.forward", {"2"}));
    QCOMPARE(names(bench), QStringList({"FoldBatchnormToConv2D", "LegalizeOps", "AnnotateTIROpPattern", "FuseOps"}));
    QVERIFY(!bench.document.steps()[4].changed.empty());
    QVERIFY(!bench.window.run("pass.forward", {"1", "7"}));
    QVERIFY(!bench.window.run("pass.forward", {"0"}));
  }

  /// What the passes run under as fields: a key that is none stays in sight with those near it, and no pass runs.
  void contextAsFields() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.goTo", {"3"}) && bench.does("view.panel", {"context"}));
    Panel* context = bench.window.panel("context");
    QVERIFY2(bench.window.dump("context").startsWith("opt_level 2"), qPrintable(bench.window.dump("context")));
    const QString before = bench.document.pipeline();
    QVERIFY(context->command("add", {"relax.FuseOps.max_depth=64"}) && bench.settle());
    QVERIFY2(bench.window.dump("context").contains("relax.FuseOps.max_depth = 64"),
             qPrintable(bench.window.dump("context")));
    // The same stage as before, one further on: it and those in front of it ran again.
    QCOMPARE(bench.selection.place().stage, 4);
    QVERIFY2(bench.document.commandLine(4).contains("PassContext(config="), qPrintable(bench.document.commandLine(4)));
    auto* field = context->findChild<QLineEdit*>("relax.FuseOps.max_depth");
    QVERIFY(field);
    field->setText("32");
    QTest::keyClick(field, Qt::Key_Return);
    QTest::qWait(0);
    QVERIFY(bench.settle());
    QVERIFY(bench.document.pipeline().contains(": 32"));
    QVERIFY(context->command("add", {"relax.fuse_depth=8"}) && bench.settle());
    const QString wrong = bench.window.dump("context");
    for (const char* part :
         {"unknown: relax.fuse_depth = 8", "has no key", "relax.FuseOps.max_depth", "until this is right"})
      QVERIFY2(wrong.contains(part), qPrintable(wrong));
    QVERIFY(bench.window.run("pass.last"));
    QVERIFY(QTest::qWaitFor([&] { return bench.document.steps()[1].state == StepState::Failed; }, kPatience));
    QCOMPARE(bench.document.lastStage(), 0);
    QVERIFY(context->command("follow", {"relax.fuse_depth", "relax.FuseOps.max_depth"}) && bench.settle());
    QVERIFY2(bench.window.dump("context").contains("relax.FuseOps.max_depth = 8") &&
                 !bench.window.dump("context").contains("unknown"),
             qPrintable(bench.window.dump("context")));
    QVERIFY(bench.document.steps()[1].state == StepState::Done);
    QVERIFY(bench.does("pass.config", {"relax.FuseOps.max_depth"}));
    QCOMPARE(bench.document.pipeline(), pipelineText(pipelineRows(before)));
    // Names and the level.
    QVERIFY(bench.does("pass.disabled", {"LambdaLift"}) && bench.does("pass.level", {"0"}));
    QVERIFY2(bench.window.dump("context").contains("disabled LambdaLift"), qPrintable(bench.window.dump("context")));
    QVERIFY(bench.does("pipeline.undo") && bench.does("pipeline.undo"));
    QCOMPARE(bench.document.pipeline(), pipelineText(pipelineRows(before)));
    QVERIFY(bench.does("pass.disabled", {"NoSuchPass"}));
    QVERIFY2(bench.window.dump("context").contains("no pass is named"), qPrintable(bench.window.dump("context")));
  }

  /// What ran before the change stays; a pass that is off is not run and can come back.
  void switchedOff() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.goTo", {"3"}));
    const StageIndexPtr third = bench.document.stage(3, false);
    QVERIFY(third);
    QVERIFY(bench.does("pass.last"));
    const size_t count = bench.document.steps().size();
    QVERIFY(bench.does("pipeline.switch", {"3", "off"}));
    QCOMPARE(bench.document.steps().size(), count - 1);
    QCOMPARE(bench.document.lastStage(), 3);
    QCOMPARE(bench.selection.place().stage, 3);
    QVERIFY(bench.document.stage(3, false) == third);
    QCOMPARE(bench.document.steps()[3].state, StepState::Done);
    QCOMPARE(bench.document.steps()[4].state, StepState::Pending);
    QCOMPARE(names(bench)[3], "-LegalizeOps");
    QVERIFY(bench.does("pass.next"));
    QCOMPARE(bench.document.steps()[4].name, "RewriteDataflowReshape");
    QVERIFY(bench.does("pipeline.undo"));
    QCOMPARE(bench.document.steps()[4].name, "LegalizeOps");
    QCOMPARE(bench.document.steps().size(), count);
    QVERIFY(bench.does("pipeline.redo"));
    QCOMPARE(names(bench)[3], "-LegalizeOps");
    QVERIFY(!bench.window.run("pipeline.redo"));
    QVERIFY(!bench.window.run("pipeline.switch", {"99"}));
  }

  /// A pipeline is of the module that it was edited for, whose functions it may name: it waits there for its return.
  void editedForOneModule() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    const QString usual = bench.document.pipeline();
    QVERIFY(bench.does("pass.pipeline", {"zero(only=\"main\")"}));
    const QString edited = bench.document.pipeline();
    QVERIFY(edited != usual);
    QVERIFY(bench.open("attention"));
    QCOMPARE(bench.document.pipeline(), usual);
    QVERIFY(!bench.window.run("pipeline.undo"));
    QVERIFY(bench.does("pass.last"));
    QVERIFY(bench.open("mlp"));
    QCOMPARE(bench.document.pipeline(), edited);
    QVERIFY(!bench.window.run("pipeline.undo"));
    // Read again, it keeps what is edited now.
    QVERIFY(bench.does("pass.pipeline", {"default"}) && bench.does("file.reload"));
    QCOMPARE(bench.document.pipeline(), usual);
    QVERIFY(bench.does("pipeline.undo"));
    QCOMPARE(bench.document.pipeline(), edited);
  }

  void rowsByHand() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pipeline.preset", {"zero"}));
    QCOMPARE(names(bench), (QStringList{"LegalizeOps", "AnnotateTIROpPattern", "FoldConstant", "FuseOps", "FuseTIR"}));
    QVERIFY(bench.does("view.panel", {"pipeline"}));
    QVERIFY(bench.does("pipeline.add"));
    auto* add = panel(bench)->findChild<QLineEdit*>();
    QVERIFY(panel(bench)->command("select", {"0"}));
    QTest::keyClicks(add, "CanonicalizeBindings()");
    QTest::keyClick(add, Qt::Key_Return);
    QVERIFY(bench.settle());
    QCOMPARE(names(bench)[1], "CanonicalizeBindings");
    QVERIFY(add->text().isEmpty());
    QCOMPARE(panel(bench)->row(), 1);
    QVERIFY(bench.does("pipeline.move", {"1", "0"}));
    QCOMPARE(names(bench)[0], "CanonicalizeBindings");
    auto* list = panel(bench)->findChild<ListView*>();
    QTest::keyClick(list, Qt::Key_Space);
    QCOMPARE(names(bench)[0], "-CanonicalizeBindings");
    const QStringList order = names(bench);
    QTest::keyClick(list, Qt::Key_Down, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(bench.settle());
    QCOMPARE(names(bench)[1], order[0]);
    QCOMPARE(panel(bench)->row(), 1);
    QTest::keyClick(list, Qt::Key_Up, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(bench.settle());
    QCOMPARE(names(bench), order);
    QTest::keyClick(list, Qt::Key_Insert);
    QVERIFY(panel(bench)->findChild<QLineEdit*>()->hasFocus());
    QTest::keyClick(list, Qt::Key_Delete);
    QCOMPARE(names(bench)[0], "LegalizeOps");
    // What is no pass stays in the field, with the reason.
    QTest::keyClicks(add, "FuseOp()");
    QTest::keyClick(add, Qt::Key_Return);
    QCOMPARE(add->text(), "FuseOp()");
    QVERIFY2(bench.window.lastError().contains("FuseOps"), qPrintable(bench.window.lastError()));
    QVERIFY(!bench.window.run("pipeline.preset", {"Normalize"}));
  }

  /// Fields are made from the row of the pass; a value of another kind changes nothing.
  void optionsAreFields() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pipeline.preset", {"zero"}));
    QVERIFY(bench.does("view.panel", {"pipeline"}));
    QVERIFY(panel(bench)->command("select", {"3"}));
    const auto field = [&] { return panel(bench)->findChild<QLineEdit*>("fuse_opt_level"); };
    QVERIFY(field());
    QTest::keyClicks(field(), "1");
    QTest::keyClick(field(), Qt::Key_Return);
    QTRY_VERIFY(bench.document.pipeline().contains("FuseOps(fuse_opt_level=1)"));
    QTRY_COMPARE(field()->text(), "1");
    QVERIFY(!bench.window.run("pipeline.option", {"3", "fuse_opt_level", "'high'"}));
    QVERIFY(bench.document.pipeline().contains("FuseOps(fuse_opt_level=1)"));
    QVERIFY(bench.does("pipeline.option", {"3", "fuse_opt_level"}));
    QVERIFY(bench.document.pipeline().contains("FuseOps()"));
    QVERIFY(panel(bench)->command("select", {"0"}));
    QVERIFY(panel(bench)->findChild<QComboBox*>("enable_warning"));
  }

  /// For one function alone, from its context menu; what it holds in memory stands beside its time.
  void appliedToOneFunction() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pipeline.preset", {"zero"}));
    QVERIFY(bench.does("pass.applyTo", {"LegalizeOps()", "main"}));
    QCOMPARE(pipelineRows(bench.document.pipeline())[0].options(), "only=\"main\"");
    QCOMPARE(bench.selection.place().stage, 1);
    QVERIFY(bench.document.steps()[1].bytes > 0);
    Place place = bench.selection.place();
    place.function = "main";
    bench.selection.select(place);
    QVERIFY(bench.does("pass.applyTo"));
    auto* add = panel(bench)->findChild<QLineEdit*>();
    QVERIFY2(add->placeholderText().contains("main"), qPrintable(add->placeholderText()));
    QTest::keyClicks(add, "AnnotateTIROpPattern()");
    QTest::keyClick(add, Qt::Key_Return);
    QVERIFY(bench.settle());
    QCOMPARE(pipelineRows(bench.document.pipeline())[1].options(), "only=\"main\"");
    QVERIFY2(!add->placeholderText().contains("main"), qPrintable(add->placeholderText()));
    QVERIFY(!bench.window.run("pass.applyTo", {"NoSuchPass()", "main"}));
  }

  /// Why FuseOps left a binding as it is, beside the text of the kernel that it calls.
  void whyLeftAsItIs() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pipeline.preset", {"zero"}));
    QVERIFY(bench.does("pass.goTo", {"FuseOps"}));
    const StepRow& fused = bench.document.steps()[4];
    QCOMPARE(fused.name, "FuseOps");
    QVERIFY(!fused.remarks.empty());
    const StepRow::Remark remark = fused.remarks[0];
    QVERIFY(bench.does("pass.previous"));
    bench.selection.select({.stage = 3, .function = remark.function, .binding = remark.binding});
    QVERIFY(bench.does("view.three"));
    const QString inspected = bench.window.panel("inspector")->dump();
    QVERIFY2(inspected.contains("Left as it is") && inspected.contains(remark.text), qPrintable(inspected));
    for (const char* id : {"source", "ir", "kernel"}) QVERIFY2(bench.window.panel(id)->isVisible(), id);
    const BindingRow* binding = bench.document.stage(3, false)->function(remark.function)->binding(remark.binding);
    const QString kernel = bench.window.panel("kernel")->dump();
    QVERIFY2(kernel.contains("def " + binding->callee + "("), qPrintable(kernel));
  }

  /// Behind the passes that made the stage that is shown, those that are off among them left where they are.
  void appliedHere() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pipeline.preset", {"zero"}));
    QVERIFY(bench.does("pipeline.switch", {"0", "off"}));
    QVERIFY(bench.does("pipeline.switch", {"0", "on"}));
    QVERIFY(bench.does("pipeline.switch", {"1", "off"}));
    QVERIFY(bench.does("pass.goTo", {"1"}));
    QVERIFY(bench.does("pass.apply", {"CanonicalizeBindings(), DeadCodeElimination()"}));
    QCOMPARE(names(bench), (QStringList{"LegalizeOps", "CanonicalizeBindings", "DeadCodeElimination",
                                        "-AnnotateTIROpPattern", "FoldConstant", "FuseOps", "FuseTIR"}));
    QCOMPARE(bench.selection.place().stage, 3);
    QCOMPARE(bench.document.lastStage(), 3);
    QVERIFY(!bench.window.run("pass.apply", {"NoPass()"}));
    QVERIFY(bench.does("pass.apply"));
    QCOMPARE(panel(bench)->row(), 2);
  }

  void onlyWhatChanged() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.last"));
    QVERIFY(bench.does("view.panel", {"pipeline"}));
    const qsizetype all = bench.window.dump("pipeline").count('\n');
    QVERIFY(bench.window.dump("pipeline").contains("\tsame\n"));
    QVERIFY(panel(bench)->command("onlyChanged", {"on"}));
    const QString shown = bench.window.dump("pipeline");
    QVERIFY2(shown.count('\n') < all && !shown.contains("\tsame\n") && shown.contains("LegalizeOps"),
             qPrintable(shown));
  }

  /// Why a pass did nothing, by the bindings that it left, each a way to it; and the pipeline as a command of rxs.
  void whyNothing() {
    LiveBench bench;
    QVERIFY(bench.open("resnet18"));
    QVERIFY(bench.does("pass.pipeline", {"FoldBatchnormToConv2D(), DeadCodeElimination()"}));
    QVERIFY(bench.does("pass.last") && bench.does("view.panel", {"pipeline"}));
    QVERIFY(panel(bench)->command("select", {"0"}));
    const QString said = bench.window.dump("pipeline");
    for (const char* part : {"It changed nothing.", "its weights are no constants", "BindParams before this pass",
                             "16 other reasons", "--passes 'FoldBatchnormToConv2D(), DeadCodeElimination()'"})
      QVERIFY2(said.contains(part), qPrintable(said));
    for (auto* label : panel(bench)->findChildren<QLabel*>())
      if (label->text().contains("It changed nothing")) Q_EMIT label->linkActivated("main\tlv1");
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().stage, 0);
    QCOMPARE(bench.selection.place().variable, QString("lv1"));
  }

  /// A pass of kernels changes dozens: the row counts them, and its tip names them.
  void manyChangedAreCounted() {
    StepRow step;
    step.number = 1;
    step.state = StepState::Done;
    for (int i = 0; i < 9; ++i)
      step.changed.push_back({QStringLiteral("kernel%1").arg(i), i == 0 ? 2 : 0, false, i == 8});
    QCOMPARE(changeText(step), QString("kernel0 +2, 7 more, 1 gone"));
    QVERIFY(changeTip(step).contains("kernel7"));
  }

  void asACommand() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("pass.pipeline", {"Normalize(),\n# off: FuseOps()\nDeadCodeElimination()"}));
    QVERIFY(bench.does("pipeline.copy"));
    const QString copied = QGuiApplication::clipboard()->text();
    QVERIFY2(copied.startsWith("rxs opt ") && copied.endsWith("--passes 'Normalize(), DeadCodeElimination()'"),
             qPrintable(copied));
  }

  /// The module has its pipeline again in the next session.
  void comesBackWithTheModule() {
    LiveBench first;
    QVERIFY(first.open("mlp"));
    QVERIFY(first.does("pipeline.preset", {"zero"}));
    QVERIFY(first.does("pipeline.switch", {"2", "off"}));
    QVERIFY(first.open("branch"));
    LiveBench second;
    second.settings.setValue("pipelines", first.settings.value("pipelines"));
    QVERIFY(second.open("mlp"));
    QCOMPARE(names(second)[2], "-FoldConstant");
    QCOMPARE(second.document.steps().size(), size_t(5));
  }
};

QTEST_MAIN(LivePipelineTest)
#include "tst_live_pipeline.moc"
