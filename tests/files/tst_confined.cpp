// rxs with --confine: what it is for goes on as without; what a program or a client asks for beyond that is refused.
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

#include "../dap/engine_process.h"
#include "../support/program.h"
#include "core/device/maker/maker.h"
#include "core/support/file.h"

using namespace rx;
using rx::test::Engine;
using rx::test::Json;

namespace {

const QString kSample = QStringLiteral(RX_SOURCE_DIR "/samples/mlp");

/// What rxs says on standard error, and its exit code before it.
QString said(const QStringList& arguments, QString* out = nullptr) {
  const rx::test::Answer answer = rx::test::rxs(arguments);
  if (out) *out = answer.out;
  return QStringLiteral("%1 %2").arg(answer.crashed ? "signal" : QString::number(answer.code), answer.err.trimmed());
}

}  // namespace

class ConfinedTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void runsDoTheSame_data();
  void runsDoTheSame();
  void outputsAreWritten();
  void kernelsOfDevices();
  void textsThatAreRefused();
  void enginesServe();
  void enginesDoNotLeave();
  void aDeathIsSaid();

 private:
  QString path(const char* name) const { return folder_.filePath(name); }
  QTemporaryDir folder_;
};

void ConfinedTest::initTestCase() {
  if (said({"run", kSample, "--confine"}).contains("confine.unavailable")) QSKIP("this system confines no process");
}

void ConfinedTest::runsDoTheSame_data() {
  QTest::addColumn<QStringList>("more");
  for (const char* engine : {"compiled", "interpreted", "stepped", "package"})
    QTest::newRow(engine) << QStringList{"--engine", engine};
  QTest::newRow("check") << QStringList{"--check"};
  QTest::newRow("compiled anew") << QStringList{"--no-kernel-cache"};
  QTest::newRow("json") << QStringList{"--json"};
}

void ConfinedTest::runsDoTheSame() {
  QFETCH(QStringList, more);
  QString plain, confined;
  QCOMPARE(said(QStringList{"run", kSample} + more, &plain), QString("0 "));
  QCOMPARE(said(QStringList{"run", kSample, "--confine"} + more, &confined), QString("0 "));
  QCOMPARE(confined, plain);
  QVERIFY(said(QStringList{"run", kSample, "--confine", "--func", "none"} + more).startsWith("1"));
}

void ConfinedTest::outputsAreWritten() {
  const QStringList run{"run", kSample, "--confine"};
  for (const char* option : {"--out", "--trace", "--record"}) {
    QCOMPARE(said(run + QStringList{option, path(option)}), QString("0 "));
    QCOMPARE(said(run + QStringList{option, path(option)}), QString("0 "));  // over what is there
    QVERIFY(QFileInfo::exists(path(option)));
  }
  QCOMPARE(said({"show", path("--record"), "--binding", "lv"}), QString("0 "));
  QVERIFY(QFile::exists(path("--out/result.json")) && QFile::exists(path("--trace/trace.json")));
}

/// PoCL's compiler starts a linker, which who is confined may not: another process does, and keeps what it made.
/// Nothing is there before, neither of PoCL's nor of ours.
void ConfinedTest::kernelsOfDevices() {
  QDir().mkpath(path("cache"));
  auto environment = QProcessEnvironment::systemEnvironment();
  environment.insert("XDG_CACHE_HOME", path("cache"));
  environment.insert("POCL_CACHE_DIR", path("cache/pocl"));
  const auto run = [&](const QStringList& more) {
    return rx::test::rxs(QStringList{"run", kSample, "--target", "opencl"} + more, {.environment = environment});
  };
  const rx::test::Answer fresh = run({"--confine"}), kept = run({"--confine"});
  QVERIFY2(fresh.code == 0 && fresh.err.isEmpty(), qPrintable(fresh.err));
  QCOMPARE(QDir(path("cache/relaxscope/devices")).entryList({"*.program"}).size(), 1);
  QVERIFY(!QFile::exists(path("cache/pocl")));
  QCOMPARE(kept.out, fresh.out);
  const rx::test::Answer alone = run({"--confine", "--no-kernel-cache"}), plain = run({});
  QCOMPARE(alone.out, fresh.out);
  QVERIFY(!alone.crashed && plain.out == fresh.out);
}

/// What the driver says there of a text is said here, and who makes programs goes on.
void ConfinedTest::textsThatAreRefused() {
  QVERIFY(device::startProgramMaker());
  const auto sources = device::programSources(false);
  QVERIFY(sources.maker);
  device::Properties device;
  device.kind = "opencl";
  const auto bad = sources.maker(device, "__kernel void k(__global float* x) { nonsense; }", {"k"});
  QVERIFY(!bad);
  QCOMPARE(bad.diagnostics().front().rule, std::string("device.program"));
  QVERIFY(bad.diagnostics().front().message.find("clBuildProgram") != std::string::npos);
  const std::string good = "__kernel void k(__global float* x) { x[get_global_id(0)] = 1; }";
  QVERIFY(!sources.maker(device, good, {"missing"}));
  QVERIFY(sources.maker(device, good, {"k"}));
  device.number = 99;
  QCOMPARE(sources.maker(device, good, {"k"}).diagnostics().front().rule, std::string("device.none"));
  // It goes where it is killed, which is said too.
  QFile children(QStringLiteral("/proc/self/task/%1/children").arg(::gettid()));
  QVERIFY(children.open(QIODevice::ReadOnly));
  QCOMPARE(::kill(static_cast<pid_t>(children.readAll().trimmed().toLongLong()), SIGKILL), 0);
  device.number = 0;
  QCOMPARE(sources.maker(device, good, {"k"}).diagnostics().front().rule, std::string("device.maker"));
}

void ConfinedTest::enginesServe() {
  QDir().mkpath(path("mine"));
  Engine engine({"dap", "--confine", "--allow-write", path("mine")});
  QCOMPARE(QString::fromStdString(engine.launchProgram(
               Json{{"program", kSample.toStdString()}, {"trace", path("mine/run.rxtrace").toStdString()}})),
           QString());
  QCOMPARE(engine.stop()["reason"], Json("entry"));
  QCOMPARE(engine.move("continue")["reason"], Json("end"));
  auto result = engine.ask("rxs/result");
  QVERIFY(result);
  const auto save = [&](const QString& to) {
    return engine.ask("rxs/saveValue", {{"reference", (*result)["value"]["reference"]}, {"path", to.toStdString()}});
  };
  QVERIFY(save(path("mine/value.npy")));
  QVERIFY(QFile::exists(path("mine/value.npy")));
  // Refused by what the engine allows its client.
  QCOMPARE(save(path("value.npy")).diagnostics().front().rule.empty(), false);
  QVERIFY(!QFile::exists(path("value.npy")));
}

/// What the engine itself does not look at is refused by the system.
void ConfinedTest::enginesDoNotLeave() {
  QDir().mkpath(path("other"));
  // A link that leads out, put there when the engine has looked: it stands for whatever the engine could be brought to.
  QDir().mkpath(path("swapped"));
  Engine engine({"dap", "--confine", "--allow-write", path("swapped")});
  QCOMPARE(QString::fromStdString(engine.launchProgram(Json{{"program", kSample.toStdString()}})), QString());
  QCOMPARE(engine.stop()["reason"], Json("entry"));
  QCOMPARE(engine.move("continue")["reason"], Json("end"));
  auto result = engine.ask("rxs/result");
  QVERIFY(result);
  QVERIFY(QDir().rename(path("swapped"), path("away")));
  QVERIFY(QDir().mkpath(path("swapped")));  // another folder by that name, which nobody allowed
  auto saved = engine.ask("rxs/saveValue", {{"reference", (*result)["value"]["reference"]},
                                            {"path", path("swapped/value.npy").toStdString()}});
  QVERIFY(!saved);
  QVERIFY2(saved.diagnostics().front().message.find("ermission") != std::string::npos,
           saved.diagnostics().front().message.c_str());
  QVERIFY(QDir(path("swapped")).isEmpty());
}

void ConfinedTest::aDeathIsSaid() {
  const QString module = path("endless.py");
  QVERIFY(writeFile(module.toStdString(),
                    "from tvm.script import ir as I, relax as R, tir as T\n\n@I.ir_module\nclass Module:\n"
                    "    @T.prim_func\n    def k(a: T.Buffer((2,), \"float32\"), b: T.Buffer((2,), \"float32\")):\n"
                    "        b[0] = a[0]\n        for i in T.serial(T.int64(1099511627776)):\n"
                    "            b[0] = b[0] * b[1] + a[1]\n\n    @R.function\n"
                    "    def main(x: R.Tensor((2,), \"float32\")) -> R.Tensor((2,), \"float32\"):\n"
                    "        cls = Module\n        y = R.call_tir(cls.k, (x,), R.Tensor((2,), \"float32\"))\n"
                    "        return y\n"));
  QProcess process;
  process.start(RX_BINARY_DIR "/bin/rxs", {"run", module, "--seed", "1", "--confine"});
  QVERIFY(process.waitForStarted());
  QFile children(QStringLiteral("/proc/%1/task/%1/children").arg(process.processId()));
  qint64 child = 0;
  QTRY_VERIFY((children.isOpen() || children.open(QIODevice::ReadOnly)) && children.seek(0) &&
              (child = children.readAll().trimmed().toLongLong()) > 0);
  QCOMPARE(::kill(static_cast<pid_t>(child), SIGKILL), 0);
  QVERIFY(process.waitForFinished());
  QCOMPARE(process.exitStatus(), QProcess::CrashExit);
  QCOMPARE(process.exitCode(), SIGKILL);
  const QByteArray errors = process.readAllStandardError();
  QVERIFY2(errors.contains("no memory is left"), errors.constData());
  // And whoever is confined goes with who started it.
  QProcess orphan;
  orphan.start(RX_BINARY_DIR "/bin/rxs", {"run", module, "--seed", "1", "--confine"});
  QVERIFY(orphan.waitForStarted());
  QFile its(QStringLiteral("/proc/%1/task/%1/children").arg(orphan.processId()));
  QTRY_VERIFY((its.isOpen() || its.open(QIODevice::ReadOnly)) && its.seek(0) &&
              (child = its.readAll().trimmed().toLongLong()) > 0);
  QTest::qSleep(200);
  orphan.kill();
  QVERIFY(orphan.waitForFinished());
  QTRY_VERIFY(::kill(static_cast<pid_t>(child), 0) != 0);
}

QTEST_GUILESS_MAIN(ConfinedTest)
#include "tst_confined.moc"
