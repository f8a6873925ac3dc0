// Files that the window writes: into what stands there, never in its place.
#include <sys/stat.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <thread>

#include "views/models/output_bytes.h"
#include "views/models/stream_writer.h"

using namespace rx::views;

namespace {

QByteArray textOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("not read");
}

mode_t modeOf(const QString& path) {
  struct stat info {};
  return ::lstat(QFile::encodeName(path), &info) == 0 ? info.st_mode : 0;
}

}  // namespace

class WindowFilesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void linksAreFollowedAndModesStay() {
    QTemporaryDir folder;
    const QString file = folder.filePath("100% of\na.txt"), link = folder.filePath("link");
    QCOMPARE(writeOutput(file, "one"), QString());
    QCOMPARE(::chmod(QFile::encodeName(file), 0640), 0);
    QCOMPARE(::symlink(QFile::encodeName(file), QFile::encodeName(link)), 0);
    QCOMPARE(writeOutput(link, "two"), QString());
    QVERIFY(S_ISLNK(modeOf(link)));
    QCOMPARE(textOf(file), QByteArray("two"));
    QCOMPARE(modeOf(file) & 07777, mode_t{0640});
    QFile from(file);
    QCOMPARE(copyOutput(from, folder.filePath("copy")), QString());
    QCOMPARE(textOf(folder.filePath("copy")), QByteArray("two"));
  }

  void devicesAndFifosAreWrittenInto() {
    QTemporaryDir folder;
    QCOMPARE(writeOutput("/dev/null", "nothing"), QString());
    QVERIFY(S_ISCHR(modeOf("/dev/null")));
    const QString fifo = folder.filePath("fifo");
    QCOMPARE(::mkfifo(QFile::encodeName(fifo), 0600), 0);
    // Nobody waits in the window for a reader.
    QElapsedTimer clock;
    clock.start();
    QVERIFY(writeOutput(fifo, "lost").contains("nobody reads from it"));
    QVERIFY(clock.elapsed() < 1000);
    QByteArray got;
    std::thread reader([&] { got = textOf(fifo); });
    while (!writeOutput(fifo, "kept").isEmpty()) QTest::qSleep(10);
    reader.join();
    QCOMPARE(got, QByteArray("kept"));
    QVERIFY(S_ISFIFO(modeOf(fifo)));
  }

  /// The window goes on at once, and nothing is lost, also where the program ends meanwhile.
  void aSlowReaderHoldsNothingUp() {
    QTemporaryDir folder;
    const QString fifo = folder.filePath("fifo");
    QCOMPARE(::mkfifo(QFile::encodeName(fifo), 0600), 0);
    QTest::qWait(20);                      // the writers before are gone
    const QByteArray bytes(1 << 20, 'x');  // more than a pipe holds
    std::atomic<bool> reads = false;
    QByteArray got;
    std::thread reader([&] {
      QFile file(fifo);
      if (!file.open(QIODevice::ReadOnly | QIODevice::Unbuffered)) return;
      while (!reads) QTest::qSleep(5);
      got = file.readAll();
    });
    QElapsedTimer clock;
    clock.start();
    while (!writeOutput(fifo, bytes).isEmpty()) {
      QTest::qSleep(10);
      clock.start();
    }
    const qint64 waited = clock.elapsed();
    reads = true;
    int writers = 0;
    for (QObject* child : qApp->children()) {
      auto* writer = dynamic_cast<StreamWriter*>(child);
      writers += writer != nullptr;
      delete writer;  // as the end of the program does
    }
    reader.join();
    QCOMPARE(writers, 1);
    QVERIFY2(waited < 100, qPrintable(QString::number(waited)));
    QCOMPARE(got.size(), bytes.size());
  }

  void whatFailsIsSaidAndLeavesNothing() {
    QTemporaryDir folder;
    QVERIFY(writeOutput(folder.filePath("no/such/folder"), "a").contains("no/such/folder"));
    QVERIFY(!writeOutput("/dev/full", QByteArray(1 << 20, 'x')).isEmpty());
    QFile missing(folder.filePath("missing"));
    QVERIFY(copyOutput(missing, folder.filePath("copy")).contains("missing"));
    QVERIFY(QDir(folder.path()).isEmpty());
  }
};

QTEST_GUILESS_MAIN(WindowFilesTest)
#include "tst_window_files.moc"
