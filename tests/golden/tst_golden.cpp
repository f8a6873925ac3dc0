// Golden texts: every case is a file under tests/golden/<suite>/ and a command line of rxs; what rxs answers (exit
// code, standard output, standard error) must equal <case>.expected.
//
// The command is what <case>.cmd says, or else the suite's file `command`; {} stands for the case's file. Several
// lines are several commands for one file: each answer then stands behind "$" and its command.
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

QStringList commandsOf(const QFileInfo& input) {
  QString own = input.path() + "/" + input.completeBaseName() + ".cmd";
  QString text = readAll(QFile::exists(own) ? own : input.path() + "/command");
  return text.replace("{}", input.fileName()).split('\n', Qt::SkipEmptyParts);
}

/// What rxs answered, in the form of an .expected file. Runs in the folder of the case, so that no path shows.
QString answerTo(const QString& command, const QString& folder) {
  const rx::test::Answer answer = rx::test::rxs(QProcess::splitCommand(command), {.folder = folder});
  if (answer.crashed) return "crashed\n" + answer.err;
  if (answer.code < 0) return answer.err + '\n';
  return QStringLiteral("exit %1\n--- stdout\n%2--- stderr\n%3").arg(answer.code).arg(answer.out, answer.err);
}

QString answersOf(const QFileInfo& input) {
  const QStringList commands = commandsOf(input);
  QString answers;
  for (const QString& command : commands)
    answers += (commands.size() > 1 ? "$ " + command + '\n' : QString()) + answerTo(command, input.path());
  return answers;
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
  QString answer = answersOf(input);
  if (qEnvironmentVariableIsSet("RX_UPDATE_GOLDEN")) {
    QFile file(expectedPath);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(answer.toUtf8());
    return;
  }
  QVERIFY2(QFile::exists(expectedPath), qPrintable("no expectation beside " + path + "; RX_UPDATE_GOLDEN=1 writes it"));
  QString expected = readAll(expectedPath);
  if (answer != expected) {
    QFAIL(qPrintable(QStringLiteral("%1 answers otherwise\n=== expected\n%2=== got\n%3")
                         .arg(commandsOf(input).join(" and "), expected, answer)));
  }
}

QTEST_GUILESS_MAIN(TestGolden)
#include "tst_golden.moc"
