// The inspector over real runs: values, the way of a NaN, tuples, functions, TIR functions, documentation.
#include <QPushButton>
#include <QRegularExpression>
#include <QTextDocument>
#include <climits>

#include "core/tensor/npy.h"
#include "live_bench.h"
#include "views/panels/inspector/bar_list.h"
#include "views/panels/inspector/inspector_panel.h"
#include "views/panels/inspector/value_pictures.h"
#include "views/panels/rich_label.h"
#include "views/panels/values/histogram_view.h"

using namespace rx;
using namespace rx::views;

class LiveInspectorTest : public QObject {
  Q_OBJECT

  static InspectorPanel* panelOf(LiveBench& bench) {
    return qobject_cast<InspectorPanel*>(bench.window.panel("inspector"));
  }
  static QString textOf(LiveBench& bench) {
    bench.settle();
    return bench.window.dump("inspector");
  }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

  /// Where columns have no room, each cell says which column it is of.
  void cellsOfNarrowTablesNameTheirColumn() {
    LiveBench bench;
    QVERIFY(bench.open("attention") && bench.does("pass.goTo", {"StaticPlanBlockMemory"}));
    QVERIFY(bench.does("select.function", {"main"}));
    const auto tableText = [&](int width) {
      QWidget* panel = bench.window.panel("inspector");
      panel->setFixedWidth(width);
      QCoreApplication::processEvents();
      for (const auto* label : panel->findChildren<QLabel*>()) {
        const QString plain = QTextDocumentFragment::fromHtml(label->text()).toPlainText();
        if (plain.contains("Memory of the whole function")) return plain.simplified();
      }
      return QString();
    };
    const QRegularExpression apart(" before planned pieces 15 7 ");
    const QRegularExpression named(" pieces before 15 planned 7 ");
    QVERIFY2(tableText(600).contains(apart), qPrintable(tableText(600)));
    QTRY_VERIFY2(tableText(110).contains(named), qPrintable(tableText(110)));
  }

  /// Pictures keep their share of the room when the text becomes larger.
  void picturesGrowWithTheText() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    const HistogramView* histogram = panelOf(bench)->pictures()->histogram();
    const int before = histogram->maximumHeight();
    for (int i = 0; i < 6; ++i) QVERIFY(bench.does("view.larger"));
    // Qt tells widgets so while QApplication::exec runs, which a test does not.
    for (QWidget* widget : QApplication::allWidgets()) {
      QEvent larger(QEvent::ApplicationFontChange);
      QCoreApplication::sendEvent(widget, &larger);
    }
    QCOMPARE(histogram->maximumHeight(), histogram->fontMetrics().height() * 5);
    QVERIFY(histogram->maximumHeight() > before);
  }

  /// Story: from a NaN to the operation that made the Inf, with the reason at every step.
  void theWayOfANaN() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.continue"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("select.binding", {"weights"}));
    const QString text = textOf(bench);
    QVERIFY2(text.contains("NaN / Inf: 18 / 0 of 144 first at [0, 4, 0]"), qPrintable(text));
    const qsizetype chain = text.indexOf("Where the NaN comes from\n");
    QVERIFY2(chain >= 0, qPrintable(text));
    const QString way = text.mid(chain);
    QVERIFY2(way.contains(QRegularExpression("scores 3 Inf made here, step \\d+; inputs finite")), qPrintable(way));
    QVERIFY2(way.contains("scaled 3 Inf passed on\n"), qPrintable(way));
    QVERIFY2(way.contains(QRegularExpression("shifted 3 NaN, 15 Inf Inf - Inf")), qPrintable(way));
    QVERIFY(way.indexOf("scores") < way.indexOf("shifted") && way.indexOf("shifted") < way.indexOf("powers"));
    QVERIFY2(text.contains("Inputs\n  powers (4, 6, 6) 0 … 1 3 NaN\n"), qPrintable(text));
    QVERIFY2(text.contains("Values at [0, 4, 0]"), qPrintable(text));
    InspectorPanel* panel = panelOf(bench);
    QCOMPARE(panel->rootButton()->text(), QString("Go to root: scores"));
    panel->rootButton()->click();
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().variable, QString("scores"));
    const QString root = textOf(bench);
    QVERIFY2(root.contains("Where the Inf comes from"), qPrintable(root));
    QVERIFY2(root.contains("largest inputs: q_t"), qPrintable(root));
    QVERIFY(panel->rootButton()->isHidden());
    QVERIFY(!bench.window.run("view.panelCommand", {"inspector", "root"}));
    QVERIFY2(root.contains("dtype limit: 65,504 is the largest float16"), qPrintable(root));
  }

  void theElementsOfTheValue() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.continue"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("select.binding", {"weights"}));
    QVERIFY(bench.settle());
    InspectorPanel* panel = panelOf(bench);
    TensorStudy* study = panel->pictures()->study();
    QVERIFY(panel->command("follow", {"element:1,2,3"}));
    QVERIFY(bench.settle());
    QVERIFY(study->current() == std::vector<qint64>({1, 2, 3}));
    QVERIFY(!panel->command("follow", {"element:9,9,9"}));
    study->find({});
    QVERIFY(bench.settle());
    QVERIFY(study->current() != std::vector<qint64>({1, 2, 3}));
    // A finite value has no chain and no button.
    QVERIFY(bench.does("select.binding", {"q"}));
    const QString text = textOf(bench);
    QVERIFY2(!text.contains("comes from") && text.contains("NaN / Inf: 0 / 0 of 192"), qPrintable(text));
  }

  void theDocumentationOfTheOperator() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("select.binding", {"top"}));
    const QString text = textOf(bench);
    QVERIFY2(text.contains("Operator relax.max\n"), qPrintable(text));
    QVERIFY(!text.contains("keepdims: bool"));
    QVERIFY(panelOf(bench)->command("follow", {"fold:operator"}));
    QVERIFY2(textOf(bench).contains("keepdims: bool default False"), qPrintable(textOf(bench)));
  }

  void aFunctionAndItsParameters() {
    LiveBench bench;
    QVERIFY(bench.open("resnet18"));
    QVERIFY(bench.does("select.function", {"main"}));
    const QString text = textOf(bench);
    QVERIFY2(text.startsWith("main  Relax function"), qPrintable(text.left(200)));
    QVERIFY2(text.contains("of nn.conv2d"), qPrintable(text));
    QVERIFY2(text.contains("Operators\n") && text.contains("nn.conv2d 20\n"), qPrintable(text));
    // 1.8 billion multiplications with as many additions.
    QVERIFY2(text.contains(QRegularExpression("computes: 3\\.6\\d? GFLOP")), qPrintable(text));
    InspectorPanel* panel = panelOf(bench);
    QVERIFY(panel->command("filter", {"64, 64, 3, 3"}));
    const QString filtered = textOf(bench);
    QVERIFY2(filtered.contains("(64, 64, 3, 3) f32 147 kB"), qPrintable(filtered));
    QVERIFY(panel->command("filter", {"nobody"}));
    QVERIFY(textOf(bench).contains("no parameter holds"));
    QVERIFY(panel->command("filter", {""}));
    // With the focus in the Inspector too, where a click into it leaves it.
    QVERIFY(bench.does("view.panel", {"inspector"}));
    QVERIFY(panel->command("operator", {"nn.conv2d"}));
    QVERIFY(!panel->command("operator", {"nn.no_such_operator"}));
  }

  /// Ctrl+F: what is found is marked and brought into sight, the next match marks another place.
  void findsInItsText() {
    LiveBench bench;
    QVERIFY(bench.open("resnet18"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("view.panel", {"inspector"}));
    const auto marked = [&] {
      QStringList all;
      for (const auto* label : panelOf(bench)->findChildren<QLabel*>())
        if (label->hasSelectedText()) all << label->selectedText() + QString::number(label->selectionStart());
      return all;
    };
    QVERIFY(bench.does("edit.find", {"conv2d"}));
    const QStringList first = marked();
    QCOMPARE(first.size(), 1);
    QVERIFY2(first[0].startsWith("conv2d"), qPrintable(first[0]));
    QVERIFY(bench.does("edit.find", {"of nn."}));
    const QStringList group = marked();
    QCOMPARE(group.size(), 1);
    QVERIFY(bench.does("edit.findNext"));
    QCOMPARE(marked().size(), 1);
    QVERIFY(marked() != group);
    QVERIFY(bench.does("edit.findPrevious"));
    QCOMPARE(marked(), group);
    QVERIFY(!bench.window.run("edit.find", {"nothing of the kind"}));
  }

  void aTirFunction() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("pass.goTo", {"LegalizeOps"}));
    const StageIndexPtr stage = bench.document.stage(bench.selection.place().stage);
    QVERIFY(stage);
    QVERIFY(bench.does("select.function", {"matmul"}));
    const QString text = textOf(bench);
    QVERIFY2(text.startsWith("matmul  TIR function"), qPrintable(text));
    for (const char* part : {"Work of a call\n", "moves: ", "computes: ", " FLOP", "multiply: ", "add: ", "Buffers\n",
                             "Loops\n", "Blocks\n", "reduction ", "Called by\n"})
      QVERIFY2(text.contains(part), qPrintable(QString(part) + text));
    QVERIFY2(!text.contains("Parameters\n"), qPrintable(text));
    // Bytes that depend on a size are told as the operations are: x has 128 n, the weight 4,096, and what is summed up
    // is read and written.
    QVERIFY2(text.contains("moves: 384 × n + 4,096 B"), qPrintable(text));
    QVERIFY2(text.contains("(n, 32) f32 128 × n B read"), qPrintable(text));
  }

  /// Each file with what it gives; one that does not fit, or can not be read, says why.
  void theFilesBesideTheModule() {
    QTemporaryDir folder;
    const auto copy = [&](const char* name) {
      QFile::remove(folder.filePath(name));
      return QFile::copy(kSamples + "attention/" + name, folder.filePath(name));
    };
    for (const char* name : {"module.py", "inputs.npz", "params.npz", "expected.npz"}) QVERIFY(copy(name));
    const auto shown = [&] {
      LiveBench bench;
      if (!bench.does("file.open", {folder.path()}) || !bench.does("select.function", {"main"})) return QString();
      return textOf(bench);
    };
    const QString good = shown();
    QVERIFY2(good.contains("Files beside the module\n"), qPrintable(good));
    QVERIFY2(good.contains("[check] inputs.npz gives") && good.contains("[check] params.npz gives"), qPrintable(good));
    QVERIFY2(good.contains("[check] expected.npz"), qPrintable(good));
    QVERIFY2(!good.contains("[cross]") && !good.contains("no file gives"), qPrintable(good));
    QVERIFY(QFile::remove(folder.filePath("params.npz")));
    const QString missing = shown();
    QVERIFY2(missing.contains("no file gives"), qPrintable(missing));
    // Arrays that the function has no parameters for are no fault of their file.
    QVERIFY(writeNpz(folder.filePath("params.npz").toStdString(),
                     {{"of_another", HostTensor::scalar(DataType::Float(32), 1)}}));
    const QString another = shown();
    QVERIFY2(another.contains("params.npz gives no parameter of this function"), qPrintable(another));
    QVERIFY2(!another.contains("[cross]") && another.contains("no file gives"), qPrintable(another));
    QVERIFY(QFile::remove(folder.filePath("params.npz")));
    QVERIFY(QFile::copy(kSamples + "mlp/params.npz", folder.filePath("params.npz")));
    QVERIFY(write(folder.filePath("inputs.npz"), "no archive"));
    const QString broken = shown();
    QVERIFY2(broken.contains("[cross] inputs.npz") && broken.contains("zip"), qPrintable(broken));
  }

  void constants() {
    QTemporaryDir folder;
    const QString file = folder.filePath("module.py");
    QVERIFY(write(file,
                  "# from tvm.script import ir as I, relax as R\n@I.ir_module\nclass Module:\n    @R.function\n    def "
                  "main(x: R.Tensor((4,), \"float32\")) -> R.Tensor((4,), \"float32\"):\n        with R.dataflow():\n"
                  "            y: R.Tensor((4,), \"float32\") = R.multiply(x, R.const(0.25, \"float32\"))\n"
                  "            z: R.Tensor((4,), \"float32\") = R.add(y, x)\n"
                  "            R.output(z)\n        return z\n"));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {file}));
    QVERIFY(bench.does("select.binding", {"y"}));
    const QString text = textOf(bench);
    QVERIFY2(text.contains("Constants\n  () f32 0.25\n"), qPrintable(text));
    QVERIFY2(text.contains("computes: 4 FLOP"), qPrintable(text));
    QVERIFY2(text.contains("R.multiply(x, 0.25)"), qPrintable(text));
    QVERIFY2(!text.contains("R.Tensor(("), qPrintable(text));
    QVERIFY(bench.does("select.binding", {"z"}));
    QVERIFY(!textOf(bench).contains("Constants"));
  }

  /// In the last stage a call binds nothing: it is found by the name that its value had, and who reads the buffer that
  /// it writes are its users.
  void aCallThatWrites() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("pass.last"));
    QVERIFY(bench.does("select.binding", {"weights"}));
    const QString text = textOf(bench);
    QVERIFY2(text.contains("calls: divide"), qPrintable(text));
    QVERIFY2(text.contains("Used by\n  mixed matmul2"), qPrintable(text));
    QVERIFY2(!text.contains(", ,"), qPrintable(text));
    QVERIFY(!bench.window.run("select.binding", {"nothing of that name"}));
  }

  /// Of the many tensors that share a piece of memory a few stand there until all are asked for.
  void aStorageOfMany() {
    QTemporaryDir folder;
    QByteArray text =
        "from tvm.script import ir as I, relax as R\n\n@I.ir_module\nclass Module:\n    @R.function\n"
        "    def main(x0: R.Tensor((8,), \"float32\")):\n        with R.dataflow():\n";
    for (int i = 0; i < 20; ++i)
      text += "            x" + QByteArray::number(i + 1) + " = R.tanh(x" + QByteArray::number(i) + ")\n";
    text += "            R.output(x20)\n        return x20\n";
    QVERIFY(write(folder.filePath("chain.py"), text));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {folder.filePath("chain.py")}));
    QVERIFY(bench.does("pass.goTo", {"StaticPlanBlockMemory"}) && bench.does("select.binding", {"x1", "main"}));
    const auto written = [&] { return textOf(bench).count("written by "); };
    QVERIFY2(textOf(bench).contains("used by 10 tensors") && textOf(bench).contains("show all 10"),
             qPrintable(textOf(bench)));
    QCOMPARE(written(), 6);
    QVERIFY(panelOf(bench)->command("follow", {"fold:tenants"}));
    QCOMPARE(written(), 10);
    QVERIFY(textOf(bench).contains("show fewer"));
  }

  /// A buffer holds what the call made that wrote it, wherever it is looked at; memory itself is no value.
  void aBufferThatWasWritten() {
    LiveBench bench;
    QVERIFY(bench.open("mlp") && bench.does("debug.start", {"main", "seed=1"}) && bench.does("pass.goTo", {"16"}));
    QVERIFY(bench.does("select.binding", {"alloc"}));
    const QRegularExpression toCome("Value\n  alloc is written by \\w+ in line \\d+, which has not run yet\\.");
    QVERIFY2(textOf(bench).contains(toCome), qPrintable(textOf(bench)));
    for (int step = 0; step < 3; ++step) QVERIFY(bench.does("debug.stepOver"));
    QVERIFY(bench.does("select.binding", {"alloc"}));
    const QRegularExpression range("min / max: (\\S+) / (\\S+)");
    const QRegularExpressionMatch value = range.match(textOf(bench));
    QVERIFY2(value.hasMatch() && textOf(bench).contains("Inputs\n  storage\n"), qPrintable(textOf(bench)));
    QVERIFY(bench.does("select.binding", {"lv1"}));
    QCOMPARE(range.match(textOf(bench)).captured(), value.captured());
    QVERIFY(bench.does("select.binding", {"lv2"}));
    QVERIFY2(textOf(bench).contains(QRegularExpression("Inputs\n  alloc \\(1, 128\\) \\S+ … \\S+\n")),
             qPrintable(textOf(bench)));
    QVERIFY2(textOf(bench).contains("  alloc1 not written yet\n"), qPrintable(textOf(bench)));
    // The text says it once, where it is written.
    QCOMPARE(bench.window.dump("ir").count(value.captured(1)), 1);
  }

  /// What a call writes into several buffers is told apart.
  void buffersOfOneCall() {
    QTemporaryDir folder;
    QFile file(folder.filePath("norm.py"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"(from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 3, 4), "float32"), s: R.Tensor((3,), "float32"), b: R.Tensor((3,), "float32"),
             m: R.Tensor((3,), "float32"), v: R.Tensor((3,), "float32")):
        with R.dataflow():
            n = R.nn.batch_norm(x, s, b, m, v, axis=1)
            out = n[0]
            R.output(out)
        return out
)");
    file.close();
    LiveBench bench;
    QVERIFY(bench.does("file.open", {file.fileName()}) && bench.does("debug.start", {"main", "seed=1"}));
    QVERIFY(bench.does("pass.goTo", {"16"}) && bench.does("debug.stepOver") && bench.does("debug.stepOver"));
    int buffers = 0;
    for (const QString& line : bench.window.dump("ir").split('\n')) {
      const bool noted = line.contains(" … ");
      if (line.contains("alloc_tensor")) buffers += noted;
      QVERIFY2(!noted || !line.contains("cls.batch_norm("), qPrintable(line));
    }
    QCOMPARE(buffers, 3);
    const FunctionRow* main = bench.document.stage(16)->function("main");
    const auto norm = std::find_if(main->bindings.begin(), main->bindings.end(),
                                   [](const BindingRow& row) { return row.writes.size() == 3; });
    QVERIFY(norm != main->bindings.end());
    Place place{16, "main", norm->ordinal, norm->name, -1};
    bench.selection.select(place);
    QVERIFY(bench.settle());
    QString values = textOf(bench).section("Value made by", 1).section("\n\n", 0, 0);
    for (const int written : norm->writes) {
      const QString name = main->bindings[static_cast<size_t>(written)].called;
      const QRegularExpression row(QStringLiteral("\n  %1 \\([\\d, ]+\\) \\S+ … \\S+\n").arg(name));
      QVERIFY2(values.contains(row), qPrintable(textOf(bench)));
    }
    QVERIFY2(!values.contains("min / max"), qPrintable(values));
    // The panel of values has one of them, by its name.
    QVERIFY(bench.does("view.panel", {"values"}));
    const QString shown = bench.window.dump("values");
    QVERIFY2(shown.contains(main->bindings[static_cast<size_t>(norm->writes.back())].called), qPrintable(shown));
  }

  /// Memory that no call writes is not about to get a value.
  void aBufferThatNobodyWrites() {
    QTemporaryDir folder;
    const QString path = folder.filePath("unused.py");
    QVERIFY(write(path, R"(from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        R.func_attr({"relax.force_pure": True})
        unused: R.Tensor((2, 3), "float32") = R.builtin.alloc_tensor(R.shape([2, 3]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        y: R.Tensor((2, 3), "float32") = R.add(x, x)
        return y
)"));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {path}) && bench.does("debug.start", {"main", "seed=1"}));
    QVERIFY(bench.does("pass.goTo", {QString::number(bench.debug.config().stage)}));
    QVERIFY(bench.does("select.binding", {"unused"}));
    QVERIFY2(textOf(bench).contains("unused is never written."), qPrintable(textOf(bench)));
  }

  void aTuple() {
    LiveBench bench;
    QVERIFY(bench.open("resnet18"));
    QVERIFY(bench.does("select.function", {"main"}));
    const FunctionRow* main = bench.document.stage(0)->function("main");
    const auto norm = std::find_if(main->bindings.begin(), main->bindings.end(),
                                   [](const BindingRow& b) { return b.label == "nn.batch_norm"; });
    QVERIFY(norm != main->bindings.end());
    QVERIFY(bench.does("select.binding", {norm->name}));
    const QString text = textOf(bench);
    QVERIFY2(text.contains("Fields of the tuple\n  0 (1, 64, 112, 112) f32"), qPrintable(text));
    // The values of all fields, those that nobody takes too.
    QVERIFY(bench.does("debug.start", {"main", "seed=1"}));
    QVERIFY(bench.does("select.binding", {norm->name}));
    QVERIFY(bench.does("debug.runToCursor"));
    QCOMPARE(bench.debug.stop().variable, norm->name);
    QVERIFY(bench.does("debug.stepOver"));
    QVERIFY(bench.does("select.binding", {norm->name}));
    const QString run = textOf(bench);
    const QString fields = run.mid(run.indexOf("Fields of the tuple\n")).section('\n', 1, 3);
    QVERIFY2(fields.count(QString::fromUtf8(" \xe2\x80\xa6 ")) == 3, qPrintable(run));
  }

  /// The operators are those of the stage, also where the head stands on the same line in another.
  void operatorsOfTheStage() {
    LiveBench bench;
    QVERIFY(bench.open("mlp") && bench.does("select.function", {"main"}));
    const auto* bars = bench.window.panel("inspector")->findChild<BarList*>();
    QVERIFY(bars);
    std::vector<InspectionBar> seen[2];
    for (std::vector<InspectionBar>& now : seen) {
      QVERIFY(bench.does("pass.last") && bench.does("pass.goTo", {"LegalizeOps"}));
      now = bars->bars();
      QVERIFY(bench.does("pass.goTo", {"0"}));
    }
    QVERIFY(seen[0] == seen[1] && bars->bars() != seen[0]);
    // From the last stage to one whose function begins on the same line.
    for (int stage = bench.document.lastStage(); stage > 0; --stage) {
      QVERIFY(bench.does("pass.goTo", {QString::number(stage)}));
      qint64 calls = 0, shown = 0;
      for (const InspectionBar& bar : bars->bars()) shown += bar.count;
      calls = static_cast<qint64>(bench.document.stage(stage)->function("main")->bindings.size());
      QVERIFY2(shown <= calls, qPrintable(QStringLiteral("stage %1: %2 of %3").arg(stage).arg(shown).arg(calls)));
    }
  }

  /// The calls of a large function are counted beside the window: its sums are those of every call, also where a run
  /// alone knows the sizes.
  void theCallsOfALargeFunction() {
    const QTemporaryDir folder;
    constexpr int kCalls = 6000;
    QByteArray text =
        "from tvm.script import ir as I\nfrom tvm.script import tir as T\nfrom tvm.script import relax as R\n\n"
        "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((\"n\", 4), dtype=\"float32\"), y: "
        "R.Tensor((2, 4), dtype=\"float32\")):\n        n = T.int64()\n        with R.dataflow():\n";
    for (int i = 0; i < kCalls; ++i) text += QStringLiteral("            lv%1 = R.negative(y)\n").arg(i).toUtf8();
    text += "            lw = R.negative(x)\n            R.output(lw)\n        return lw\n";
    QVERIFY(write(folder.filePath("large.py"), text));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {folder.filePath("large.py")}) && bench.does("select.function", {"main"}));
    const QString before = bench.window.dump("inspector");
    QVERIFY2(before.contains("computes: 48 kFLOP in 6,000 of 6,001 calls"), qPrintable(before));
    QVERIFY2(before.contains("negative 6001\n"), qPrintable(before));
    QVERIFY(bench.does("debug.start", {"main", "stop=none", "n=2", "seed=1"}));
    QVERIFY(bench.does("select.function", {"main"}));
    const QString after = bench.window.dump("inspector");
    QVERIFY2(after.contains("computes: 48 kFLOP") && !after.contains("are not known"), qPrintable(after));
  }

  /// A table stands where it has room; else its cells follow each other, and no number is broken.
  void noNumberIsBroken() {
    LiveBench bench;
    QVERIFY(bench.open("resnet18") && bench.does("select.function", {"main"}));
    QVERIFY(bench.does("debug.start", {"main", "seed=1"}) && bench.does("debug.stepOver", {"2"}));
    QVERIFY(bench.does("select.binding", {"lv1"}));
    const auto tableOf = [&bench]() -> std::optional<bool> {
      QCoreApplication::processEvents();
      for (const RichLabel* label : bench.window.panel("inspector")->findChildren<RichLabel*>())
        if (label->isVisible() && label->text().contains("Fields of the tuple"))
          return label->text().contains("<table");
      return std::nullopt;
    };
    bench.window.resize(1024, 700);
    QTRY_COMPARE(tableOf(), std::optional<bool>(false));
    bench.window.resize(1920, 1080);
    QTRY_COMPARE(tableOf(), std::optional<bool>(true));
  }

  /// From one value to the next nothing goes up and down: while its numbers are read, they keep their room. The lines
  /// of a text are broken for the width that it has, with a scroll bar and without one, not for the least of the panel.
  void oneValueAfterTheOther() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.continue"));
    QVERIFY(bench.does("view.panel", {"inspector"}));
    QVERIFY(bench.does("select.binding", {"q"}));
    InspectorPanel* panel = panelOf(bench);
    ValuePictures* pictures = panel->pictures();
    const int height = pictures->height();
    struct Least : QObject {
      int height = INT_MAX;
      bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Resize) height = std::min(height, static_cast<QWidget*>(watched)->height());
        return false;
      }
    } least;
    pictures->installEventFilter(&least);
    QVERIFY(bench.does("select.binding", {"k"}));
    QVERIFY(pictures->dump().startsWith("Values at"));
    QCOMPARE(pictures->height(), height);
    QVERIFY2(least.height >= height, qPrintable(QStringLiteral("%1 of %2").arg(least.height).arg(height)));
    int texts = 0;
    for (const QTextDocument* text : panel->findChildren<QTextDocument*>("measured")) {
      const auto* label = qobject_cast<QWidget*>(text->parent());
      if (!label || !label->isVisible()) continue;
      ++texts;
      QVERIFY2(text->textWidth() >= label->width(), qPrintable(QString::number(text->textWidth())));
    }
    QVERIFY(texts > 2);
  }
};

QTEST_MAIN(LiveInspectorTest)
#include "tst_live_inspector.moc"
