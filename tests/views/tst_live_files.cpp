// What the window reads and refuses: changed and broken files, wrong arguments, what belongs to one module only.
#include "live_bench.h"

using namespace rx;
using namespace rx::views;

class LiveFilesTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  QString path(const QString& name) const { return folder_.filePath(name); }

 private Q_SLOTS:
  void initTestCase() { useBuiltProgram(); }

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
                              << QStringList{"y, axis 0", "n is 3", "bound by x, axis 0"};
    QTest::newRow("a wrong name") << QStringList{"main", "params=" + kSamples + "mlp/params.npz"}
                                  << QStringList{"has no parameter"};
    QTest::newRow("an array too many") << QStringList{"f"} << QStringList{"\"z\"", "its parameters: x, y", "a seed"};
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

  /// Weights beside the module are taken where they are safetensors, too.
  void weightsInSafetensors() {
    QTemporaryDir folder;
    QVERIFY(write(folder.filePath("module.py"),
                  "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((2,), \"float32\"), "
                  "w: R.Tensor((2,), \"float32\")):\n        R.func_attr({\"num_input\": 1})\n        y = R.add(x, "
                  "w)\n        return y\n"));
    const auto file = [](const QByteArray& name, float first, float second) {
      const QByteArray header = "{\"" + name + "\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}";
      const auto length = static_cast<quint64>(header.size());
      const float values[] = {first, second};
      return QByteArray(reinterpret_cast<const char*>(&length), sizeof length) + header +
             QByteArray(reinterpret_cast<const char*>(values), sizeof values);
    };
    QVERIFY(write(folder.filePath("params.safetensors"), file("w", 40, 2)));
    QVERIFY(write(folder.filePath("inputs.safetensors"), file("x", 2, 1)));
    LiveBench bench;
    QVERIFY(bench.does("file.open", {folder.path()}));
    QVERIFY2(bench.does("debug.start", {"main"}) && bench.does("debug.continue"), qPrintable(bench.window.lastError()));
    const ValueSummary sum = bench.debug.valueOf("main", 0);
    QVERIFY(sum.known);
    QCOMPARE(sum.max, 42.0);
    QCOMPARE(sum.min, 3.0);
  }

  /// They go with their module and come back with it, also in the next session.
  void breakpointsBelongToTheirModule() {
    LiveBench bench;
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.does("select.function", {"main"}));
    QVERIFY(bench.does("debug.toggleBreakpoint", {"scores"}));
    QVERIFY(bench.does("debug.toggleBreakpoint", {"weights"}));
    bench.debug.setBreakpointEnabled(bench.debug.breakpoints()[0].id, false);
    bench.debug.setBreakpointRule(bench.debug.breakpoints()[1].id, {"n > 2", "% 2", "n is {n}"});
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.debug.breakpoints().empty());
    QVERIFY(bench.does("debug.start", {"main", "stop=none"}));
    QCOMPARE(bench.debug.state(), RunState::Ended);
    QVERIFY(bench.open("attention"));
    QCOMPARE(bench.debug.breakpoints().size(), size_t{2});
    QCOMPARE(bench.debug.breakpoints()[0].variable, QString("scores"));
    QVERIFY(!bench.debug.breakpoints()[0].enabled);
    QCOMPARE(bench.debug.breakpoints()[1].condition, QString("n > 2"));
    QCOMPARE(bench.debug.breakpoints()[1].hitCondition, QString("% 2"));
    QCOMPARE(bench.debug.breakpoints()[1].logMessage, QString("n is {n}"));
    QVERIFY(bench.does("debug.clearBreakpoints"));
    QVERIFY(bench.open("mlp"));
    QVERIFY(bench.open("attention"));
    QVERIFY(bench.debug.breakpoints().empty());
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
};

QTEST_MAIN(LiveFilesTest)
#include "tst_live_files.moc"
