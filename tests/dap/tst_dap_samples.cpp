// The engine as the window starts it: `rxs dap` on every sample, to the end, against the expected output, and back.
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

#include "core/tensor/npy.h"
#include "engine_process.h"

using namespace rx;
using namespace rx::dap;
using rx::test::Engine;
using rx::test::samplePath;

namespace {

/// Where two tensors differ by more than the tolerance (relative to the larger, and absolute), else "".
QString difference(const HostTensor& got, const HostTensor& expected, double tolerance) {
  if (got.shape() != expected.shape() || got.dtype() != expected.dtype())
    return QString::fromStdString("shape or type: " + shapeText(got.shape()) + " " + got.dtype().str());
  for (int64_t i = 0; i < got.count(); ++i) {
    double a = got.at(i), b = expected.at(i);
    bool same = std::isfinite(a) && std::isfinite(b)
                    ? std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)})
                    : (std::isnan(a) && std::isnan(b)) || a == b;
    if (!same) return QString("element %1: %2 instead of %3").arg(i).arg(a).arg(b);
  }
  return {};
}

}  // namespace

class TestDapSamples : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void resultIsTheExpectedOne_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QString>("inputs");
    QTest::addColumn<QString>("expected");
    QTest::addColumn<double>("tolerance");
    for (const char* name : {"mlp", "dynamic", "branch", "simplenet", "attention", "attention_fp16", "scan"})
      QTest::newRow(name) << name << "inputs.npz"
                          << "expected.npz" << (QLatin1String(name) == QLatin1String("attention_fp16") ? 2e-2 : 1e-5);
    QTest::newRow("branch, false") << "branch"
                                   << "inputs_false.npz"
                                   << "expected_false.npz" << 1e-5;
  }
  void resultIsTheExpectedOne() {
    QFETCH(QString, sample);
    QFETCH(QString, inputs);
    QFETCH(QString, expected);
    QFETCH(double, tolerance);
    Engine engine;
    QCOMPARE(QString::fromStdString(engine.launch(sample, qPrintable(inputs))), QString());
    QCOMPARE(engine.stop()["reason"], Json("entry"));
    // Over every binding to the end: no two stops in a row are at the same one.
    std::vector<Json> stops;
    for (Json stop = engine.move("next"); stop.is_object(); stop = engine.move("next")) {
      stops.push_back(stop["rxs"]);
      QVERIFY2(stop["reason"] != Json("exception"), stop.dump().c_str());
      if (stop["reason"] == Json("end")) break;
      QVERIFY(stops.size() < 200);
      if (stops.size() > 1) QVERIFY(stops[stops.size() - 2]["binding"] != stop["rxs"]["binding"]);
    }
    QVERIFY(stops.size() > 1);
    QCOMPARE(stops.back()["ended"], Json(true));
    auto result = engine.ask("rxs/result");
    QVERIFY(result.ok());
    auto wanted = readNpz(samplePath(sample, qPrintable(expected)));
    QVERIFY(wanted.ok());
    QTemporaryDir folder;
    for (const auto& [name, tensor] : *wanted) {
      const Json& value = name == "out" ? (*result)["value"] : (*result)["items"][size_t(std::stoi(name.substr(4)))];
      std::string path = folder.filePath("value.npy").toStdString();
      auto saved = engine.ask("rxs/saveValue", {{"reference", value["reference"]}, {"path", path}});
      QVERIFY2(saved.ok(), value.dump().c_str());
      QCOMPARE(difference(**readNpy(path), *tensor, tolerance), QString());
    }
    // And back over the same bindings.
    for (size_t i = stops.size() - 1; i-- > 0;) {
      Json stop = engine.move("stepBack");
      QCOMPARE(stop["rxs"]["variable"], stops[i]["variable"]);
      QCOMPARE(stop["rxs"]["step"], stops[i]["step"]);
    }
  }

  /// Where a breakpoint at each line of the sample stands, 0 where there is none: it never leaves its branch or
  /// function and never changes the file.
  void linesOfBreakpoints() {
    const std::vector<int> expected = {0, 0,  0,  0,  0,  9,  9,  9,  9,  10, 0,  0,  13, 14, 15,
                                       0, 17, 0,  23, 23, 23, 23, 23, 24, 25, 0,  0,  28, 29, 30,
                                       0, 34, 34, 34, 36, 36, 0,  39, 39, 40, 41, 42, 43, 0};
    Engine engine;
    QCOMPARE(QString::fromStdString(engine.launch("branch")), QString());
    Json lines = Json::array();
    for (size_t line = 1; line <= expected.size(); ++line) lines.push_back({{"line", line}});
    const auto places = [&](const std::string& path) {
      std::vector<int> found;
      auto answer = engine.ask("setBreakpoints", {{"source", {{"path", path}}}, {"breakpoints", lines}});
      for (const Json& row : answer ? (*answer)["breakpoints"] : Json::array()) {
        if (!row["verified"].get<bool>() && row["message"].get<std::string>().empty()) found.push_back(-1);
        found.push_back(row["verified"].get<bool>() ? row["line"].get<int>() : 0);
      }
      return found;
    };
    QCOMPARE(places("/else/module.py"), std::vector<int>(expected.size(), 0));
    QCOMPARE(places(samplePath("branch", "../branch/module.py")), expected);
  }

  /// The lines of a text of Relay: where breakpoints at them stand, and what the stack says at a stop.
  void linesOfRelay() {
    const std::string path = samplePath("relay_passes", "basic_blocks.relay");
    Engine engine;
    QCOMPARE(engine.launchProgram(Json{{"program", path}, {"choices", {"x=@zero", "y=@zero", "positive=@zero"}}}),
             std::string());
    QCOMPARE(engine.stop()["reason"], Json("entry"));
    const std::vector<int> expected = {0, 6, 3, 4, 5, 6, 7, 8, 0, 10, 0, 0, 13, 0, 15};
    Json lines = Json::array();
    for (size_t line = 1; line <= expected.size(); ++line) lines.push_back({{"line", line}});
    auto answer = engine.ask("setBreakpoints", {{"source", {{"path", path}}}, {"breakpoints", lines}});
    QVERIFY(answer);
    std::vector<int> found;
    for (const Json& row : (*answer)["breakpoints"])
      found.push_back(row["verified"].get<bool>() ? row["line"].get<int>() : 0);
    QCOMPARE(found, expected);
    std::vector<int> stops;
    for (Json stop = engine.move("continue"); stop["reason"] == Json("breakpoint"); stop = engine.move("continue")) {
      auto stack = engine.ask("stackTrace", {{"threadId", 1}});
      QVERIFY(stack);
      const Json& frame = (*stack)["stackFrames"][0];
      QCOMPARE(frame["source"]["path"], Json(path));
      stops.push_back(frame["line"].get<int>());
      QVERIFY(stops.size() < 20);
      // Names of the text are no registers; what has no value yet has none.
      auto sum = engine.ask("evaluate", {{"expression", "max(%2) + 1"}, {"frameId", frame["id"]}});
      QCOMPARE(sum.ok(), stops.size() > 1);
      if (sum) QCOMPARE(QString::fromStdString((*sum)["result"].get<std::string>()), QString("1"));
      QVERIFY(!engine.ask("evaluate", {{"expression", "max(%3)"}, {"frameId", frame["id"]}}));
    }
    // What only the other branch needs is not computed.
    QCOMPARE(stops, (std::vector<int>{3, 6, 13, 15}));
  }

  /// A program alone runs as `rxs run` runs it; without files beside it, on generated inputs, which is said.
  void programAlone_data() {
    QTest::addColumn<bool>("files");
    QTest::newRow("files beside") << true;
    QTest::newRow("no files") << false;
  }
  void programAlone() {
    QFETCH(bool, files);
    QTemporaryDir folder;
    std::string program = samplePath("mlp", "module.py");
    if (!files) {
      QVERIFY(QFile::copy(QString::fromStdString(program), folder.filePath("module.py")));
      program = folder.filePath("module.py").toStdString();
    }
    Engine engine;
    for (auto& [command, arguments] : std::vector<std::pair<std::string, Json>>{
             {"initialize", {}}, {"launch", {{"program", program}}}, {"configurationDone", {}}})
      QVERIFY2(engine.ask(command, arguments).ok(), command.c_str());
    std::string said;
    int exit = -1;
    QVERIFY(engine.pump([&] {
      while (!engine.events.empty() && exit < 0) {
        const Event event = engine.events.front();
        engine.events.pop_front();
        if (event.event == "output") said += event.body["output"].get<std::string>();
        if (event.event == "exited") exit = event.body["exitCode"].get<int>();
      }
      return exit >= 0;
    }));
    QCOMPARE(exit, 0);
    QCOMPARE(said.find("generated") == std::string::npos, files);
  }

  /// Going on after the fault that ended a run ends the session; every frame has a place meanwhile.
  void goesOnAfterAFault() {
    Engine engine;
    Json more = {{"program", samplePath("dynamic", "module.py")},
                 {"params", samplePath("dynamic", "params.npz")},
                 {"inputs", samplePath("dynamic", "inputs_bad_cast.npz")}};
    for (auto& [command, arguments] :
         std::vector<std::pair<std::string, Json>>{{"initialize", {}}, {"launch", more}, {"configurationDone", {}}})
      QVERIFY2(engine.ask(command, arguments).ok(), command.c_str());
    QCOMPARE(engine.stop()["reason"], Json("exception"));
    auto frames = engine.ask("stackTrace", {{"threadId", 1}});
    QVERIFY(frames.ok() && !(*frames)["stackFrames"].empty());
    for (const Json& frame : (*frames)["stackFrames"]) {
      QVERIFY(frame["line"].get<int>() > 0);
      QCOMPARE(frame["source"]["path"], Json(samplePath("dynamic", "module.py")));
    }
    QVERIFY(engine.ask("continue", {{"threadId", 1}}).ok());
    QVERIFY(engine.pump([&] {
      return std::any_of(engine.events.begin(), engine.events.end(),
                         [](const Event& event) { return event.event == "terminated"; });
    }));
  }

  /// A client that counts from 0 and writes URIs is answered in kind.
  void clientsCount() {
    const Json uri = "file://" + samplePath("branch", "module.py");
    Engine engine;
    QVERIFY(
        engine.ask("initialize", {{"linesStartAt1", false}, {"columnsStartAt1", false}, {"pathFormat", "uri"}}).ok());
    QVERIFY(engine.ask("launch", {{"program", samplePath("branch")}}).ok());
    auto set = engine.ask("setBreakpoints", {{"source", {{"path", uri}}}, {"breakpoints", {{{"line", 23}}}}});
    QVERIFY(set.ok());
    QCOMPARE((*set)["breakpoints"][0]["verified"], Json(true));
    QCOMPARE((*set)["breakpoints"][0]["line"], Json(23));
    QVERIFY(engine.ask("configurationDone").ok());
    QCOMPARE(engine.stop()["rxs"]["line"], Json(24));
    auto frames = engine.ask("stackTrace", {{"threadId", 1}});
    QCOMPARE((*frames)["stackFrames"][0]["line"], Json(23));
    QCOMPARE((*frames)["stackFrames"][0]["column"], Json(0));
    QCOMPARE((*frames)["stackFrames"][0]["source"]["path"], uri);
  }

  /// A client that knows nothing of sockets and tokens goes over the bridge.
  void overTheBridge() {
    QProcess engine;
    engine.start(RX_BINARY_DIR "/bin/rxs", {"dap", "--listen", "0"});
    QByteArray said;
    while (said.count('\n') < 2 && engine.waitForReadyRead(10000)) said += engine.readAllStandardOutput();
    const QList<QByteArray> lines = said.split('\n');
    const QString port = lines[0].mid(lines[0].lastIndexOf(':') + 1);
    const auto bridge = [&](const QByteArray& token, const std::string& session) {
      QProcess process;
      QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
      environment.insert("RXS_DAP_TOKEN", token);
      process.setProcessEnvironment(environment);
      process.start(RX_BINARY_DIR "/bin/rxs", {"dap", "--connect", port});
      process.write(QByteArray::fromStdString(session));
      if (!process.waitForFinished(10000)) return QByteArray("does not end");
      return process.exitCode() == 0 ? process.readAllStandardOutput() : process.readAllStandardError();
    };
    const std::string session =
        frame(toJson(Request{1, "initialize", {}})) + frame(toJson(Request{2, "disconnect", {}}));
    QVERIFY(bridge("guessed", session).contains("is the token right?"));
    QVERIFY(bridge(lines.value(1).mid(6), session).contains("supportsStepBack"));
    QVERIFY(engine.waitForFinished(5000));
    QVERIFY(bridge("any", session).contains("cannot connect"));
  }

  void firstInfIsInTheScores() {
    Engine engine;
    QCOMPARE(QString::fromStdString(engine.launch("attention_fp16")), QString());
    engine.stop();
    QVERIFY(engine.ask("setExceptionBreakpoints", {{"filters", {"nonfinite"}}}).ok());
    Json stop = engine.move("continue");
    QCOMPARE(stop["reason"], Json("exception"));
    QVERIFY2(stop["description"].get<std::string>().find("finite inputs") != std::string::npos, stop.dump().c_str());
    QCOMPARE(stop["rxs"]["doneFunction"], Json("main"));
  }

  /// Where kernels write into buffers, stops are at the calls; the name of a buffer has the value that its call wrote,
  /// and never that of the shape that was made for it.
  void aliasesHaveTheValueOfTheirKernel_data() {
    QTest::addColumn<int>("stage");
    for (int stage : {8, 9}) QTest::newRow(qPrintable(QString::number(stage))) << stage;
  }
  void aliasesHaveTheValueOfTheirKernel() {
    QFETCH(int, stage);
    Engine engine;
    QCOMPARE(QString::fromStdString(engine.launch("attention_fp16", "inputs.npz", {{"stage", stage}})), QString());
    std::string before;
    bool seen = false;
    Json stop = engine.stop();
    for (int stops = 0; stop["rxs"]["ended"] == Json(false); ++stops) {
      QVERIFY(stops < 100);
      const std::string at = stop["rxs"]["variable"];
      QVERIFY2(at != "weights" && !at.starts_with("alloc") && !at.starts_with("storage"), at.c_str());
      auto values = engine.ask("rxs/values", {{"since", 0}});
      QVERIFY(values.ok());
      for (const Json& row : (*values)["bindings"]) {
        if (row["variable"] != Json("weights")) continue;
        QCOMPARE(QString::fromStdString(row["value"]["kind"]), QString("tensor"));
        QCOMPARE(row["value"]["nanCount"].get<int>(), 18);
        if (!seen) QVERIFY2(before.starts_with("_"), before.c_str());
        seen = true;
      }
      before = at;
      stop = engine.move("next");
    }
    QVERIFY(seen);
  }

  void brokenSymbolIsExplained() {
    Engine engine;
    QCOMPARE(QString::fromStdString(engine.launch("dynamic", "inputs_bad_cast.npz")), QString());
    engine.stop();
    Json stop = engine.move("continue");
    QCOMPARE(stop["reason"], Json("exception"));
    std::string why = stop["description"].get<std::string>();
    for (const char* part : {"3", "4"}) QVERIFY2(why.find(part) != std::string::npos, why.c_str());
  }

  void wrongFilesAreRefused() {
    {
      Engine engine;
      std::string why = engine.launch("mlp", "nothing.npz");
      QVERIFY2(!why.empty() && !why.starts_with("test."), why.c_str());
    }
    Engine engine;
    Json more = {{"function", "nobody"}};
    std::string why = engine.launch("mlp", "inputs.npz", more);
    QVERIFY2(!why.empty() && !why.starts_with("test."), why.c_str());
    auto missing = engine.ask("launch", {{"program", "/nowhere/module.py"}});
    QVERIFY(!missing);
    QCOMPARE(missing.diagnostics().front().rule, std::string("file.read"));
  }
};

QTEST_GUILESS_MAIN(TestDapSamples)
#include "tst_dap_samples.moc"
