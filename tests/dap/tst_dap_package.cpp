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

/// z has one Inf; the last tensor is of a type that no kernel makes statistics of.
constexpr const char* kLarge = R"(from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1200, 1001), dtype="float32")):
        y = R.negative(x)
        z = R.divide(x, R.subtract(x, R.const(1000, "float32")))
        b = R.greater(x, y)
        return (y, z, b)
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

  void keepsStatistics_data() {
    QTest::addColumn<bool>("package");
    QTest::addColumn<QString>("target");
    for (const char* target : {"", "opencl"})
      for (const bool package : {false, true})
        QTest::addRow("%s on %s", package ? "package" : "module", target) << package << QString(target);
  }
  /// Of what a run made whose bytes are not kept, on a device or not, what a step noted of it is told, and why its
  /// elements are not there; what the device does not do itself is said.
  void keepsStatistics() {
    QFETCH(bool, package);
    QFETCH(QString, target);
    QFile file(at("large.py"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(kLarge) > 0);
    file.close();
    const QString built = at("large" + target);
    QStringList build{"build", file.fileName(), "--passes", "default", "-o", built};
    if (!target.isEmpty()) build << "--target" << target;
    if (package) QCOMPARE(test::rxs(build).code, 0);
    std::vector<double> numbers(1200 * 1001);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i % 200) - 100;
    numbers[77] = 1000;
    QVERIFY(writeNpy(path("large.npy"), **HostTensor::fromDoubles({1200, 1001}, DataType::Float(32), numbers)));
    Engine engine;
    Json arguments{{"program", package ? built.toStdString() : path("large.py")},
                   {"inputFiles", {path("large.npy")}},
                   {"recordKeep", "statistics"},
                   {"stopOnEnd", true}};
    if (!package && !target.isEmpty()) arguments["target"] = target.toStdString();
    QCOMPARE(launched(engine, arguments), QString());
    engine.stop();
    Json stop;
    for (int i = 0; i < 4; ++i) stop = engine.move("next");
    QVERIFY2(stop["reason"] == Json("step"), stop.dump().c_str());
    const auto values = engine.ask("rxs/values");
    QVERIFY(values.ok());
    const Json y = (*values)["bindings"][0]["value"], z = (*values)["bindings"][2]["value"];
    QVERIFY2(y["hasStats"] == Json(true), values->dump().c_str());
    QCOMPARE(y["min"], Json(-1000.0));
    QCOMPARE(y["max"], Json(100.0));
    QCOMPARE(y["kind"], Json("tensor"));
    QCOMPARE(y["shape"], Json({1200, 1001}));
    QCOMPARE(z["infCount"], Json(1));
    QCOMPARE(z["firstNonFinite"], Json(77));
    const auto slice = engine.ask("rxs/slice", {{"expression", "y"}});
    QVERIFY(!slice.ok());
    QCOMPARE(QString::fromStdString(slice.diagnostics()[0].rule), QString("store.not-kept"));
    engine.client.request("next", {{"threadId", 1}}, [](const Result<Json>&) {});
    const auto stops = [](const Event& event) { return event.event == "stopped"; };
    QVERIFY(engine.pump([&] { return std::any_of(engine.events.begin(), engine.events.end(), stops); }));
    bool told = false;
    for (const Event& event : engine.events)
      told = told || (event.event == "output" && event.body.dump().find("statistics of bool") != std::string::npos);
    QCOMPARE(told, !target.isEmpty());
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
