// Kernels that rules for processors have scheduled, on one thread and on all: the same bits, unless the sums of a
// single place are shared on purpose.
#include <sched.h>

#include <QtTest>

#include "core/script/print.h"
#include "host_programs.h"

using namespace rx;
using namespace rx::test;

class TestHostThreads : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void givesTheSameBits_data();
  void givesTheSameBits();
  void staysOnOneThreadWhereLittleIsToDo();
  void sharesTheSumsOfAPlace_data();
  void sharesTheSumsOfAPlace();
  void refusesNoThreads();
};

namespace {

/// This process on its first processor alone, as long as the object lives.
class OneProcessor {
 public:
  OneProcessor() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i)
      if (CPU_ISSET(i, &before_)) CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneProcessor() { sched_setaffinity(0, sizeof before_, &before_); }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  cpu_set_t before_;
};

std::string textOf(const compile::Program& program) { return script::print(program.module).text; }

/// main for a size that only a run knows, on a machine of its own.
Result<Ref<HostTensor>> ran(const compile::Program& program, int64_t size) {
  RX_TRY(machine, machineOf(program, false));
  return resultOn(*machine, program, size);
}

}  // namespace

void TestHostThreads::givesTheSameBits_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("shapes");
  auto row = [](const char* text, const char* shapes) {
    QTest::newRow(qPrintable(QString("%1 of %2").arg(text, shapes))) << QString(text) << QString(shapes);
  };
  row("R.matmul(p0, p1)", "130, 200; 200, 301");
  row("R.matmul(p0, p1)", "\"n\", 200; 200, 301");
  row("R.matmul(p0, p1)", "1, 1100; 1100, 4096");
  row("R.matmul(p0, p1)", "6, 70, 90; 6, 90, 70");
  row("R.nn.conv2d(p0, p1, padding=[1, 1, 1, 1])", "1, 32, 28, 28; 40, 32, 3, 3");
  row("R.nn.softmax(p0, axis=-1)", "500, 333");
  row("R.nn.softmax(p0, axis=-1)", "\"n\", 333");
  row("R.nn.layer_norm(p0, p1, p2, axes=[-1])", "500, 300; 300; 300");
  row("R.sum(p0, axis=[1])", "\"n\", 999");
  row("R.sum(p0, axis=[0])", "500, 333");
  row("R.nn.gelu(p0)", "\"n\", 700");
  row("R.nn.conv2d(p0, p1, groups=8, padding=[1, 1, 1, 1])", "1, 8, 60, 70; 8, 1, 3, 3");
  row("R.nn.max_pool2d(p0, pool_size=[3, 3], padding=[1, 1, 1, 1])", "1, 1, 200, 300");
  row("R.nn.conv2d_transpose(p0, p1, strides=[2, 2])", "1, 16, 20, 20; 16, 40, 3, 3");
  row("R.argmax(p0, axis=0)", "400, 501");
  row("R.argmax(p0, axis=1)", "\"n\", 40, 99");
  row("R.permute_dims(p0)", "400, 501");
  row("R.permute_dims(p0, axes=[0, 2, 1])", "20, 80, 99");
  row("R.repeat(p0, 2, axis=1)", "300, 333");
  row("R.cumsum(p0, axis=0)", "400, 501");
  row("R.cumsum(p0, axis=1)", "3, 200, 333");
  row("R.matmul(R.nn.softmax(R.matmul(p0, p1), axis=-1), p2)", "4, 150, 32; 4, 32, 150; 4, 150, 32");
}

void TestHostThreads::givesTheSameBits() {
  QFETCH(QString, text);
  QFETCH(QString, shapes);
  const auto program = programOf(moduleOf(text, shapes), "llvm", "optimized");
  QVERIFY2(program, program ? "" : program.diagnostics()[0].message.c_str());
  QVERIFY(textOf(*program).find("T.parallel(") != std::string::npos);
  const auto all = ran(*program, 401), again = ran(*program, 401);
  QVERIFY2(all, all ? "" : all.diagnostics()[0].message.c_str());
  const OneProcessor one;
  const auto alone = ran(*program, 401);
  QVERIFY(again && alone);
  QVERIFY((*all)->identical(**again));
  QVERIFY((*all)->identical(**alone));
}

/// A size that only a run knows decides then: the loop says from how many steps on threads share it.
void TestHostThreads::staysOnOneThreadWhereLittleIsToDo() {
  const auto asks = [](const char* text, const char* shapes) {
    const auto program = programOf(moduleOf(text, shapes), "llvm", "optimized");
    return program && textOf(*program).find("\"threads_if\"") != std::string::npos;
  };
  QVERIFY(asks("R.nn.gelu(p0)", "\"n\", 700"));
  QVERIFY(asks("R.matmul(p0, p1)", "\"n\", 20; 20, 30"));
  QVERIFY(!asks("R.nn.gelu(p0)", "900, 700"));
  QVERIFY(!asks("R.nn.gelu(p0)", "3, 7"));
}

void TestHostThreads::sharesTheSumsOfAPlace_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("shape");
  QTest::addColumn<int>("threads");
  QTest::addColumn<bool>("shared");
  auto row = [](const char* text, const char* shape, int threads, bool shared) {
    QTest::addRow("%s of %s by %d", text, shape, threads) << QString(text) << QString(shape) << threads << shared;
  };
  row("R.sum(p0)", "200000", 2, true);
  row("R.sum(p0)", "200003", 3, true);
  row("R.sum(p0)", "400, 501", 2, true);
  row("R.sum(p0)", "7, 30000", 4, true);
  row("R.max(p0)", "200003", 2, true);
  row("R.sqrt(R.sum(R.multiply(p0, p0)))", "200003", 2, true);
  row("R.sum(p0)", "200000", 1, false);
  row("R.sum(p0)", "1000", 2, false);                // too few
  row("R.sum(p0, axis=[1])", "40, 5000", 2, false);  // places enough for the threads
}

void TestHostThreads::sharesTheSumsOfAPlace() {
  QFETCH(QString, text);
  QFETCH(QString, shape);
  QFETCH(int, threads);
  QFETCH(bool, shared);
  const std::string module = moduleOf(text, shape);
  const auto plain = programOf(module, "llvm");
  const auto program =
      programOf(module, "llvm", fmt::format("fused, ApplySchedules(sum_threads={}), default", threads));
  QVERIFY2(program, program ? "" : program.diagnostics()[0].message.c_str());
  QCOMPARE(textOf(*program).find("parts = T.alloc_buffer") != std::string::npos, shared);
  const auto expected = resultOf(*plain, false), got = resultOf(*program, false), slow = resultOf(*program, true);
  QVERIFY(expected && got && slow);
  QVERIFY((*got)->identical(**slow));
  QCOMPARE_LE(apart(**expected, **got), 1e-4);
  const OneProcessor one;
  const auto alone = resultOf(*program, false);
  QVERIFY(alone);
  QVERIFY((*got)->identical(**alone));
}

void TestHostThreads::refusesNoThreads() {
  const auto program =
      programOf(moduleOf("R.sum(p0)", "200000"), "llvm", "fused, ApplySchedules(sum_threads=0), default");
  QVERIFY(!program);
}

QTEST_GUILESS_MAIN(TestHostThreads)
#include "tst_host_threads.moc"
