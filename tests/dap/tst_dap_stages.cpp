// Stages that a client's passes made: the engine compiles the last of them and runs no pass.
#include <QTemporaryDir>
#include <QtTest>

#include "core/compile/request/history_bytes.h"
#include "core/compile/request/passes.h"
#include "core/ir/origin.h"
#include "core/script/parse.h"
#include "core/support/file.h"
#include "engine_process.h"

using namespace rx;
using rx::test::Engine;
using rx::test::Json;

namespace {

/// A function that adds a number, through the default pipeline.
pass::History adding(double number) {
  const std::string text = fmt::format(R"(from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), dtype="float32")):
        with R.dataflow():
            y = R.add(x, R.const({}, "float32"))
            R.output(y)
        return y
)",
                                       number);
  auto module = script::parseModule(make<SourceFile>("adding.py", text));
  auto calls = pass::parsePipeline(compile::passTable(), compile::defaultPipeline());
  if (!module || !calls) return {};
  giveOwnOrigins(**module);
  return pass::runPipeline(*module, *calls, {});
}

}  // namespace

class TestDapStages : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::string fileOf(const pass::History& history) {
    auto bytes = compile::historyToBytes(history, {});
    const std::string path = folder_.filePath("stages").toStdString();
    return bytes && writeFile(path, *bytes) ? path : std::string();
  }

 private Q_SLOTS:
  /// The last stage is another function's than the first: what runs is the stage that was sent, not what passes would
  /// make of the module.
  void runsTheStageThatWasSent() {
    pass::History mixed = adding(1);
    const pass::History other = adding(41);
    QVERIFY(!mixed.steps.empty() && mixed.steps.size() == other.steps.size());
    mixed.steps = other.steps;
    Engine engine;
    QCOMPARE(engine.launchProgram(Json{{"stages", fileOf(mixed)}, {"choices", {"x=@zero"}}}), std::string());
    QCOMPARE(engine.stop()["reason"], Json("entry"));
    auto stages = engine.ask("rxs/stages");
    QVERIFY(stages);
    QCOMPARE((*stages)["passesRun"], Json(0));
    QCOMPARE((*stages)["stages"].size(), mixed.steps.size() + 1);
    QCOMPARE((*stages)["stages"][4]["title"], Json("LegalizeOps"));
    engine.move("continue");
    auto result = engine.ask("rxs/result");
    QVERIFY2(result && result->dump().find("41") != std::string::npos, result ? result->dump().c_str() : "no result");
  }

  void countsThePassesOfAProgram() {
    Engine engine;
    QCOMPARE(engine.launch("mlp"), std::string());
    QCOMPARE(engine.stop()["reason"], Json("entry"));
    auto stages = engine.ask("rxs/stages");
    QVERIFY(stages);
    QCOMPARE((*stages)["passesRun"].get<size_t>() + 1, (*stages)["stages"].size());
  }

  void refusesOtherFiles() {
    const std::string path = fileOf(adding(1));
    auto bytes = readFile(path);
    QVERIFY(bytes && writeFile(path, std::string_view(*bytes).substr(0, bytes->size() / 2)));
    Engine damaged;
    QVERIFY(QString::fromStdString(damaged.launchProgram(Json{{"stages", path}})).startsWith("ir.bytes"));
    Engine missing;
    const std::string none = folder_.filePath("none").toStdString();
    QVERIFY(QString::fromStdString(missing.launchProgram(Json{{"stages", none}})).startsWith("file.read"));
  }

  /// Before the passes for the machine ran nothing can be compiled.
  void refusesStagesThatAreNotLowered() {
    pass::History history = adding(1);
    history.steps.resize(2);
    Engine engine;
    const std::string wrong = engine.launchProgram(Json{{"stages", fileOf(history)}});
    QVERIFY2(!wrong.empty(), wrong.c_str());
    QVERIFY(engine.ask("threads"));
  }
};

QTEST_GUILESS_MAIN(TestDapStages)
#include "tst_dap_stages.moc"
