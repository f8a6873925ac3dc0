// What rxs opt tells of the passes: where it goes, and what holds times and can not be a golden text.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include "../support/program.h"

using rx::test::Answer;

namespace {

const QString kSample = QStringLiteral(RX_SOURCE_DIR "/samples/attention");

Answer opt(const QStringList& arguments) { return rx::test::rxs(QStringList{"opt", kSample} + arguments); }

QString readAll(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

}  // namespace

class TestOptReports : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void reportsKeepOffTheModule();
  void aFileTakesTheReport();
  void aReportThatCanNotBeWrittenFails();
  void timesAddUp();
  void theListSaysWhatWasNotChecked();
  void jsonHasAStepAPass();
};

void TestOptReports::reportsKeepOffTheModule() {
  const Answer plain = opt({"--passes", "zero"});
  const Answer told = opt({"--passes", "zero", "--time", "--diff", "--explain", "--print-after", "all"});
  QCOMPARE(told.code, 0);
  QCOMPARE(told.out, plain.out);
  QVERIFY(plain.err.isEmpty());
  QVERIFY2(told.err.contains("# 5 FuseTIR()\n"), qPrintable(told.err));
}

void TestOptReports::aFileTakesTheReport() {
  QTemporaryDir folder;
  const QString report = folder.filePath("report.txt");
  const Answer answer = opt({"--passes", "zero", "--list", "--explain", "--report", report});
  QCOMPARE(answer.code, 0);
  QVERIFY(answer.out.isEmpty());  // --list: the module goes to -o alone
  QVERIFY(answer.err.isEmpty());
  const QString text = readAll(report);
  QVERIFY2(text.contains("  5  FuseTIR "), qPrintable(text));
  QVERIFY2(text.contains("  powers: FuseTIR from shifted ("), qPrintable(text));
}

void TestOptReports::aReportThatCanNotBeWrittenFails() {
  const Answer answer = opt({"--passes", "zero", "--time", "--report", "/nowhere/report.txt"});
  QCOMPARE(answer.code, 1);
  QVERIFY2(answer.err.contains("error[file.write]"), qPrintable(answer.err));
}

/// The longest first, and the line of all is their sum.
void TestOptReports::timesAddUp() {
  const Answer answer = opt({"--passes", "zero, Normalize(), Normalize()", "--time", "-o", "/dev/null"});
  double sum = 0, last = 1e9;
  for (const QString& line : answer.err.split('\n', Qt::SkipEmptyParts)) {
    const QStringList words = line.simplified().split(' ');
    const double milliseconds = words[0].toDouble();
    if (words.last() == "all") {
      QVERIFY2(std::abs(milliseconds - sum) < 0.06, qPrintable(answer.err));
      return;
    }
    if (words.last() == "Normalize") QCOMPARE(words[4], "2");
    if (!line.endsWith("checks between passes")) QVERIFY2(milliseconds <= last, qPrintable(answer.err));
    last = milliseconds;
    sum += milliseconds;
  }
  QFAIL("no line for all");
}

void TestOptReports::theListSaysWhatWasNotChecked() {
  const QStringList lines = opt({"--passes", "zero", "--list", "--no-verify-each"}).err.split('\n', Qt::SkipEmptyParts);
  QCOMPARE(lines.size(), 6);
  QVERIFY2(lines[1].contains(" unchecked "), qPrintable(lines[1]));
  QVERIFY2(lines[5].contains(" ok "), qPrintable(lines[5]));
}

void TestOptReports::jsonHasAStepAPass() {
  const Answer answer = opt({"--passes", "zero", "--json", "--disable", "FoldConstant"});
  QCOMPARE(answer.code, 0);
  const QJsonObject object = QJsonDocument::fromJson(answer.out.toUtf8()).object();
  QVERIFY(object["ok"].toBool());
  const QJsonArray passes = object["passes"].toArray();
  QCOMPARE(passes.size(), 5);
  const QJsonObject legalize = passes[0].toObject(), fold = passes[2].toObject();
  QCOMPARE(legalize["pass"].toString(), "LegalizeOps");
  QCOMPARE(legalize["changes"].toArray()[0].toObject()["what"].toString(), "changed");
  QVERIFY(legalize["milliseconds"].toDouble() > 0 && legalize["verified"].toBool());
  QVERIFY(fold["leftOut"].toBool() && fold["changes"].toArray().isEmpty());
  QCOMPARE(fold["messages"].toArray()[0].toObject()["rule"].toString(), "pass.left-out");
}

QTEST_GUILESS_MAIN(TestOptReports)
#include "tst_opt_reports.moc"
