// The program itself, driven by scripts: each sample opened, all its passes stepped, its run debugged to the end and
// back to the start; offscreen, and under a real X server where Xvfb is installed. Pictures go to build/screenshots.
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

namespace {

const QString kProgram = QStringLiteral(RX_BINARY_DIR "/bin/relaxscope");
const QString kPictures = QStringLiteral(RX_SOURCE_DIR "/build/screenshots");

struct Ran {
  int code = -1;
  QString output;
};

class WindowTest : public QObject {
  Q_OBJECT

  Ran run(const QString& script, const QStringList& options = {}, const QString& platform = "offscreen") {
    QTemporaryDir folder;
    const QString path = folder.filePath("script.txt");
    QFile file(path);
    Ran ran;
    if (!file.open(QIODevice::WriteOnly)) return ran;
    file.write(script.toUtf8());
    file.close();
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_QPA_PLATFORM", platform == "offscreen" ? "offscreen" : "xcb");
    if (platform != "offscreen") environment.insert("DISPLAY", platform);
    environment.insert("RELAXSCOPE_SAMPLES", RX_SOURCE_DIR "/samples");
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(kProgram, QStringList{"--script", path} + options);
    constexpr int kLimit = 240000;
    if (!process.waitForFinished(kLimit)) process.kill();
    ran.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    ran.output = QString::fromUtf8(process.readAll());
    return ran;
  }

  static QString tour(const QString& sample, const QString& pictures) {
    return QString(
               "file.sample %1\n"
               "expect Ready\n"
               "select.function main\n"
               "screenshot %2-open.png\n"
               "pass.next\n"
               "pass.last\n"
               "expect AttachGlobalSymbol\n"
               "view.layoutRead\n"
               "screenshot %2-passes.png\n"
               "pass.first\n"
               "view.layoutDebug\n"
               "debug.start main\n"
               "expect Paused\n"
               "debug.stepOver 1\n"
               "screenshot %2-debug.png\n"
               "debug.continue\n"
               "expect Ended\n"
               "debug.reverseContinue\n"
               "expect step 0\n"
               "debug.stop\n"
               "expect engine off\n")
        .arg(sample, pictures);
  }

 private Q_SLOTS:
  void samples_data() {
    QTest::addColumn<QString>("sample");
    const QStringList samples = QDir(RX_SOURCE_DIR "/samples").entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    QVERIFY(samples.size() >= 6);
    for (const QString& sample : samples) {
      // What has no expected result (the texts of the eras) is there to be read, not to be run.
      if (QFile::exists(RX_SOURCE_DIR "/samples/" + sample + "/expected.npz"))
        QTest::newRow(qPrintable(sample)) << sample;
    }
  }
  void samples() {
    QFETCH(QString, sample);
    const Ran ran = run(tour(sample, kPictures + "/" + sample), {"--size", "1280x800"});
    QVERIFY2(ran.code == 0, qPrintable(ran.output));
  }

  void looks_data() {
    QTest::addColumn<QStringList>("options");
    QTest::newRow("1920-light") << QStringList{"--size", "1920x1080", "--theme", "light"};
    QTest::newRow("1280-dark") << QStringList{"--size", "1280x800", "--theme", "dark"};
    QTest::newRow("1280-scaled") << QStringList{"--size", "1280x800", "--scale", "1.5"};
  }
  void looks() {
    QFETCH(QStringList, options);
    const Ran ran = run(tour("attention", kPictures + "/look-" + QTest::currentDataTag()), options);
    QVERIFY2(ran.code == 0, qPrintable(ran.output));
  }

  void underX() {
    const QString server = QStandardPaths::findExecutable("Xvfb");
    if (server.isEmpty()) QSKIP("Xvfb is not installed");
    QProcess x;
    const QString display = QString(":%1").arg(90 + QCoreApplication::applicationPid() % 400);
    x.start(server, {display, "-screen", "0", "1920x1200x24", "-nolisten", "tcp"});
    QVERIFY(x.waitForStarted());
    QTest::qWait(1500);
    const Ran ran = run(tour("attention_fp16", kPictures + "/x-attention_fp16"), {"--size", "1600x1000"}, display);
    x.kill();
    x.waitForFinished();
    QVERIFY2(ran.code == 0, qPrintable(ran.output));
  }

  /// Story 7: the run stops where the first Inf is made and says so.
  void stopsAtTheFirstInf() {
    const Ran ran = run(QString("file.sample attention_fp16\nselect.function main\ndebug.start main stop=nonfinite\n"
                                "expect Paused\nexpect Inf\nexpect next: scaled, line 23\nscreenshot %1/inf.png\n")
                            .arg(kPictures));
    QVERIFY2(ran.code == 0, qPrintable(ran.output));
  }

  /// Story 4: the message about a symbol that two inputs disagree on.
  void namesTheSymbolThatDisagrees() {
    const Ran ran = run("file.sample dynamic\ndebug.start main inputs=" RX_SOURCE_DIR
                        "/samples/dynamic/inputs_mismatch.npz stop=none\n");
    QVERIFY(ran.code != 0 || ran.output.contains("n"));
    QVERIFY2(!ran.output.contains("not settled"), qPrintable(ran.output));
  }

  void badFilesLeaveTheWindowAlive() {
    QTemporaryDir folder;
    QFile bad(folder.filePath("bad.py"));
    QVERIFY(bad.open(QIODevice::WriteOnly));
    bad.write("@I.ir_module\nclass Module:\n    @R.function\n    def main(x:");
    bad.close();
    const Ran first = run("file.open " + bad.fileName());
    QCOMPARE(first.code, 1);
    QVERIFY2(first.output.contains("does not open") || first.output.contains("line"), qPrintable(first.output));
    const Ran missing = run("file.open /no/such/file.py");
    QCOMPARE(missing.code, 1);
    QVERIFY(missing.output.contains("no such file"));
  }

  /// Help is text and needs no display; the window does.
  void helpNeedsNoDisplay() {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_QPA_PLATFORM", "xcb");
    environment.remove("DISPLAY");
    process.setProcessEnvironment(environment);
    process.start(kProgram, {"--help"});
    QVERIFY(process.waitForFinished(30000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 0);
    QVERIFY(process.readAllStandardOutput().contains("--script"));
    process.start(kProgram, {"--help", "--no-such-option"});
    QVERIFY(process.waitForFinished(30000));
    QVERIFY(process.exitCode() != 0);
  }

  void wrongUse() {
    QProcess process;
    process.start(kProgram, {"--theme", "pink", "--script", "/dev/null"});
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.exitCode(), 2);
    process.start(kProgram, {"--scale", "90"});
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.exitCode(), 2);
    process.start(kProgram, {"--script", "/no/such/script"});
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.exitCode(), 2);
  }
};

}  // namespace

QTEST_GUILESS_MAIN(WindowTest)
#include "tst_window.moc"
