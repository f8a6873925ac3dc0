// Every sample through the command line, as a person runs it: check, all passes, run against the independent result,
// the package against this process, and the runs that must be refused.
#include <QDir>
#include <QtTest>
#include <csignal>

#include "../support/endless_module.h"
#include "../support/program.h"

using rx::test::Answer;

class TestSamples : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sample_data();
  void sample();
  void package_data();
  void package();
  void packageRunsWithTheRunner();
  void runnerIsInterrupted();
  void packageForAnotherProcessor_data();
  void packageForAnotherProcessor();
  void packageNamesWhatTheProcessorLacks();
  void refusesWrongInputs();
  void refusesAFailingMatchCast();
  void lowersWhatHasNoWeights();
  void dumpsStagesThatReadBack();
  void tracesEveryBinding();
};

namespace {

/// What a program says that runs in `folder`.
Answer answerOf(const QString& program, const QStringList& arguments, const QString& folder) {
  return rx::test::runProgram(program, arguments, {.folder = folder, .limit = 120000});
}

Answer rxs(const QStringList& arguments) { return answerOf(RX_BINARY_DIR "/bin/rxs", arguments, RX_SOURCE_DIR); }

void addSamples() {
  QTest::addColumn<QString>("folder");
  const QStringList names = QDir(RX_SOURCE_DIR "/samples").entryList(QDir::Dirs | QDir::NoDotAndDotDot);
  for (const QString& name : names) {
    if (QFile::exists(RX_SOURCE_DIR "/samples/" + name + "/expected.npz"))
      QTest::newRow(qPrintable(name)) << "samples/" + name;
  }
}

}  // namespace

void TestSamples::sample_data() { addSamples(); }
void TestSamples::sample() {
  QFETCH(QString, folder);
  Answer check = rxs({"check", folder});
  QVERIFY2(check.code == 0, qPrintable(check.err));
  Answer passes = rxs({"opt", folder, "--list"});
  QVERIFY2(passes.code == 0, qPrintable(passes.err));
  QVERIFY2(passes.err.contains("AttachGlobalSymbol") && !passes.err.contains("ill-formed"), qPrintable(passes.err));
  const QStringList ways[] = {{"--mode", "step"},        {"--mode", "release"},   {"--engine", "interpreted"},
                              {"--engine", "stepped"},   {"--engine", "package"}, {"--check"},
                              {"--target", "x86-64-v2"}, {"--no-kernel-cache"}};
  for (const QStringList& way : ways) {
    Answer run = rxs(QStringList{"run", folder} + way);
    QVERIFY2(run.code == 0, qPrintable(way.join(' ') + '\n' + run.out + run.err));
    QVERIFY2(run.out.contains(": equal"), qPrintable(run.out));
  }
  // An older processor of this kind is one that this machine can be; another kind is not.
  Answer other = rxs({"run", folder, "--target", "aarch64"});
  QCOMPARE(other.code, 1);
  QVERIFY2(other.err.contains("error[codegen.target]"), qPrintable(other.err));
}

void TestSamples::package_data() { addSamples(); }
void TestSamples::package() {
  QFETCH(QString, folder);
  QTemporaryDir target;
  Answer build = rxs({"build", folder, "-o", target.path(), "--verify"});
  QVERIFY2(build.code == 0, qPrintable(build.err));
  QVERIFY2(build.out.contains("equal, byte for byte"), qPrintable(build.out));
}

void TestSamples::packageRunsWithTheRunner() {
  const QString compiler =
      QStandardPaths::findExecutable("cc").isEmpty() ? QStringLiteral("clang-19") : QStringLiteral("cc");
  QTemporaryDir target;
  Answer build = rxs({"build", "samples/mlp", "-o", target.path()});
  QVERIFY2(build.code == 0, qPrintable(build.err));
  const Answer made = answerOf(
      compiler, {"rxs_runner.c", "-o", "runner", "-L.", "-l:libmodel.so", "-Wl,-rpath,$ORIGIN"}, target.path());
  QVERIFY2(made.code == 0, qPrintable(made.err));
  const Answer ran = answerOf(target.filePath("runner"), {"params.safetensors", "nothing", "out"}, target.path());
  QCOMPARE(ran.code, 1);
  QVERIFY(ran.err.contains("there is no function \"nothing\""));
}

namespace {

/// A command line in that folder.
Answer inFolder(const QString& folder, const QStringList& command) {
  return answerOf(command.front(), command.mid(1), folder);
}

/// Builds the package's own runner for its machine; the libraries of aarch64 come with Debian's cross packages.
bool buildRunner(const QString& folder, bool arm) {
  const QString root = "/usr/aarch64-linux-gnu";
  const QStringList compile = {"clang-19", "-c", "rxs_runner.c", "-o", "runner.o"};
  if (!arm)
    return inFolder(folder, {"clang-19", "rxs_runner.c", "-o", "runner", "-L.", "-l:libmodel.so", "-Wl,-rpath,$ORIGIN"})
               .code == 0;
  return inFolder(folder, compile + QStringList{"--target=aarch64-linux-gnu", "-isystem", root + "/include"}).code ==
             0 &&
         inFolder(folder, {"ld.lld-19", "-m", "aarch64linux", "-o", "runner", "-rpath", "$ORIGIN", "-dynamic-linker",
                           "/lib/ld-linux-aarch64.so.1", root + "/lib/crt1.o", root + "/lib/crti.o", "runner.o",
                           "libmodel.so", root + "/lib/libc.so.6", root + "/lib/ld-linux-aarch64.so.1",
                           root + "/lib/libc_nonshared.a", root + "/lib/crtn.o"})
                 .code == 0;
}

/// Whether a process has a handler of its own for SIGINT.
bool handlesInterrupts(qint64 process) {
  QFile status(QStringLiteral("/proc/%1/status").arg(process));
  if (!status.open(QIODevice::ReadOnly)) return false;
  const QByteArray text = status.readAll();
  const qsizetype at = text.indexOf("SigCgt:");
  return at >= 0 && (text.mid(at + 7).split('\n').front().trimmed().toULongLong(nullptr, 16) >> (SIGINT - 1) & 1) != 0;
}

/// The array of an .npz as .npy beside the runner.
QString extracted(const QString& archive, const QString& name, const QString& folder) {
  return inFolder(folder, {"unzip", "-o", "-q", QStringLiteral(RX_SOURCE_DIR "/") + archive, name}).code == 0
             ? QDir(folder).filePath(name)
             : QString();
}

}  // namespace

/// A run in a kernel that never ends: the first Ctrl-C ends it by name.
void TestSamples::runnerIsInterrupted() {
  QTemporaryDir folder;
  QFile module(folder.filePath("endless.py")), input(folder.filePath("x.npy"));
  QVERIFY(module.open(QIODevice::WriteOnly) && input.open(QIODevice::WriteOnly));
  module.write(rx::test::kEndless);
  module.close();
  const QByteArray header =
      QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }").leftJustified(117) + '\n';
  input.write(QByteArray("\x93NUMPY\x01\x00\x76\x00", 10) + header + QByteArray(4, '\0'));
  input.close();
  const QString package = folder.filePath("package");
  const Answer build = rxs({"build", module.fileName(), "-o", package});
  QVERIFY2(build.code == 0, qPrintable(build.err));
  QVERIFY(buildRunner(package, false));
  QProcess run;
  run.start(QDir(package).filePath("runner"), {"-", "main", folder.filePath("out"), input.fileName()});
  QVERIFY(run.waitForStarted());
  QTRY_VERIFY_WITH_TIMEOUT(handlesInterrupts(run.processId()) || run.state() == QProcess::NotRunning, 60000);
  QCOMPARE(run.state(), QProcess::Running);
  QCOMPARE(::kill(static_cast<pid_t>(run.processId()), SIGINT), 0);
  QVERIFY(run.waitForFinished(60000));
  QCOMPARE(run.exitStatus(), QProcess::NormalExit);
  QCOMPARE(run.exitCode(), 130);
  const QString said = QString::fromUtf8(run.readAllStandardError());
  QVERIFY2(said.contains("main, binding found") && said.contains("the run was cancelled"), qPrintable(said));
}

void TestSamples::packageForAnotherProcessor_data() {
  QTest::addColumn<QStringList>("emulator");
  QTest::newRow("x86-64") << QStringList{"qemu-x86_64", "-cpu", "qemu64"};
  QTest::newRow("x86-64-v2") << QStringList{"qemu-x86_64", "-cpu", "Nehalem"};
  QTest::newRow("x86-64-v3") << QStringList{"qemu-x86_64", "-cpu", "max"};
  QTest::newRow("aarch64") << QStringList{"qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"};
}

/// What the package gives on that processor is what it gives on this one, within the rounding of float32.
void TestSamples::packageForAnotherProcessor() {
  QFETCH(QStringList, emulator);
  const QString processor = QTest::currentDataTag();
  if (QStandardPaths::findExecutable(emulator.front()).isEmpty()) QSKIP("qemu-user is not installed");
  QTemporaryDir target;
  Answer build = rxs({"build", "samples/mlp", "-o", target.path(), "--target", processor});
  QVERIFY2(build.code == 0, qPrintable(build.err));
  QVERIFY(buildRunner(target.path(), processor == "aarch64"));
  const QString input = extracted("samples/mlp/inputs.npz", "x.npy", target.path());
  QVERIFY(!input.isEmpty());
  Answer run = inFolder(target.path(), emulator + QStringList{"./runner", "params.safetensors", "main", "out", input});
  QVERIFY2(run.code == 0, qPrintable(run.err));
  Answer same = rxs({"run", "samples/mlp", "--expect", target.filePath("out0.npy")});
  QVERIFY2(same.code == 0, qPrintable(same.out + same.err));
}

void TestSamples::packageNamesWhatTheProcessorLacks() {
  if (QStandardPaths::findExecutable("qemu-x86_64").isEmpty()) QSKIP("qemu-user is not installed");
  QTemporaryDir target;
  Answer build = rxs({"build", "samples/mlp", "-o", target.path(), "--target", "x86-64-v3"});
  QVERIFY2(build.code == 0, qPrintable(build.err));
  QVERIFY(buildRunner(target.path(), false));
  const QString input = extracted("samples/mlp/inputs.npz", "x.npy", target.path());
  Answer run = inFolder(target.path(),
                        {"qemu-x86_64", "-cpu", "Nehalem", "./runner", "params.safetensors", "main", "out", input});
  QCOMPARE(run.code, 1);
  QVERIFY2(run.err.contains("needs avx"), qPrintable(run.err));
}

void TestSamples::refusesWrongInputs() {
  Answer run = rxs({"run", "samples/dynamic", "--inputs", "samples/dynamic/inputs_mismatch.npz"});
  QCOMPARE(run.code, 1);
  // The message names both places, both values and who bound the first.
  QVERIFY2(run.err.contains("run.argument-shape") && run.err.contains("was bound by"), qPrintable(run.err));
  // A part of the array fits; what is no part of it is refused.
  const QStringList part = {"run", "samples/dynamic", "--inputs", "samples/dynamic/inputs_mismatch.npz", "--map"};
  Answer cut = rxs(part + QStringList{"y=y[0:3, :]"});
  QVERIFY2(cut.code == 0, qPrintable(cut.err));
  for (const char* wrong : {"y=y[3:1]", "y=y[0:3", "y=y[a:3]", "y=y[:,:,:]", "y=other[0:3]"}) {
    Answer refused = rxs(part + QStringList{wrong});
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.err.contains("run.choice"), qPrintable(refused.err));
  }
  Answer missing = rxs({"run", "samples/mlp", "--inputs", "samples/dynamic/inputs.npz"});
  QCOMPARE(missing.code, 1);
  QVERIFY2(missing.err.contains("error[run."), qPrintable(missing.err));
}

void TestSamples::refusesAFailingMatchCast() {
  Answer run = rxs({"run", "samples/dynamic", "--inputs", "samples/dynamic/inputs_bad_cast.npz"});
  QCOMPARE(run.code, 1);
  QVERIFY2(run.err.contains("error["), qPrintable(run.err));
}

/// ResNet-18 comes without its weights: it is checked, lowered and planned, and refuses a picture of another size.
void TestSamples::lowersWhatHasNoWeights() {
  Answer check = rxs({"check", "samples/resnet18"});
  QVERIFY2(check.code == 0, qPrintable(check.err));
  Answer passes = rxs({"opt", "samples/resnet18", "--list"});
  QVERIFY2(passes.code == 0, qPrintable(passes.err));
  QVERIFY2(passes.err.contains("AttachGlobalSymbol") && !passes.err.contains("ill-formed"), qPrintable(passes.err));
  Answer run = rxs({"run", "samples/resnet18", "--inputs", "samples/mlp/inputs.npz"});
  QCOMPARE(run.code, 1);
  QVERIFY2(run.err.contains("x, axis 2 has to be 224, it is 28"), qPrintable(run.err));
}

void TestSamples::dumpsStagesThatReadBack() {
  QTemporaryDir target;
  Answer dump = rxs({"opt", "samples/attention", "--dump", target.path()});
  QVERIFY2(dump.code == 0, qPrintable(dump.err));
  const QStringList stages = QDir(target.path()).entryList({"*.py"}, QDir::Files, QDir::Name);
  QCOMPARE(stages.size(), 17);
  for (const QString& stage : stages) {
    Answer print = rxs({"print", target.filePath(stage)});
    QVERIFY2(print.code == 0, qPrintable(stage + ": " + print.err));
  }
}

void TestSamples::tracesEveryBinding() {
  QTemporaryDir target;
  Answer run = rxs({"run", "samples/mlp", "--trace", target.path()});
  QVERIFY2(run.code == 0, qPrintable(run.err));
  const QStringList files = QDir(target.path()).entryList({"*.npy"}, QDir::Files, QDir::Name);
  for (const char* binding : {"lv1", "lv2", "lv3", "lv4", "lv5", "gv"}) {
    QVERIFY2(!files.filter(QStringLiteral("_%1.npy").arg(binding)).isEmpty(),
             qPrintable(QStringLiteral("%1 not in %2").arg(binding, files.join(' '))));
  }
}

QTEST_GUILESS_MAIN(TestSamples)
#include "tst_samples.moc"
