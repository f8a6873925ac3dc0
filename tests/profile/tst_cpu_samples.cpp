// Looks at where the processor is: in what runs, as often as the clock allows, and never after.
#include <QtTest>
#include <atomic>

#include "core/profile/cpu_samples.h"

using namespace rx;

namespace {

/// Some work whose result is used.
[[gnu::noinline]] double spin(double from) {
  for (int i = 0; i < 200000; ++i) from = from * 1.0000001 + 1e-9;
  return from;
}
std::atomic<double> sink = 0;

}  // namespace

class CpuSamplesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void looksWhereItRuns() {
    const auto work = []() -> Result<Unit> {
      sink = spin(sink);
      return Unit{};
    };
    const auto samples = profile::sampleCpu(400, work, {});
    QVERIFY(samples);
    QVERIFY(samples->calls > 0);
    QVERIFY(samples->nanoseconds >= 400'000'000);
    // The coarsest clock of a system ticks a hundred times a second; others may have the processor for a while.
    QVERIFY2(samples->addresses.size() >= 3, qPrintable(QString::number(samples->addresses.size())));
    const auto begin = reinterpret_cast<uintptr_t>(&spin);
    const auto inside = std::count_if(samples->addresses.begin(), samples->addresses.end(),
                                      [&](uintptr_t at) { return at >= begin && at < begin + 256; });
    QVERIFY(2 * static_cast<size_t>(inside) > samples->addresses.size());
    // The timer is gone: nobody ends the process.
    for (int i = 0; i < 100; ++i) sink = spin(sink);
  }

  void endsWithTheWork() {
    int calls = 0;
    const auto fails = [&]() -> Result<Unit> {
      if (++calls < 3) return Unit{};
      return fail("some.rule", "no more");
    };
    const auto failed = profile::sampleCpu(10000, fails, {});
    QVERIFY(!failed);
    QCOMPARE(failed.diagnostics().front().rule, std::string("some.rule"));
    QCOMPARE(calls, 3);
    CancelToken cancel;
    cancel.cancel();
    const auto cancelled = profile::sampleCpu(
        10000, []() -> Result<Unit> { return Unit{}; }, cancel);
    QVERIFY(!cancelled);
    QCOMPARE(cancelled.diagnostics().front().rule, std::string("pass.cancelled"));
  }
};

QTEST_APPLESS_MAIN(CpuSamplesTest)
#include "tst_cpu_samples.moc"
