#include <sys/stat.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <fstream>
#include <thread>

#include "core/support/file.h"
#include "core/support/thread_pool.h"

using namespace rx;

class ThreadPoolTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void runsEverything();
  void waitsForNobodyWhoHasNotBegun();
  void stacksAreLarge();
  void cancelledWorkIsDropped();
  void filesAreWholeOrAbsent();
  void filesAreWrittenThroughLinks();
  void devicesAndFifosAreWrittenInto();
};

void ThreadPoolTest::runsEverything() {
  ThreadPool pool(3);
  std::atomic<int> sum{0};
  parallelFor(pool, 1000, {}, [&](size_t i) { sum += static_cast<int>(i); });
  QCOMPARE(sum.load(), 499500);
}

/// The caller does it all where every thread has other work; those that come late touch nothing of it.
void ThreadPoolTest::waitsForNobodyWhoHasNotBegun() {
  ThreadPool pool(3);
  std::atomic<bool> go{false};
  std::vector<Task> others;
  for (int i = 0; i < 3; ++i)
    others.push_back(pool.submit([&](const CancelToken&) {
      while (!go) std::this_thread::yield();
    }));
  std::atomic<int> sum{0};
  const CancelToken token;
  parallelForHere(&pool, 1000, token, [&](size_t i) { sum += static_cast<int>(i); });
  QCOMPARE(sum.load(), 499500);
  go = true;
  for (const Task& other : others) other.wait();
  pool.submit([](const CancelToken&) {}).wait();
  QCOMPARE(sum.load(), 499500);
  parallelForHere(&pool, 1000, token, [&](size_t i) { sum += static_cast<int>(i); });
  QCOMPARE(sum.load(), 999000);
  // Nobody helps.
  parallelForHere(nullptr, 1000, token, [&](size_t i) { sum += static_cast<int>(i); });
  QCOMPARE(sum.load(), 1498500);
  token.cancel();
  parallelForHere(&pool, 1000, token, [&](size_t i) { sum += static_cast<int>(i); });
  QCOMPARE(sum.load(), 1498500);
}

void ThreadPoolTest::stacksAreLarge() {
  ThreadPool pool(1);
  std::atomic<int> last{0};
  pool.submit([&](const CancelToken&) {
        volatile char block[32 << 20];
        for (size_t i = 0; i < sizeof block; i += 4096) block[i] = 1;
        last = block[4096];
      })
      .wait();
  QCOMPARE(last.load(), 1);
}

void ThreadPoolTest::cancelledWorkIsDropped() {
  ThreadPool pool(1);
  std::atomic<bool> go{false};
  std::atomic<bool> ran{false};
  Task first = pool.submit([&](const CancelToken&) {
    while (!go) std::this_thread::yield();
  });
  Task second = pool.submit([&](const CancelToken&) { ran = true; });
  QVERIFY(!second.done());
  second.cancel();
  go = true;
  second.wait();
  QVERIFY(first.done());
  QVERIFY(!ran);
}

void ThreadPoolTest::filesAreWholeOrAbsent() {
  QTemporaryDir folder;
  const std::string path = folder.filePath("a").toStdString();
  QVERIFY(!readFile(path).ok());
  QVERIFY(writeFile(path, "hello").ok());
  QCOMPARE(*readFile(path), std::string("hello"));
  QVERIFY(!readFile(path, 3).ok());
  QVERIFY(!readFile(folder.path().toStdString()).ok());
  QVERIFY(!writeFile(folder.filePath("no/such").toStdString(), "x").ok());
}

void ThreadPoolTest::filesAreWrittenThroughLinks() {
  QTemporaryDir folder;
  const std::string real = folder.filePath("real").toStdString(), link = folder.filePath("link").toStdString();
  QVERIFY(writeFile(real, "old").ok());
  QVERIFY(chmod(real.c_str(), 0600) == 0);
  QVERIFY(symlink(real.c_str(), link.c_str()) == 0);
  QVERIFY(writeFile(link, "new").ok());
  QCOMPARE(*readFile(real), std::string("new"));
  struct stat info = {};
  QVERIFY(lstat(link.c_str(), &info) == 0 && S_ISLNK(info.st_mode));
  QVERIFY(lstat(real.c_str(), &info) == 0);
  QCOMPARE(info.st_mode & 07777, mode_t{0600});
  QVERIFY(!writeFile(folder.path().toStdString(), "x").ok());
}

/// A device stays one, whoever writes: `-o /dev/null` as root made a file of it.
void ThreadPoolTest::devicesAndFifosAreWrittenInto() {
  QTemporaryDir folder;
  const std::string fifo = folder.filePath("fifo").toStdString();
  QVERIFY(mkfifo(fifo.c_str(), 0600) == 0);
  std::string read;
  std::thread reader([&] {
    std::ifstream stream(fifo);
    std::getline(stream, read);
  });
  QVERIFY(writeFile(fifo, "through\n").ok());
  reader.join();
  QCOMPARE(read, std::string("through"));
  struct stat info = {};
  QVERIFY(lstat(fifo.c_str(), &info) == 0 && S_ISFIFO(info.st_mode));
}

QTEST_APPLESS_MAIN(ThreadPoolTest)
#include "tst_thread_pool.moc"
