// What the window writes, reads again and refuses, with the real core and the real engine behind it.
#include <QAbstractItemView>
#include <QClipboard>
#include <QDialog>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>

#include "core/tensor/npy.h"
#include "live_bench.h"
#include "views/panels/panel.h"
#include "views/session/engine_rows.h"

using namespace rx;
using namespace rx::views;

namespace {

const QString kTool = QStringLiteral(RX_BINARY_DIR "/bin/rxs");
const QString kSamples = QStringLiteral(RX_SOURCE_DIR "/samples/");

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool write(const QString& path, const QByteArray& bytes) {
  QFile file(path);
  return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

/// Runs a line as a person's shell would, `rxs` being the one that was built.
int shell(const QString& line, QByteArray* output) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("PATH", QStringLiteral(RX_BINARY_DIR "/bin:") + environment.value("PATH"));
  process.setProcessEnvironment(environment);
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.start("sh", {"-c", line});
  if (!process.waitForFinished(kPatience)) return -1;
  *output = process.readAll();
  return process.exitCode();
}

}  // namespace

class LiveWindowTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  QString path(const QString& name) const { return folder_.filePath(name); }

 private Q_SLOTS:
  void initTestCase() {
    qputenv("RELAXSCOPE_RXS", kTool.toUtf8());
    qputenv("RELAXSCOPE_SAMPLES", RX_SOURCE_DIR "/samples");
  }

  /// What "copy as rxs command" copies does what the window shows, when pasted.
  void copiedCommands_data() {
    QTest::addColumn<QStringList>("before");
    QTest::addColumn<QByteArray>("prints");
    QTest::newRow("the module") << QStringList{} << QByteArray("class Module");
    QTest::newRow("a stage") << QStringList{"pass.goTo 4"} << QByteArray("call_tir");
    QTest::newRow("a run") << QStringList{"debug.start main"} << QByteArray("out_0");
    QTest::newRow("a generated run") << QStringList{"debug.start main seed=3 n=5"} << QByteArray("(5, 32)");
  }
  void copiedCommands() {
    QFETCH(QStringList, before);
    QFETCH(QByteArray, prints);
    const QString copy = path("a folder");
    QDir().mkpath(copy);
    for (const char* name : {"module.py", "params.npz", "inputs.npz"})
      QFile::copy(kSamples + "attention/" + name, copy + '/' + name);
    LiveBench bench;
    QVERIFY(bench.does("file.open", {copy}));
    for (const QString& line : before) {
      const QStringList words = line.split(' ');
      QVERIFY2(bench.does(words[0], words.mid(1)), qPrintable(bench.window.lastError()));
    }
    QVERIFY(bench.does("edit.copyCommand"));
    const QString line = QGuiApplication::clipboard()->text();
    QVERIFY2(line.startsWith("rxs "), qPrintable(line));
    QByteArray output;
    QCOMPARE(shell(line, &output), 0);
    QVERIFY2(output.contains(prints), (line.toUtf8() + '\n' + output.left(2000)).constData());
  }

  /// The file holds the bytes that were shown.
  void savedValues() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.stepOver", {"3"}));
    QVERIFY(!bench.window.run("export.value", {path("x.npy")}));  // v, where it stands, has no value yet
    QVERIFY(bench.does("select.binding", {"q"}));
    QVERIFY(bench.does("export.value", {path("q.npy")}));
    const auto saved = readNpy(path("q.npy").toStdString());
    QVERIFY(saved.ok());
    const ValueSummary shown = bench.debug.valueOf("main", bench.selection.place().binding);
    QCOMPARE((*saved)->count(), shown.count);
    TensorSlice slice;
    bool answered = false;
    bench.debug.fetchSlice(shown.reference, {0, 0}, {6, 32}, &bench.window, [&](const TensorSlice& got) {
      slice = got;
      answered = true;
    });
    QVERIFY(QTest::qWaitFor([&] { return answered; }, kPatience));
    QCOMPARE(static_cast<int64_t>(slice.values.size()), (*saved)->count());
    for (size_t i = 0; i < slice.values.size(); ++i) QCOMPARE((*saved)->at(static_cast<int64_t>(i)), slice.values[i]);
    QVERIFY(bench.does("export.value", {"/no/such/folder/q.npy"}));
    QVERIFY2(bench.window.toolError().contains("not written"), qPrintable(bench.window.toolError()));
  }

  void packages() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.does("export.package", {path("package")}));
    QVERIFY2(bench.window.toolError().isEmpty(), qPrintable(bench.window.toolError()));
    QVERIFY2(bench.window.statusText().contains("verified"), qPrintable(bench.window.statusText()));
    QVERIFY(QFile::exists(path("package/manifest.json")));
    QVERIFY(bench.does("export.package", {path("other"), "/no/such/params.npz"}));
    QVERIFY(bench.window.toolError().contains("params"));
    QVERIFY(!QFile::exists(path("other/manifest.json")));
  }

  void exportDialog() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.window.run("export.package"));
    auto* dialog = bench.window.findChild<QDialog*>();
    QVERIFY(dialog && !dialog->isModal());
    auto* folder = dialog->findChild<QLineEdit*>("folder");
    folder->setText(path("by dialog"));
    for (QPushButton* button : dialog->findChildren<QPushButton*>()) {
      if (button->text() == "Write and verify") button->click();
    }
    QVERIFY(bench.settle());
    const QString said = dialog->findChild<QPlainTextEdit*>()->toPlainText();
    QVERIFY2(said.contains("Written and verified"), qPrintable(said));
    QVERIFY2(said.startsWith("$ rxs build ") && said.contains("'" + path("by dialog") + "'"), qPrintable(said));
    dialog->close();
  }

  void graphs() {
    if (QStandardPaths::findExecutable("dot").isEmpty()) QSKIP("Graphviz is not installed");
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("select.function", {"main"}));
    const std::pair<const char*, const char*> forms[] = {{"g.svg", "<svg"}, {"g.pdf", "%PDF"}, {"g.dot", "digraph"}};
    for (const auto& [name, mark] : forms) {
      QVERIFY2(bench.does("export.graph", {path(name)}), name);
      QVERIFY2(QTest::qWaitFor([&, file = name] { return !contentOf(path(file)).isEmpty(); }, kPatience), name);
      QVERIFY2(contentOf(path(name)).contains(mark), name);
    }
    QVERIFY(!bench.window.run("export.graph", {path("g.xyz")}));
  }

  /// A folder that `rxs opt --dump` wrote is a pass history.
  void dumpedHistories() {
    QByteArray output;
    QCOMPARE(shell("rxs opt " + shellWord(kSamples + "mlp") + " --passes 'LegalizeOps(), CallTIRRewrite()' --dump " +
                       shellWord(path("dump")),
                   &output),
             0);
    LiveBench bench;
    QVERIFY2(bench.does("file.openFolder", {path("dump")}), qPrintable(bench.window.statusText()));
    QCOMPARE(bench.document.steps().size(), size_t{3});
    QCOMPARE(bench.document.steps()[1].name, QString("LegalizeOps"));
    QVERIFY(!bench.document.steps()[1].changed.empty());
    QVERIFY(bench.does("pass.last"));
    QVERIFY(bench.window.dump("ir").contains("alloc_tensor"));
    QVERIFY(!bench.document.canRunPasses());
    QDir().mkpath(path("empty"));
    QVERIFY(bench.does("file.openFolder", {path("empty")}));
    QVERIFY(bench.document.openError().contains("neither"));
    QCOMPARE(bench.document.steps().size(), size_t{3});
  }

  /// The file changes on disk: the place stays; a text that does not open leaves what was there and says so.
  void reloads() {
    const QString file = path("watched.py");
    const QByteArray text = contentOf(kSamples + "mlp/module.py");
    QVERIFY(write(file, text));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {file}));
    const FunctionRow& main = *bench.document.stage(0)->function("main");
    const QString name = main.bindings.back().name;
    const size_t bindings = main.bindings.size();
    QVERIFY(bench.does("select.binding", {name}));
    QVERIFY(write(file, text + "\n# a change\n"));
    QVERIFY(QTest::qWaitFor([&] { return bench.document.sourceText().contains("a change"); }, kPatience));
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().variable, name);
    QVERIFY(write(file, text.left(text.size() / 2)));
    QVERIFY(QTest::qWaitFor([&] { return bench.document.isStale(); }, kPatience));
    QVERIFY(bench.settle());
    QCOMPARE(bench.selection.place().variable, name);
    QCOMPARE(bench.document.stage(0)->function("main")->bindings.size(), bindings);
    QVERIFY(!bench.document.problems().empty());
    QVERIFY(bench.window.dump("source").contains("-- underlined"));
    QVERIFY(write(file, text));
    QVERIFY(QTest::qWaitFor([&] { return !bench.document.isStale(); }, kPatience));
    QVERIFY(bench.document.problems().empty());
  }

  /// Files that are no modules: an entry with its place, and the module that was open stays.
  void badFiles_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("rule");
    const QByteArray good = contentOf(kSamples + "mlp/module.py");
    QTest::newRow("not UTF-8") << QByteArray("x = 1\n\xff\xfe\x80") << 2 << "script.encoding";
    QTest::newRow("not TVMScript") << QByteArray("hello = world()\n") << 1 << "script.no-module";
    QTest::newRow("cut in a bracket") << good.left(good.indexOf("R.Tensor((") + 10) << -1 << "script.bracket";
    QTest::newRow("ill-formed") << QByteArray(
                                       "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((4,), "
                                       "\"float32\")):\n        return y\n")
                                << 5 << "relax.undefined-var";
  }
  void badFiles() {
    QFETCH(QByteArray, text);
    QFETCH(int, line);
    QFETCH(QString, rule);
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    QVERIFY(write(path("bad.py"), text));
    QVERIFY(bench.does("file.open", {path("bad.py")}));
    QVERIFY(!bench.document.openError().isEmpty());
    QVERIFY(bench.document.title().contains("mlp"));
    QVERIFY(bench.document.stage(0)->function("main"));
    bool found = false;
    for (const ProblemRow& problem : bench.document.problems())
      found = found || (problem.rule == rule && problem.line > 0 && (line < 0 || problem.line == line));
    QVERIFY2(found, qPrintable(bench.window.dump("problems")));
    QVERIFY(bench.window.statusText().contains("does not open"));
    QVERIFY(bench.does("file.open", {kSamples + "mlp"}));
    QVERIFY(bench.document.problems().empty());
  }

  /// A module that reads but breaks a rule: the list, the lamp, the text, and the way from one to the other.
  void findingsOfTheCheck() {
    LiveBench bench;
    QVERIFY(write(path("rule.py"),
                  "# not printed\n@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((4,), "
                  "\"float32\")):\n        with R.dataflow():\n            a = R.add(x, x)\n            c = "
                  "R.call_packed(\"f\", a, sinfo_args=R.Tensor((4,), \"float32\"))\n            R.output(a)\n        "
                  "return a\n"));
    QVERIFY(bench.does("file.open", {path("rule.py")}));
    QCOMPARE(bench.document.problems().size(), size_t{1});
    const ProblemRow problem = bench.document.problems().front();
    QCOMPARE(problem.rule, QString("relax.impure-in-dataflow"));
    QCOMPARE(problem.line, 8);
    QCOMPARE(bench.document.steps()[0].verdict, Verdict::IllFormed);
    const ProblemPlace place = problemPlace(problem, bench.document.stage(0).get());
    QVERIFY(bench.document.stage(0)->line(place.line).contains("call_packed"));
    QVERIFY(bench.window.dump("source").contains("-- underlined 8:"));
  }

  /// Weights and inputs that do not fit, each with its parameter, in the problem list; the module stays.
  void badArguments_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QStringList>("says");
    const QString dynamic = kSamples + "dynamic/";
    QTest::newRow("a symbol") << QStringList{"main", "inputs=" + dynamic + "inputs_mismatch.npz"}
                              << QStringList{"y, axis 0", "n = ", "bound by x, axis 0"};
    QTest::newRow("a wrong name") << QStringList{"main", "params=" + kSamples + "mlp/params.npz"}
                                  << QStringList{"has no parameter"};
    QTest::newRow("no file") << QStringList{"main", "inputs=/no/such.npz"} << QStringList{"/no/such.npz"};
    QTest::newRow("not an npz") << QStringList{"main", "inputs=" + dynamic + "module.py"} << QStringList{"module.py"};
  }
  void badArguments() {
    QFETCH(QStringList, arguments);
    QFETCH(QStringList, says);
    LiveBench bench;
    QVERIFY(bench.open("dynamic"));
    QVERIFY(bench.does("debug.start", arguments));
    QCOMPARE(bench.debug.state(), RunState::Off);
    const QString listed = bench.window.dump("problems");
    for (const QString& part : says) QVERIFY2(listed.contains(part), qPrintable(listed));
    QVERIFY(bench.document.stage(0)->function("main"));
    QVERIFY(bench.does("debug.start", {"main"}));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
    QVERIFY(!bench.window.dump("problems").contains("has no parameter"));
  }

  void breakpointsAndStages() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("debug.toggleBreakpoint", {"scores"}));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.stop().variable, QString("scores"));
    QCOMPARE(bench.debug.breakpoints().front().hits, 1);
    QVERIFY(bench.does("debug.stepInstruction"));
    QVERIFY(bench.does("debug.stepBack"));
    QVERIFY(bench.debug.registers().size() > 5);
    // Another stage: the same place, its bindings from now on.
    QVERIFY(bench.does("pass.goTo", {"4"}));
    QCOMPARE(bench.debug.config().stage, 4);
    QVERIFY(bench.does("debug.stepOver"));
    QVERIFY(!bench.debug.stop().variable.isEmpty());
    QVERIFY(bench.does("debug.clearBreakpoints"));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.state(), RunState::Ended);
  }

  /// They go with their module and come back with it, also in the next session.
  void breakpointsBelongToTheirModule() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("debug.toggleBreakpoint", {"scores"}));
    QVERIFY(bench.does("debug.toggleBreakpoint", {"weights"}));
    bench.debug.setBreakpointEnabled(bench.debug.breakpoints()[0].id, false);
    bench.debug.setBreakpointCondition(bench.debug.breakpoints()[1].id, "n > 2");
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.debug.breakpoints().empty());
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QVERIFY(bench.open("attention"));
    QCOMPARE(bench.debug.breakpoints().size(), size_t{2});
    QCOMPARE(bench.debug.breakpoints()[0].variable, QString("scores"));
    QVERIFY(!bench.debug.breakpoints()[0].enabled);
    QCOMPARE(bench.debug.breakpoints()[1].condition, QString("n > 2"));
    QVERIFY(bench.does("debug.clearBreakpoints"));
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.debug.breakpoints().empty());
  }

  /// What a binding had at a step is what it has when that step is looked at again, however it was reached.
  void valuesOfEveryStep() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("debug.start", {"main"}));
    const int bindings = static_cast<int>(bench.document.stage(0)->function("main")->bindings.size());
    const auto all = [&] {
      QStringList rows;
      for (int i = 0; i < bindings; ++i) {
        const ValueSummary value = bench.debug.valueOf("main", i);
        rows << (value.known ? QStringLiteral("%1 %2 %3").arg(i).arg(value.text).arg(value.mean, 0, 'g', 17)
                             : QString());
      }
      return rows.join('\n');
    };
    std::map<int, QString> seen;
    while (bench.debug.state() == RunState::Stopped) {
      seen[bench.debug.stop().step] = all();
      QVERIFY(bench.does("debug.stepInstruction", {"7"}));
    }
    QVERIFY(seen.size() > 10);
    for (auto it = seen.rbegin(); it != seen.rend(); ++it) {
      QVERIFY(bench.does("debug.goToStep", {QString::number(it->first)}));
      QCOMPARE(all(), it->second);
    }
    QVERIFY(seen.rbegin()->second.contains('\n'));
    QVERIFY(seen.begin()->second.simplified().isEmpty());
  }

  /// More rows than one answer of the engine holds, and a graph that is made on a worker.
  void longFunctions() {
    constexpr int kBindings = 1500;
    QByteArray text =
        "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((\"n\",), \"float32\")):\n        with "
        "R.dataflow():\n            lv0 = R.nn.relu(x)\n";
    for (int i = 1; i < kBindings; ++i)
      text += QStringLiteral("            lv%1 = R.add(lv%2, x)\n").arg(i).arg(i - 1).toUtf8();
    text += QStringLiteral("            R.output(lv%1)\n        return lv%1\n").arg(kBindings - 1).toUtf8();
    QVERIFY(write(path("long.py"), text));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {path("long.py")}));
    QVERIFY(bench.does("select.binding", {"lv1200"}));
    QVERIFY(bench.window.dump("graph").contains("lv1499"));
    // What a folded layer hides is found all the same.
    QVERIFY(bench.does("view.panel", {"graph"}));
    QVERIFY2(bench.does("edit.find", {"lv777"}), qPrintable(bench.window.lastError()));
    QCOMPARE(bench.selection.place().variable, QString("lv777"));
    QVERIFY(!bench.window.run("edit.find", {"nothing of the kind"}));
    QVERIFY(bench.does("view.panel", {"ir"}));
    QVERIFY(bench.window.dump("ir").contains("lv1499"));
    QVERIFY(bench.window.dump("symbols").contains("1,501 places: "));
    QVERIFY(bench.does("debug.start", {"main", "seed=1", "n=2", "stop=none"}));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QVERIFY(bench.debug.instructions().size() > kBindings);
    QCOMPARE(static_cast<int>(bench.debug.trace().size()), bench.debug.stop().step);
    for (const int binding : {0, 999, 1000, kBindings - 1}) QVERIFY(bench.debug.valueOf("main", binding).known);
    QVERIFY(bench.does("debug.goToStep", {QString::number(bench.debug.trace().size() / 2)}));
    QVERIFY(bench.debug.valueOf("main", 0).known);
    QVERIFY(!bench.debug.valueOf("main", kBindings - 1).known);
  }

  /// The panels keep their widths while titles change, tabs are raised and a run goes on.
  void panelsStandStill() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    const auto widths = [&] {
      QList<int> all;
      for (const char* id : {"passes", "graph", "inspector", "timeline"}) all << bench.window.panel(id)->width();
      return all;
    };
    QApplication::processEvents();
    const QList<int> before = widths();
    for (int i = 0; i < 3; ++i) {
      QVERIFY(bench.does("debug.start", {"main"}));
      QVERIFY(bench.does("debug.stepOver", {"3"}));
      for (const char* id : {"symbols", "values", "source", "problems", "module", "ir", "bytecode"})
        QVERIFY(bench.does("view.panel", {id}));
      QVERIFY(bench.does("debug.stop"));
      QApplication::processEvents();
      QCOMPARE(widths(), before);
    }
  }

  /// The keys of ui-conventions, pressed: each does what its command does.
  void keys() {
    LiveBench bench;
    QVERIFY(bench.open("branch"));
    bench.window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&bench.window));
    QVERIFY(bench.does("debug.start", {"main"}));
    const auto press = [&](int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
      QTest::keyClick(&bench.window, static_cast<Qt::Key>(key), modifiers);
      return bench.settle();
    };
    const int start = bench.debug.stop().step;
    QVERIFY(press(Qt::Key_F10));
    const int over = bench.debug.stop().step;
    QVERIFY(over > start);
    QVERIFY(press(Qt::Key_F10, Qt::AltModifier));
    QCOMPARE(bench.debug.stop().step, over + 1);
    QVERIFY(press(Qt::Key_F10, Qt::ShiftModifier));
    QVERIFY(bench.debug.stop().step <= over);
    for (int i = 0; i < 60 && bench.debug.frames().size() < 2; ++i) QVERIFY(press(Qt::Key_F11));
    QCOMPARE(bench.debug.frames().size(), size_t{2});
    QVERIFY(press(Qt::Key_F11, Qt::ShiftModifier));
    QCOMPARE(bench.debug.frames().size(), size_t{1});
    QVERIFY(press(Qt::Key_F9));
    QCOMPARE(bench.debug.breakpoints().size(), size_t{1});
    QVERIFY(press(Qt::Key_F9));
    QVERIFY(bench.debug.breakpoints().empty());
    QVERIFY(press(Qt::Key_F5));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QVERIFY(press(Qt::Key_F5, Qt::AltModifier));
    QCOMPARE(bench.debug.stop().step, 0);
    QVERIFY(press(Qt::Key_BracketRight, Qt::ControlModifier));
    QCOMPARE(bench.selection.place().stage, 1);
  }

  /// The row of the machine is in sight in the list that comes to the front or gets smaller.
  void theCurrentRowIsInSight() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("view.panel", {"log"}));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.stepOver", {"12"}));
    const auto inSight = [&] {
      for (QAbstractItemView* view : bench.window.panel("bytecode")->findChildren<QAbstractItemView*>()) {
        if (view->accessibleName() != "Bytecode") continue;
        for (int row = 0; row < view->model()->rowCount(); ++row) {
          if (!view->model()->index(row, 1).data().toString().contains(QChar(0x2794))) continue;
          return view->viewport()->rect().contains(view->visualRect(view->model()->index(row, 0)));
        }
      }
      return false;
    };
    QVERIFY(bench.does("view.panel", {"bytecode"}));
    QTRY_VERIFY(inSight());
    bench.window.resize(1280, 640);
    QTRY_VERIFY(inSight());
  }

  void listsFollowTheTheme() {
    LiveBench bench;
    QVERIFY(bench.does("view.themeLight"));
    QVERIFY(bench.open("attention"));
    const QAbstractItemModel* model = bench.window.panel("symbols")->findChild<QAbstractItemView*>()->model();
    QCOMPARE(model->index(0, 0).data(Qt::ForegroundRole).value<QColor>(), Palette::lightTheme().text);
    QVERIFY(bench.does("view.themeDark"));
    QCOMPARE(model->index(0, 0).data(Qt::ForegroundRole).value<QColor>(), Palette::darkTheme().text);
    QVERIFY(bench.does("view.themeLight"));
  }

  void intoAndOut() {
    LiveBench bench;
    QVERIFY(bench.open("branch"));
    QVERIFY(bench.does("debug.start", {"main"}));
    size_t deepest = 1;
    for (int i = 0; i < 60 && bench.debug.state() == RunState::Stopped && deepest < 2; ++i) {
      QVERIFY(bench.does("debug.stepInto"));
      deepest = std::max(deepest, bench.debug.frames().size());
    }
    QVERIFY2(deepest >= 2, "no call was stepped into");
    const size_t inside = bench.debug.frames().size();
    QVERIFY(bench.does("debug.stepOut"));
    QVERIFY(bench.debug.frames().size() < inside || bench.debug.state() == RunState::Ended);
  }

  void firstInf() {
    LiveBench bench;
    QVERIFY(bench.open("attention_fp16"));
    QVERIFY(bench.does("debug.stopOnNonFinite", {"on"}));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.stop().reason, QString("exception"));
    const Place& place = bench.selection.place();
    QVERIFY(bench.debug.valueOf(place.function, place.binding).inf > 0);
    // The machine stands behind the binding that made it: that one is marked, and the finding has its place.
    QCOMPARE(bench.debug.stop().variable, QString("scores"));
    QVERIFY(bench.window.dump("ir").contains(QRegularExpression("\\n *scores: .*<== current")));
    QVERIFY(bench.window.dump("problems").startsWith("line 22 of stage 0: error[run.stopped]: scores"));
    QVERIFY(bench.does("debug.stopOnNonFinite", {"off"}));
    QVERIFY(bench.does("debug.restart"));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QVERIFY(bench.does("debug.stopOnNonFinite", {"on"}));
    QVERIFY(bench.does("debug.restart"));
    QVERIFY(bench.does("debug.continue"));
    QCOMPARE(bench.document.problems().size(), size_t{1});
    QVERIFY(bench.does("debug.stop"));
    QVERIFY(bench.document.problems().empty());
  }

  /// What was open and selected is there again at the next start.
  void sessions() {
    LiveBench first;
    QVERIFY(first.open("attention"));
    QVERIFY(first.does("pass.goTo", {"4"}));
    QVERIFY(first.does("select.function", {"main"}));
    QVERIFY(first.does("select.binding", {"scores"}));
    first.window.close();
    const QString link = first.settings.value("link").toString();
    LiveBench second;
    QObject::connect(&second.document, &LiveDocument::placeAsked, &second.window, [&](const Place& place) {
      second.selection.select(place);
      goToStage(second.window.desk(), place.stage);
      second.selection.select(place);
    });
    QVERIFY(second.does("file.openLink", {link}));
    QCOMPARE(second.selection.place().stage, 4);
    QCOMPARE(second.selection.place().variable, QString("scores"));
  }

  void instructionsAreShort_data() {
    QTest::addColumn<QString>("full");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("writes");
    QTest::newRow("builtin") << "call vm.builtin.make_shape in: %5, i1 dst: %6" << "call make_shape %5, i1 → %6"
                             << "%6";
    QTest::newRow("kernel") << "call matmul in: %0, %1, %9 dst: %void" << "call matmul %0, %1, %9" << "";
    QTest::newRow("no input") << "call vm.builtin.null_value in: dst: %9" << "call null_value → %9" << "%9";
    QTest::newRow("other") << "ret %3" << "ret %3" << "";
  }
  void instructionsAreShort() {
    QFETCH(QString, full);
    QFETCH(QString, text);
    QFETCH(QString, writes);
    QString register_;
    QCOMPARE(shortInstruction(full, &register_), text);
    QCOMPARE(register_, writes);
  }

  /// Ctrl+F in every panel of text or rows; what is not there is not found.
  void findsEverywhere() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("pass.goTo", {"4"}));
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(bench.does("debug.stepOver"));
    const std::pair<const char*, const char*> texts[] = {
        {"ir", "matmul"},      {"source", "matmul"},   {"bytecode", "make_shape"}, {"log", "engine"},
        {"symbols", "x axis"}, {"passes", "Legalize"}, {"stack", "main"},          {"diff", "call_tir"}};
    for (const auto& [panel, text] : texts) {
      QVERIFY2(bench.does("view.panel", {panel}), panel);
      QVERIFY2(bench.does("edit.find", {text}), panel);
      QVERIFY2(bench.does("edit.findNext"), panel);
      QVERIFY2(!bench.window.run("edit.find", {"no such text here"}), panel);
      QVERIFY2(bench.window.run("edit.find"), panel);
    }
  }

  /// The engine of an export can die as well.
  void exportsThatDie() {
    LiveBench bench;
    QVERIFY(bench.open("mlp"));
    qputenv("RELAXSCOPE_RXS", "/bin/false");
    QVERIFY(bench.does("export.package", {path("never")}));
    QVERIFY(!bench.window.toolError().isEmpty());
    qputenv("RELAXSCOPE_RXS", "/no/such/program");
    QVERIFY(bench.does("debug.start", {"main"}));
    QVERIFY(!bench.debug.deathReport().isEmpty());
    qputenv("RELAXSCOPE_RXS", kTool.toUtf8());
    QVERIFY(bench.does("debug.start", {"main"}));
    QCOMPARE(bench.debug.state(), RunState::Stopped);
  }
};

QTEST_MAIN(LiveWindowTest)
#include "tst_live_window.moc"
