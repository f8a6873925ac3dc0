// Functions of a user's own: a library of the C interface, named on the command line, is called by a module, compiled,
// interpreted, stepped and debugged; what is no such library, and what its functions must not do, is refused.
#include <QTemporaryDir>
#include <QtTest>

#include "../dap/engine_process.h"
#include "../support/program.h"

using rx::test::Answer;
using rx::test::Engine;
using rx::test::Json;
using rx::test::rxs;

namespace {

const QString kFunctions = QStringLiteral(RX_BINARY_DIR "/tests/plugins/functions.so");

/// A module whose main has these lines.
QString moduleOf(const QString& body, const QString& result) {
  return QStringLiteral(
             "from tvm.script import ir as I, relax as R\n"
             "@I.ir_module\n"
             "class Module:\n"
             "    @R.function(pure=False)\n"
             "    def main(x: R.Tensor((3,), dtype=\"float32\")) -> %2:\n"
             "%1"
             "        return y\n")
      .arg(body, result);
}

const QString kTensor = "R.Tensor((3,), dtype=\"float32\")";
const QString kBoth = moduleOf(
    "        w = R.call_packed(\"test.scaled\", x, R.prim_value(3), sinfo_args=(R.Tensor((3,), dtype=\"float32\"),))\n"
    "        y = R.call_dps_packed(\"test.add_one\", (w,), out_sinfo=R.Tensor((3,), dtype=\"float32\"))\n",
    kTensor);

}  // namespace

class TestPlugin : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  QString write(const QString& name, const QByteArray& bytes) {
    QFile file(folder_.filePath(name));
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() ? file.fileName() : QString();
  }
  Answer run(const QString& module, QStringList options) {
    return rxs(QStringList{"run", write("module.py", module.toUtf8()), "--seed", "1"} + options);
  }

 private Q_SLOTS:
  void everyWay_data() {
    QTest::addColumn<QStringList>("way");
    for (const char* engine : {"compiled", "interpreted", "stepped"})
      QTest::newRow(engine) << QStringList{"--engine", engine};
    QTest::newRow("checked") << QStringList{"--check"};
    QTest::newRow("confined") << QStringList{"--confine"};
  }
  void everyWay() {
    QFETCH(QStringList, way);
    const Answer plain = run(moduleOf("        y = x\n", kTensor), {});
    QVERIFY2(plain.code == 0, qPrintable(plain.err));
    const Answer answer = run(kBoth, QStringList{"--plugin", kFunctions} + way);
    QVERIFY2(answer.code == 0, qPrintable(answer.err));
    const auto first = [](const QString& out) {
      return out.section('[', 1).section(' ', 0, 0, QString::SectionSkipEmpty).toDouble();
    };
    QVERIFY(std::abs(first(answer.out) - (3 * first(plain.out) + 1)) < 1e-3);
  }

  void numbersTextsShapes() {
    const QString module = moduleOf(
        "        y = R.call_packed(\"test.length\", R.str(\"four\"), R.shape([1, 2, 3]), sinfo_args=(R.Object,))\n",
        "R.Object");
    const Answer answer = run(module, {"--plugin", kFunctions});
    QVERIFY2(answer.code == 0, qPrintable(answer.err));
    QVERIFY2(answer.out.contains("out_0: 7"), qPrintable(answer.out));
  }

  void refusedCalls_data() {
    QTest::addColumn<QString>("call");
    QTest::addColumn<QString>("says");
    QTest::newRow("says why") << "R.call_packed(\"test.scaled\", x, sinfo_args=(R.Object,))"
                              << "error[plugin.failed]: test.scaled: a tensor and an integer are needed, 1 values";
    QTest::newRow("no reason") << "R.call_packed(\"test.add_one\", x, sinfo_args=(R.Object,))"
                               << "error[plugin.failed]: test.add_one: it says no reason";
    QTest::newRow("strange tensor") << "R.call_packed(\"test.stray\", x, sinfo_args=(R.Object,))"
                                    << "error[plugin.result]: test.stray gives what is no value";
    QTest::newRow("tuple") << "R.call_packed(\"test.scaled\", (x, x), R.prim_value(1), sinfo_args=(R.Object,))"
                           << "error[plugin.argument]";
  }
  void refusedCalls() {
    QFETCH(QString, call);
    QFETCH(QString, says);
    const Answer answer = run(moduleOf("        y = " + call + "\n", "R.Object"), {"--plugin", kFunctions});
    QCOMPARE(answer.code, 1);
    QVERIFY2(answer.err.contains(says), qPrintable(answer.err));
    QVERIFY2(answer.err.contains("binding y"), qPrintable(answer.err));
  }

  void refusedLibraries_data() {
    QTest::addColumn<QString>("library");
    QTest::addColumn<QString>("says");
    QTest::newRow("missing") << folder_.filePath("none.so") << "error[plugin.load]";
    QTest::newRow("no library") << write("text.so", "not a library") << "error[plugin.load]";
    QTest::newRow("another library") << RX_BINARY_DIR "/tests/plugins/nothing.so"
                                     << "no functions for version 1";
    QTest::newRow("name of a builtin") << RX_BINARY_DIR "/tests/plugins/builtin.so"
                                       << "error[plugin.name]: ";
  }
  void refusedLibraries() {
    QFETCH(QString, library);
    QFETCH(QString, says);
    const Answer ran = run(kBoth, {"--plugin", library});
    QCOMPARE(ran.code, 1);
    QVERIFY2(ran.err.contains(says), qPrintable(ran.err));
    const Answer engine = rxs({"dap", "--listen", "0", "--plugin", library});
    QCOMPARE(engine.code, 1);
    QVERIFY2(engine.err.contains(says), qPrintable(engine.err));
    // Who started an engine of their own is told by it.
    Engine child({"dap", "--plugin", library});
    const std::string told =
        child.launchProgram({{"program", write("module.py", kBoth.toUtf8()).toStdString()}, {"seed", 1}});
    QVERIFY2(QString::fromStdString(told).contains(says.remove("error[").remove("]")), told.c_str());
  }

  void notInPackages() {
    const Answer answer = run(kBoth, {"--plugin", kFunctions, "--engine", "package"});
    QCOMPARE(answer.code, 1);
    QVERIFY2(answer.err.contains("error[plugin.package]"), qPrintable(answer.err));
    // Twice the same names.
    const Answer twice = run(kBoth, {"--plugin", kFunctions, "--plugin", kFunctions});
    QVERIFY2(twice.code == 1 && twice.err.contains("error[plugin.name]"), qPrintable(twice.err));
    // Without it the function is missing.
    const Answer without = run(kBoth, {});
    QVERIFY2(without.code == 1 && without.err.contains("error[vm.missing-function]"), qPrintable(without.err));
  }

  void debugged() {
    const QString module = write("module.py", kBoth.toUtf8());
    Engine engine({"dap", "--plugin", kFunctions});
    const std::string wrong = engine.launchProgram({{"program", module.toStdString()}, {"seed", 1}});
    QVERIFY2(wrong.empty(), wrong.c_str());
    QCOMPARE(engine.stop()["reason"], Json("entry"));
    const Json end = engine.move("continue");
    QVERIFY2(end.is_object() && end["reason"] == Json("end"), end.dump().c_str());
  }
};

QTEST_GUILESS_MAIN(TestPlugin)
#include "tst_plugin.moc"
