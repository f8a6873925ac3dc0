// A debugger in a kernel of a device: its threads, statement by statement, and the run that goes on behind it.
#include <QTemporaryDir>
#include <QtTest>

#include "../support/threads_module.h"
#include "core/support/file.h"
#include "engine_process.h"

using namespace rx;
using namespace rx::dap;
using rx::test::Engine;

class TestDapThreads : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void stepsThreads();
  void tellsRaces();
  void notOnTheHost();
};

namespace {

std::string programOf(const QTemporaryDir& folder, const std::string& store) {
  const std::string path = folder.filePath("module.py").toStdString();
  if (!writeFile(path, rx::test::threadsModule(store))) qFatal("no file");
  return path;
}

/// Over bindings to one that calls the kernel, and into its threads; the stop, or what is refused.
Json intoKernel(Engine& engine, const std::string& target) {
  for (int i = 0; i < 20; ++i) {
    const auto frame = engine.ask("stackTrace", {{"threadId", 1}});
    if (!frame || (*frame)["stackFrames"].empty()) return "no call of " + target;
    const auto targets = engine.ask("stepInTargets", {{"frameId", (*frame)["stackFrames"][0]["id"]}});
    if (!targets) return targets.diagnostics().front().message;
    for (const Json& each : (*targets)["targets"])
      if (each["label"] == Json(target)) return engine.move("stepIn", {{"threadId", 1}, {"targetId", each["id"]}});
    if (Json stop = engine.move("next"); !stop.is_object() || stop["reason"] == Json("end")) break;
  }
  return "no call of " + target;
}

Json frameOf(Engine& engine, int64_t thread) {
  const auto stack = engine.ask("stackTrace", {{"threadId", thread}});
  return stack ? (*stack)["stackFrames"][0] : Json(stack.diagnostics().front().message);
}

/// The rows of a scope of a thread.
Json rowsOf(Engine& engine, int64_t thread, const char* title) {
  const auto scopes = engine.ask("scopes", {{"frameId", frameOf(engine, thread)["id"]}});
  for (const Json& scope : scopes ? (*scopes)["scopes"] : Json::array()) {
    if (scope["name"] != Json(title)) continue;
    const auto rows = engine.ask("variables", {{"variablesReference", scope["variablesReference"]}});
    return rows ? (*rows)["variables"] : Json();
  }
  return {};
}

}  // namespace

void TestDapThreads::stepsThreads() {
  QTemporaryDir folder;
  Engine engine;
  const Json launch{{"program", programOf(folder, "y[t] = ours[7 - t]")}, {"target", "opencl"}};
  QCOMPARE(QString::fromStdString(engine.launchProgram(launch)), QString());
  engine.stop();
  const Json stop = intoKernel(engine, "threads of k");
  QVERIFY2(stop.is_object(), stop.dump().c_str());
  QCOMPARE(stop["threadId"], Json(2));
  const auto threads = engine.ask("threads");
  QCOMPARE((*threads)["threads"].size(), size_t{9});
  QCOMPARE((*threads)["threads"][4]["name"], Json("blockIdx (0, 0, 0), threadIdx (3, 0, 0)"));
  // Its text, and the line that moves with each step.
  const Json first = frameOf(engine, 5);
  const auto text = engine.ask("source", {{"sourceReference", first["source"]["sourceReference"]}});
  QVERIFY(text && (*text)["content"].get<std::string>().find("tvm_storage_sync") != std::string::npos);
  const Json moved = engine.move("next", {{"threadId", 5}});
  QCOMPARE(moved["threadId"], Json(5));
  QVERIFY(frameOf(engine, 5)["line"] != first["line"]);
  QCOMPARE(frameOf(engine, 6)["line"], first["line"]);
  // The number of the thread is among its variables, what the group shares in a scope of its own.
  const Json variables = rowsOf(engine, 5, "Variables");
  QVERIFY2(variables.dump().find("threadIdx.x") != std::string::npos, variables.dump().c_str());
  for (int i = 0; i < 20 && frameOf(engine, 5)["name"] == Json("k"); ++i) engine.move("next", {{"threadId", 5}});
  QCOMPARE(frameOf(engine, 5)["name"], Json("k (waits for others)"));
  const Json shared = rowsOf(engine, 5, "Memory of the group");
  QCOMPARE(shared.size(), size_t{1});
  const auto elements = engine.ask("variables", {{"variablesReference", shared[0]["variablesReference"]}});
  QVERIFY(elements);
  QCOMPARE((*elements)["variables"].size(), size_t{8});
  // The same in one answer.
  const auto all = engine.ask("rxs/kernelThreads", {{"threadId", 5}});
  QVERIFY(all);
  QCOMPARE((*all)["threads"].size(), size_t{8});
  QCOMPARE((*all)["threads"][3]["state"], Json("waits"));
  QCOMPARE((*all)["threads"][4]["state"], Json("ready"));
  QVERIFY((*all)["races"].empty());
  QVERIFY2((*all)["values"].dump().find("] of (8)") != std::string::npos, (*all)["values"].dump().c_str());
  QVERIFY(!engine.ask("rxs/kernelThreads", {{"threadId", 99}}));
  // Its text is said to who does not know it.
  QVERIFY(!(*all)["text"].get<std::string>().empty());
  QCOMPARE((*all)["source"], first["source"]["sourceReference"]);
  const auto again = engine.ask("rxs/kernelThreads", {{"threadId", 5}, {"knows", (*all)["source"]}});
  QVERIFY(again && (*again)["text"] == Json("") && (*again)["threads"] == (*all)["threads"]);
  QCOMPARE((*all)["groups"], Json({1, 1, 1}));
  QVERIFY(!engine.ask("rxs/chooseGroup", {{"group", {0, 0, 0, 0}}}));
  // Back to where it was, and all of the group on.
  engine.move("stepBack", {{"threadId", 5}});
  QCOMPARE(frameOf(engine, 5)["name"], Json("k"));
  engine.move("rxs/stepThreads", {{"threadId", 5}, {"of", "group"}});
  QVERIFY(frameOf(engine, 7)["line"] != first["line"]);
  QVERIFY(!engine.ask("rxs/stepThreads", {{"threadId", 5}, {"of", "nobody"}}));
  QVERIFY(!engine.ask("rxs/stepThreads", {{"threadId", 99}, {"of", "group"}}));
  // What threads hold is looked at alone.
  QVERIFY(!engine.ask("setVariable",
                      {{"variablesReference", shared[0]["variablesReference"]}, {"name", "[0]"}, {"value", "1"}}));
  // Out of it: the device has made the call.
  const Json out = engine.move("stepOut", {{"threadId", 5}});
  QCOMPARE(out["threadId"], Json(1));
  const auto left = engine.ask("threads");
  QCOMPARE((*left)["threads"].size(), size_t{1});
}

void TestDapThreads::tellsRaces() {
  QTemporaryDir folder;
  Engine engine;
  const Json launch{{"program", programOf(folder, "y[0] = ours[t]")}, {"target", "opencl"}};
  QCOMPARE(QString::fromStdString(engine.launchProgram(launch)), QString());
  engine.stop();
  QVERIFY(intoKernel(engine, "threads of k").is_object());
  std::string said;
  for (int i = 0; i < 20 && said.empty(); ++i) {
    const auto moved = engine.ask("rxs/stepThreads", {{"threadId", 2}, {"of", "group"}});
    QVERIFY(moved);
    bool stopped = false;
    engine.pump([&] {
      while (!engine.events.empty() && !stopped) {
        const Event& event = engine.events.front();
        if (event.event == "output") said += event.body["output"].get<std::string>();
        stopped = event.event == "stopped";
        engine.events.pop_front();
      }
      return stopped;
    });
  }
  QVERIFY2(said.find("y[0]") != std::string::npos, said.c_str());
  QVERIFY2(said.find("threadIdx (1, 0, 0) writes") != std::string::npos, said.c_str());
  const auto all = engine.ask("rxs/kernelThreads", {{"threadId", 2}});
  QVERIFY(all && !(*all)["races"].empty());
}

void TestDapThreads::notOnTheHost() {
  Engine engine;
  QCOMPARE(QString::fromStdString(engine.launch("mlp")), QString());
  engine.stop();
  QVERIFY(intoKernel(engine, "threads of fused_matmul").is_string());
  QVERIFY(!engine.ask("rxs/stepThreads", {{"threadId", 2}, {"of", "thread"}}));
}

QTEST_GUILESS_MAIN(TestDapThreads)
#include "tst_dap_threads.moc"
