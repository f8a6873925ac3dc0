// What is built into the programs against faults of memory: addresses that are read-only once they are resolved, places
// that differ in each run, stacks that are guarded and not executed, copies whose sizes are checked.
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QtTest>

#include "../support/program.h"

class HardeningTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void programs_data() {
    QTest::addColumn<QString>("program");
    for (const char* name : {"rxs", "relaxscope"})
      if (QFile::exists(QStringLiteral(RX_BINARY_DIR "/bin/") + name)) QTest::newRow(name) << name;
  }
  void packages() {
    QTemporaryDir folder;
    const auto build = rx::test::rxs({"build", RX_SOURCE_DIR "/samples/mlp", "-o", folder.path()});
    QVERIFY2(build.code == 0, qPrintable(build.err));
    addressesAreGuarded(folder.filePath("libmodel.so"));
  }
  void programs() {
    QFETCH(QString, program);
    const QString file = QStringLiteral(RX_BINARY_DIR "/bin/") + program;
    const QString header = readelf({"-hW", file});
    QVERIFY2(header.contains("DYN (Position-Independent Executable file)"), qPrintable(header));
    addressesAreGuarded(file);
    const QString dynamic = readelf({"-dW", file});
    QVERIFY2(dynamic.contains("BIND_NOW") || dynamic.contains(QRegularExpression("FLAGS_1.*NOW")), qPrintable(dynamic));
  }

  /// Every file of the programs, as it was compiled.
  void everyFile() {
    QFile file(QStringLiteral(RX_BINARY_DIR "/compile_commands.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonArray commands = QJsonDocument::fromJson(file.readAll()).array();
    int seen = 0;
    for (const QJsonValue& each : commands) {
      const QString name = each["file"].toString(), command = each["command"].toString();
      if (!name.startsWith(QStringLiteral(RX_SOURCE_DIR "/")) || name.startsWith(QStringLiteral(RX_BINARY_DIR "/")))
        continue;
      if (!name.endsWith(".cpp")) continue;  // the plugins of the tests, which a user would have built
      if (command.contains("-fsanitize")) QSKIP("sanitizers look at all of it themselves");
      ++seen;
      QVERIFY2(command.contains("-fstack-protector-strong"), qPrintable(name));
      // Which needs an optimiser, and is left out where one debugs.
      QVERIFY2(command.contains("-D_FORTIFY_SOURCE=2") || !command.contains("-DNDEBUG"), qPrintable(name));
    }
    QVERIFY(seen > 500);
  }

 private:
  static void addressesAreGuarded(const QString& file) {
    const QString segments = readelf({"-lW", file});
    QVERIFY2(segments.contains("GNU_RELRO"), qPrintable(segments));
    const QString stack = segments.section("GNU_STACK", 1).section('\n', 0, 0);
    QVERIFY2(stack.contains("RW ") && !stack.contains('E'), qPrintable(stack));
    // No segment is written to and executed.
    for (const QString& line : segments.split('\n'))
      QVERIFY2(!line.contains("LOAD") || !line.contains("RWE"), qPrintable(line));
  }
  static QString readelf(const QStringList& arguments) { return rx::test::runProgram("readelf", arguments).out; }
};

QTEST_GUILESS_MAIN(HardeningTest)
#include "tst_hardening.moc"
