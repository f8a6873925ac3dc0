#include <QTemporaryDir>
#include <QTest>
#include <atomic>

#include "core/support/file.h"
#include "core/support/thread_pool.h"

using namespace rx;

class ThreadPoolTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void runsEverything();
  void stacksAreLarge();
  void cancelledWorkIsDropped();
  void filesAreWholeOrAbsent();
};

void ThreadPoolTest::runsEverything() {
  ThreadPool pool(3);
  std::atomic<int> sum{0};
  parallelFor(pool, 1000, {}, [&](size_t i) { sum += static_cast<int>(i); });
  QCOMPARE(sum.load(), 499500);
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

QTEST_APPLESS_MAIN(ThreadPoolTest)
#include "tst_thread_pool.moc"
