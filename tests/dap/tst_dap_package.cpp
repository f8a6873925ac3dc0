// `rxs dap` with a package as its program: what is stepped is what was shipped, with the bindings of its source.
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include "../support/endless_module.h"
#include "../support/program.h"
#include "core/tensor/npy.h"
#include "engine_process.h"

using namespace rx;
using namespace rx::dap;
using rx::test::Engine;
using rx::test::samplePath;

namespace {

constexpr const char* kTaking = R"(from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), i: R.Tensor((1,), dtype="int64")):
        with R.dataflow():
            y = R.take(x, i, axis=0, mode="fast")
            z = R.add(y, y)
            R.output(z)
        return z
)";

}  // namespace

class TestDapPackage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    const QString module = QString::fromStdString(samplePath("mlp", "module.py"));
    for (const QString& package : {at("mlp"), at("mlp.tar")})
      QCOMPARE(test::rxs({"build", module, "-o", package}).code, 0);
    QCOMPARE(test::rxs({"build", module, "--passes", "default", "-o", at("default")}).code, 0);
    QCOMPARE(test::rxs({"build", module, "--target", "opencl", "--passes", "default", "-o", at("opencl")}).code, 0);
    QFile file(at("taking.py"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(kTaking) > 0);
    file.close();
    QCOMPARE(test::rxs({"build", file.fileName(), "-o", at("taking")}).code, 0);
  }

  void stepsWhatWasShipped_data() {
    QTest::addColumn<QString>("package");
    QTest::addColumn<QString>("expected");
    // Bindings of one kernel are one step, which stops at the last of them.
    const QString fused = "lv lv3 lv5 gv ";
    QTest::newRow("folder") << "mlp" << fused;
    QTest::newRow("archive") << "mlp.tar" << fused;
    QTest::newRow("by the default pipeline") << "default"
                                             << "lv lv1 lv2 lv3 lv4 lv5 gv ";
    QTest::newRow("on a device") << "opencl"
                                 << "lv lv1 lv2 lv3 lv4 lv5 gv ";
  }
  void stepsWhatWasShipped() {
    QFETCH(QString, package);
    QFETCH(QString, expected);
    const QString inputs = QString::fromStdString(samplePath("mlp", "inputs.npz"));
    const test::Answer ran = test::rxs({"package", at(package), inputs, "-o", at("ran")});
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    Engine engine;
    QCOMPARE(launched(engine, {{"program", path(package)}, {"inputs", inputs.toStdString()}}), QString());
    QCOMPARE(engine.stop()["reason"], Json("entry"));
    QString bindings;
    std::vector<Json> steps;
    Json stop = engine.move("next");
    for (; stop.is_object() && stop["reason"] == Json("step"); stop = engine.move("next")) {
      QVERIFY(steps.size() < 100);
      bindings += QString::fromStdString(stop["rxs"]["variable"].get<std::string>()) + u' ';
      steps.push_back(stop["rxs"]["step"]);
    }
    QVERIFY2(stop["reason"] == Json("end"), stop.dump().c_str());
    QCOMPARE(bindings, expected);
    auto result = engine.ask("rxs/result");
    QVERIFY(result.ok());
    const std::string saved = path("value.npy");
    QVERIFY(engine.ask("rxs/saveValue", {{"reference", (*result)["value"]["reference"]}, {"path", saved}}).ok());
    QVERIFY((*readNpy(saved))->identical(**readNpy(path("ran0.npy"))));
    for (size_t i = steps.size(); i-- > 0;) QCOMPARE(engine.move("stepBack")["rxs"]["step"], steps[i]);
  }

  void manifestsSayThePasses() {
    const auto saysSchedules = [&](const QString& package) {
      QFile manifest(at(package + "/manifest.json"));
      return manifest.open(QIODevice::ReadOnly) && manifest.readAll().contains("ApplySchedules");
    };
    QVERIFY(saysSchedules("mlp"));
    QVERIFY(!saysSchedules("default"));
  }

  void faultsSayWhere() {
    QVERIFY(writeNpy(path("x.npy"), **HostTensor::fromDoubles({4}, DataType::Float(32), std::vector<double>(4))));
    QVERIFY(writeNpy(path("i.npy"), **HostTensor::fromInts({1}, DataType::Int(64), std::vector<int64_t>{9})));
    Engine engine;
    QCOMPARE(launched(engine, {{"program", path("taking")}, {"inputFiles", {path("x.npy"), path("i.npy")}}}),
             QString());
    engine.stop();
    const Json stop = engine.move("continue");
    QCOMPARE(stop["reason"], Json("exception"));
    QVERIFY2(stop.dump().find("index 9 of dimension 0") != std::string::npos, stop.dump().c_str());
    QCOMPARE(stop["rxs"]["variable"], Json("y"));
  }

  void endlessKernelsAreGivenUp_data() {
    QTest::addColumn<QString>("program");
    QTest::newRow("module") << "endless.py";
    QTest::newRow("package") << "endless";
  }
  /// By who asks for a pause once more while the first wish waits for a kernel; the engine lives on and runs it again.
  void endlessKernelsAreGivenUp() {
    QFETCH(QString, program);
    QFile file(at("endless.py"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(test::kEndless) > 0);
    file.close();
    QCOMPARE(test::rxs({"build", file.fileName(), "-o", at("endless")}).code, 0);
    QVERIFY(writeNpy(path("zero.npy"), **HostTensor::fromDoubles({1}, DataType::Float(32), std::vector<double>{0})));
    Engine engine;
    QCOMPARE(launched(engine, {{"program", path(program)}, {"inputFiles", {path("zero.npy")}}}), QString());
    QCOMPARE(engine.stop()["reason"], Json("entry"));
    for (int runs = 0; runs < 2; ++runs) {
      QVERIFY(engine.ask("continue", {{"threadId", 1}}).ok());
      Json stop;
      for (int wishes = 0; wishes < 100 && stop.is_null(); ++wishes) {
        engine.client.request("pause", {{"threadId", 1}}, [](const Result<Json>&) {});
        QTest::qWait(100);
        engine.client.feed(engine.process.readAllStandardOutput().toStdString());
        const auto stops = [](const Event& event) { return event.event == "stopped"; };
        if (std::any_of(engine.events.begin(), engine.events.end(), stops)) stop = engine.stop();
      }
      if (stop["reason"] == Json("pause")) continue;  // between two instructions, where the first wish found it
      QCOMPARE(stop["reason"], Json("exception"));
      QCOMPARE(stop["diagnostics"][0]["rule"], Json("vm.cancelled"));
      QCOMPARE(stop["rxs"]["variable"], Json("found"));
      QVERIFY(engine.ask("restart").ok());
      QCOMPARE(engine.stop()["reason"], Json("entry"));
    }
    QVERIFY(engine.ask("continue", {{"threadId", 1}}).ok());
    QVERIFY(engine.ask("disconnect").ok());
    QVERIFY(engine.process.waitForFinished(60000));
    QCOMPARE(engine.process.exitCode(), 0);
  }

  void refusals_data() {
    QTest::addColumn<QString>("package");
    QTest::addColumn<QString>("more");
    QTest::addColumn<QString>("said");
    QTest::newRow("another mode") << "mlp"
                                  << R"({"mode": "step"})"
                                  << "dap.arguments: a package runs as it was built";
    QTest::newRow("no inputs") << "mlp"
                               << "{}"
                               << "export.run: no array is named \"x\"";
    QTest::newRow("no function") << "mlp"
                                 << R"({"function": "nine"})"
                                 << "run.no-function";
    QTest::newRow("a changed library") << "changed"
                                       << "{}"
                                       << "file.set";
  }
  void refusals() {
    QFETCH(QString, package);
    QFETCH(QString, more);
    QFETCH(QString, said);
    if (package == u"changed") {
      QCOMPARE(test::runProgram("cp", {"-r", at("mlp"), at("changed")}).code, 0);
      QFile library(at("changed/libmodel.so"));
      QVERIFY(library.open(QIODevice::ReadWrite) && library.seek(library.size() / 2));
      const QByteArray was = library.peek(1);
      QVERIFY(library.write(QByteArray(1, static_cast<char>(was[0] + 1))) == 1);
    }
    Engine engine;
    Json arguments = Json::parse(more.toStdString());
    arguments["program"] = path(package);
    const QString answer = launched(engine, std::move(arguments));
    QVERIFY2(answer.startsWith(said), qPrintable(answer));
  }

 private:
  QString at(const QString& name) const { return folder_.filePath(name); }
  std::string path(const QString& name) const { return at(name).toStdString(); }
  static QString launched(Engine& engine, Json arguments) {
    return QString::fromStdString(engine.launchProgram(std::move(arguments)));
  }

  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestDapPackage)
#include "tst_dap_package.moc"
