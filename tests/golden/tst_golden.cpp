// Golden texts: every case is a file under tests/golden/<suite>/ and a command line of rxs; what rxs answers (exit
// code, standard output, standard error) must equal <case>.expected.
//
// The command is the first line of <case>.cmd, or else of the suite's file `command`; {} stands for the case's file.
// RX_UPDATE_GOLDEN=1 writes the expectations anew instead of comparing.
#include <QDir>
#include <QDirIterator>
#include <QtTest>

#include "../support/program.h"

class TestGolden : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void text_data();
  void text();
};

namespace {

const QString kRoot = QStringLiteral(RX_SOURCE_DIR "/tests/golden");

QString readAll(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QString commandOf(const QFileInfo& input) {
  QString own = input.path() + "/" + input.completeBaseName() + ".cmd";
  QString text = readAll(QFile::exists(own) ? own : input.path() + "/command");
  return text.section('\n', 0, 0).replace("{}", input.fileName());
}

/// What rxs answered, in the form of an .expected file. Runs in the folder of the case, so that no path shows.
QString answerOf(const QFileInfo& input) {
  const rx::test::Answer answer = rx::test::rxs(QProcess::splitCommand(commandOf(input)), {.folder = input.path()});
  if (answer.crashed) return "crashed\n" + answer.err;
  if (answer.code < 0) return answer.err + '\n';
  return QStringLiteral("exit %1\n--- stdout\n%2--- stderr\n%3").arg(answer.code).arg(answer.out, answer.err);
}

}  // namespace

void TestGolden::text_data() {
  QTest::addColumn<QString>("path");
  QDirIterator files(kRoot, {"*.py", "*.relay", "*.json", "*.npz", "*.txt"}, QDir::Files, QDirIterator::Subdirectories);
  QStringList paths;
  while (files.hasNext()) paths << files.next();
  paths.sort();
  for (const QString& path : paths) {
    QFileInfo input(path);
    bool isCase = QFile::exists(input.path() + "/command") ||
                  QFile::exists(input.path() + "/" + input.completeBaseName() + ".cmd");
    if (isCase) QTest::newRow(qPrintable(QDir(kRoot).relativeFilePath(path))) << path;
  }
}

void TestGolden::text() {
  QFETCH(QString, path);
  QFileInfo input(path);
  QString expectedPath = input.path() + "/" + input.completeBaseName() + ".expected";
  QString answer = answerOf(input);
  if (qEnvironmentVariableIsSet("RX_UPDATE_GOLDEN")) {
    QFile file(expectedPath);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(answer.toUtf8());
    return;
  }
  QVERIFY2(QFile::exists(expectedPath), qPrintable("no expectation beside " + path + "; RX_UPDATE_GOLDEN=1 writes it"));
  QString expected = readAll(expectedPath);
  if (answer != expected) {
    QFAIL(qPrintable(
        QStringLiteral("%1 answers otherwise\n=== expected\n%2=== got\n%3").arg(commandOf(input), expected, answer)));
  }
}

QTEST_GUILESS_MAIN(TestGolden)
#include "tst_golden.moc"
