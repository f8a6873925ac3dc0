// Every module that golden/run runs, on the other ways of execution: the default pipeline leaves a well-formed module,
// the package of it gives the same bytes in a process of its own, and the debugger steps it to its end and back.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include "../dap/engine_process.h"
#include "../support/endless_module.h"
#include "../support/program.h"
#include "core/support/processor.h"

using namespace rx;
using rx::test::Engine;
using rx::test::Json;

class TestRunWays : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void lowered_data() { modules(); }
  void lowered();
  void packaged_data() { modules(); }
  void packaged();
  void stepped_data() { modules(); }
  void stepped();
  void traced();
  void recorded();
  void timeLimits_data();
  void timeLimits();
  void comparisonsEnd();
  void interrupted();
  void tilesRefused();

 private:
  static void modules();
};

namespace {

const QDir kModules(QStringLiteral(RX_SOURCE_DIR "/tests/golden/run"));
constexpr int kMaxSteps = 5000;

/// What a command of rxs says on standard error when it does not say yes, else "".
QString refusal(const QStringList& arguments) {
  const rx::test::Answer answer = rx::test::rxs(arguments);
  return answer.code == 0 ? QString() : QStringLiteral("exit %1: %2").arg(answer.code).arg(answer.err);
}

/// The stops of a movement until one has this reason; its words where it ends otherwise.
QString moveUntil(Engine& engine, const char* command, const char* reason, int& steps) {
  for (steps = 1; steps < kMaxSteps; ++steps) {
    Json stop = engine.move(command);
    if (!stop.is_object()) return QString::fromStdString(stop.dump());
    if (stop["reason"] == Json(reason)) return {};
    if (stop["reason"] == Json("exception") || stop["reason"] == Json("end"))
      return QString::fromStdString(stop.dump());
  }
  return "there is no end";
}

}  // namespace

void TestRunWays::modules() {
  QTest::addColumn<QString>("path");
  for (const QString& name : kModules.entryList({"*.py"}, QDir::Files, QDir::Name)) {
    if (!name.startsWith("bad-")) QTest::newRow(qPrintable(name)) << kModules.filePath(name);
  }
}

void TestRunWays::lowered() {
  QFETCH(QString, path);
  QTemporaryDir folder;
  const QString out = folder.filePath("lowered.py");
  QCOMPARE(refusal({"opt", path, "--passes", "default", "-o", out}), QString());
  QCOMPARE(refusal({"check", out}), QString());
  QCOMPARE(refusal({"equal", out, out}), QString());
}

void TestRunWays::packaged() {
  QFETCH(QString, path);
  QTemporaryDir folder;
  QCOMPARE(refusal({"build", path, "--verify", "-o", folder.path()}), QString());
}

void TestRunWays::stepped() {
  QFETCH(QString, path);
  Engine engine;
  QCOMPARE(QString::fromStdString(engine.launchProgram(Json{{"program", path.toStdString()}, {"seed", 1}})), QString());
  QCOMPARE(engine.stop()["reason"], Json("entry"));
  int forwards = 0, backwards = 0;
  QCOMPARE(moveUntil(engine, "stepIn", "end", forwards), QString());
  QCOMPARE(moveUntil(engine, "stepBack", "entry", backwards), QString());
  int again = 0;
  QCOMPARE(moveUntil(engine, "stepIn", "end", again), QString());
  QCOMPARE(again, forwards);
}

/// A value is in the folder when it was written, once, and never as the memory that it is going to be written to.
void TestRunWays::traced() {
  QTemporaryDir folder;
  QCOMPARE(refusal({"run", kModules.filePath("loop_kinds.py"), "--seed", "7", "--trace", folder.path()}), QString());
  QFile file(folder.filePath("trace.json"));
  QVERIFY(file.open(QIODevice::ReadOnly));
  const Json trace = Json::parse(file.readAll().toStdString());
  QStringList made;
  for (const Json& value : trace["values"]) {
    const QString instruction = QString::fromStdString(value["instruction"].get<std::string>()).simplified();
    made << QString::fromStdString(value["binding"].get<std::string>()) + " by " + instruction.section(' ', 1, 1);
  }
  QCOMPARE(made, (QStringList{"y by f", "z by g"}));
}

/// What a run recorded is what it wrote: the elements of a binding, those that a policy drops by name, and no more.
void TestRunWays::recorded() {
  QTemporaryDir folder;
  const QString module = kModules.filePath("loop_kinds.py"), file = folder.filePath("run.rxtrace");
  const auto shown = [&](const QStringList& options) {
    const rx::test::Answer answer = rx::test::rxs(QStringList{"show", file} + options);
    return answer.out + answer.err;
  };
  QCOMPARE(refusal({"run", module, "--seed", "7", "--trace", folder.filePath("values")}), QString());
  for (const char* engine : {"compiled", "interpreted", "stepped"}) {
    QCOMPARE(refusal({"run", module, "--seed", "7", "--engine", engine, "--record", file}), QString());
    QCOMPARE(shown({"--binding", "z", "-o", folder.filePath("z.npy")}), QString());
    if (engine == QString("interpreted")) continue;  // equal within rounding
    QFile recorded(folder.filePath("z.npy")), traced(folder.filePath("values/00001_main_z.npy"));
    QVERIFY(recorded.open(QIODevice::ReadOnly) && traced.open(QIODevice::ReadOnly));
    QCOMPARE(recorded.readAll(), traced.readAll());
  }
  QVERIFY2(shown({"--binding", "z"}).startsWith("z: Tensor((16,), float32)\nmin 0"),
           qPrintable(shown({"--binding", "z"})));
  QVERIFY(shown({"--step", "900"}).startsWith("error[store.place]"));
  QVERIFY(shown({"--binding", "nothing"}).startsWith("error[show.binding]"));
  QCOMPARE(shown({}).count("call g"), 1);
  QCOMPARE(refusal({"run", module, "--seed", "7", "--record", file, "--record-keep", "last:4"}), QString());
  QVERIFY(shown({"--step", "0"}).startsWith("error[store.not-kept]"));
  QVERIFY(refusal({"run", module, "--seed", "7", "--record", file, "--record-disk", "100"}).contains("store.budget"));
  QCOMPARE(refusal({"run", module, "--seed", "7", "--record", file, "--record-disk", "0"}), QString());
  QVERIFY(refusal({"run", module, "--seed", "7", "--record", file, "--engine", "package"}).contains("run.record"));
}

namespace {

/// A run of the endless module, with what ends it.
QStringList endless(const QTemporaryDir& folder, const QStringList& more) {
  QFile module(folder.filePath("endless.py"));
  if (module.open(QIODevice::WriteOnly)) module.write(rx::test::kEndless);
  return QStringList{"run", module.fileName(), "--seed", "1"} + more;
}

}  // namespace

void TestRunWays::timeLimits_data() {
  QTest::addColumn<QString>("engine");
  QTest::addColumn<QString>("place");
  for (const char* engine : {"compiled", "interpreted", "stepped"}) QTest::newRow(engine) << engine << "found";
  QTest::newRow("package") << "package"
                           << "main, binding found, instruction 6: search";
}

/// A kernel that never ends is ended, by every engine, and what is said names where: a package, which has no text, by
/// binding, instruction and kernel.
void TestRunWays::timeLimits() {
  QFETCH(QString, engine);
  QFETCH(QString, place);
  QTemporaryDir folder;
  const rx::test::Answer ended = rx::test::rxs(endless(folder, {"--engine", engine, "--time-limit", "0.2"}));
  QCOMPARE(ended.code, 1);
  QCOMPARE(rx::test::ruleOf(ended), QString("vm.cancelled"));
  for (const QString& part : {QString("main"), place, QString("the time limit is 0.2 s")})
    QVERIFY2(ended.err.contains(part), qPrintable(ended.err));
  // One that is not reached changes nothing; one that is none is refused.
  const QString module = kModules.filePath("loop_kinds.py");
  QCOMPARE(refusal({"run", module, "--seed", "7", "--engine", engine, "--time-limit", "1000"}), QString());
  QCOMPARE(rx::test::rxs({"run", module, "--seed", "7", "--time-limit", "-1"}).code, 2);
}

/// A comparison of two runs ends as each of them does.
void TestRunWays::comparisonsEnd() {
  QTemporaryDir folder;
  const rx::test::Answer ended = rx::test::rxs(endless(folder, {"--against", "cpu", "--time-limit", "0.2"}));
  QCOMPARE(ended.code, 1);
  QCOMPARE(rx::test::ruleOf(ended), QString("vm.cancelled"));
  QVERIFY2(ended.err.contains("found") && ended.err.contains("the time limit is 0.2 s"), qPrintable(ended.err));
}

/// Who interrupts a run gets a whole recording of what there was of it.
void TestRunWays::interrupted() {
  QTemporaryDir folder;
  const QString file = folder.filePath("run.rxtrace");
  QProcess run;
  run.start(RX_BINARY_DIR "/bin/rxs", endless(folder, {"--record", file}));
  // The recording is begun where the run is.
  QTRY_VERIFY_WITH_TIMEOUT(QDir(folder.path()).entryList({"*rxtrace*"}, QDir::Files | QDir::Hidden).size() > 0, 60000);
  run.terminate();
  QVERIFY(run.waitForFinished(60000));
  QCOMPARE(run.exitStatus(), QProcess::NormalExit);
  QCOMPARE(run.exitCode(), 1);
  const QString said = QString::fromUtf8(run.readAllStandardError());
  QVERIFY2(said.contains("error[vm.cancelled]") && said.contains("it was interrupted"), qPrintable(said));
  const rx::test::Answer shown = rx::test::rxs({"show", file});
  QVERIFY2(shown.code == 0, qPrintable(shown.err));
}

/// Where a sandbox keeps the tile registers of the processor from a process, what was made for them says so; where it
/// says that there are none, kernels are made without.
void TestRunWays::tilesRefused() {
#ifdef __x86_64__
  if (!missingFeature("amx-int8").empty()) QSKIP("this machine has no registers of tiles");
  QTemporaryDir folder;
  const QString path = folder.filePath("bytes.py"), package = folder.filePath("package");
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(
      "from tvm.script import ir as I, relax as R\n@I.ir_module\nclass Module:\n    @R.function\n"
      "    def main(x: R.Tensor((130, 70), \"int8\"), y: R.Tensor((70, 90), \"int8\")):\n"
      "        return R.matmul(x, y, out_dtype=\"int32\")\n");
  file.close();
  const QStringList run{"run", path, "--seed", "1", "--passes", "optimized"};
  constexpr uint32_t kWhichThereAre = 0x1021, kAskFor = 0x1023;
  const auto refusing = [](uint32_t request) {
    return rx::test::Start{.prepare = [request] {
      sock_filter lines[] = {
          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_arch_prctl, 0, 3),
          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, request, 0, 1),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      };
      const sock_fprog program = {std::size(lines), lines};
      if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        ::_exit(9);
    }};
  };
  QCOMPARE(refusal(run), QString());
  QCOMPARE(rx::test::ruleOf(rx::test::rxs(run, refusing(kAskFor))), QString("kernel.tiles"));
  const rx::test::Answer without = rx::test::rxs(run, refusing(kWhichThereAre));
  QVERIFY2(without.code == 0, qPrintable(without.err));
  QCOMPARE(without.out, rx::test::rxs(run).out);
  // A package says that it needs them, and holds the same code.
  QCOMPARE(refusal({"build", path, "--verify", "-o", package}), QString());
  QFile manifest(package + "/manifest.json");
  QVERIFY(manifest.open(QIODevice::ReadOnly));
  QVERIFY(manifest.readAll().contains("amx-int8"));
  const QStringList packaged = QStringList(run) << "--engine"
                                                << "package";
  QCOMPARE(rx::test::rxs(packaged).out, without.out);
  QCOMPARE(rx::test::ruleOf(rx::test::rxs(packaged, refusing(kAskFor))), QString("kernel.tiles"));
#endif
}

QTEST_GUILESS_MAIN(TestRunWays)
#include "tst_run_ways.moc"
