// The recorded steps along a line: what is told of blocks of steps is what a look at each of them tells.
#include <QtTest>
#include <random>

#include "core/debug/timeline.h"
#include "core/debug/trace_history.h"
#include "small_program.h"

using namespace rx;
using namespace rx::debug;

namespace {

constexpr std::chrono::milliseconds kLong{600'000};

/// A run of steps that are made up; values there are none.
class MadeUpRun : public History {
 public:
  explicit MadeUpRun(size_t steps, uint32_t seed = 1) : random_(seed) {
    program_.instructions.resize(3);
    program_.instructions[1].builtin = true;
    program_.instructions[2].op = OpKind::Ret;
    add(steps);
  }
  void add(size_t count) {
    for (; count > 0; --count) {
      TimedStep step;
      step.instruction = random_() % 3 == 0 ? 0 : 1 + random_() % 2;
      step.nanoseconds = random_() % 500 == 0 ? 100'000 : random_() % 40;
      step.compiling = random_() % 100 == 0 ? 1000 : 0;
      steps.push_back(step);
      bad.push_back(random_() % 700 == 0);
    }
  }
  std::vector<TimedStep> steps;
  std::vector<bool> bad;
  int64_t first = 0;
  mutable int64_t looks = 0;
  mutable int64_t judged = 0;

  const Program& program() const override { return program_; }
  StepRecord step(int64_t) const override { return {}; }
  TimedStep timed(int64_t step) const override {
    ++looks;
    return step < first || step >= recorded() ? TimedStep() : steps[static_cast<size_t>(step)];
  }
  int64_t oldest() const override { return first; }
  int64_t recorded() const override { return static_cast<int64_t>(steps.size()); }
  Activation activation(int) const override { return {}; }
  int activationCount() const override { return 0; }
  Next next(int64_t) const override { return {}; }
  TouchingSteps setting(int64_t, int, int) const override { return {}; }
  TouchingSteps writing(int64_t, uint64_t) const override { return {}; }
  int64_t nextWrite(int64_t) const override { return -1; }
  int64_t lastWrite(int64_t) const override { return -1; }
  std::optional<TensorStats> statistics(int64_t, int) const override { return {}; }
  Finiteness finiteness(int64_t step) const override {
    ++judged;
    return {bad[static_cast<size_t>(step)], bad[static_cast<size_t>(step)]};
  }
  bool canAdvance() const override { return false; }
  void advance() override {}
  Value registerAt(int64_t, int, int) override { return {}; }
  Value describedAt(int64_t, int, int) override { return {}; }
  uint64_t memoryAt(int64_t, int, int) const override { return 0; }
  Value result() override { return {}; }
  std::vector<LiveStorage> liveAt(int64_t) override { return {}; }
  int64_t peakBytes() const override { return 0; }

 private:
  Program program_;
  std::mt19937 random_;
};

/// The same bars by a look at each step.
std::vector<TimelineBar> barsByStep(const MadeUpRun& run, const TimelineView& view) {
  std::vector<TimelineBar> bars;
  TimelineBar thin;
  int64_t longest = -1;
  bool open = false;
  const auto flush = [&] {
    if (open) bars.push_back(thin);
    open = false;
  };
  double place = 0;
  for (int64_t s = run.first; s < run.recorded() && place < view.to; ++s) {
    const TimedStep& step = run.steps[static_cast<size_t>(s)];
    const double begin = place;
    place += view.equal ? 1 : static_cast<double>(std::max<int64_t>(step.nanoseconds, 1));
    if (place <= view.from) continue;
    const bool kernel = step.instruction == 0, bad = kernel && run.bad[static_cast<size_t>(s)];
    const TimelineBar one{s, s, begin, place, step.nanoseconds, step.instruction, kernel, bad, bad};
    if (place - begin >= view.least) {
      flush();
      bars.push_back(one);
      continue;
    }
    if (open && thin.end - thin.begin >= view.least) flush();
    if (!open) {
      thin = one;
      longest = step.nanoseconds;
      open = true;
      continue;
    }
    thin.last = s;
    thin.end = place;
    thin.nanoseconds += step.nanoseconds;
    thin.made = thin.made || bad;
    thin.holds = thin.holds || bad;
    if (thin.kernel == kernel ? step.nanoseconds > longest : kernel) {
      longest = step.nanoseconds;
      thin.instruction = step.instruction;
      thin.kernel = kernel;
    }
  }
  flush();
  return bars;
}

void compare(const std::vector<TimelineBar>& found, const std::vector<TimelineBar>& wanted) {
  QCOMPARE(found.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const TimelineBar &a = found[i], &b = wanted[i];
    QCOMPARE(std::tie(a.first, a.last, a.nanoseconds, a.instruction, a.kernel, a.made, a.holds),
             std::tie(b.first, b.last, b.nanoseconds, b.instruction, b.kernel, b.made, b.holds));
    QCOMPARE(a.begin, b.begin);
    QCOMPARE(a.end, b.end);
  }
}

}  // namespace

class TestTimeline : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nothing() {
    const MadeUpRun run(0);
    Timeline line;
    QVERIFY(line.look(run, kLong));
    QCOMPARE(line.length(false), 0.0);
    QCOMPARE(line.placeOf(run, 7, false), 0.0);
    QVERIFY(line.bars(run, {0, 100, 1, false}).empty());
    const MadeUpRun some(10);
    QVERIFY(line.look(some, kLong));
    QVERIFY(line.bars(some, {5, 5, 1, true}).empty());
    QVERIFY(line.bars(some, {7, 5, 1, true}).empty());
  }

  void blocksAndSteps_data() {
    QTest::addColumn<int>("steps");
    QTest::addColumn<int>("dropped");
    for (const auto& [steps, dropped] :
         {std::pair(1, 0), {255, 0}, {256, 0}, {257, 3}, {5000, 0}, {5000, 256}, {5000, 1023}})
      QTest::addRow("%d without %d", steps, dropped) << steps << dropped;
  }
  void blocksAndSteps() {
    QFETCH(const int, steps);
    QFETCH(const int, dropped);
    MadeUpRun run(static_cast<size_t>(steps));
    Timeline line;
    QVERIFY(line.look(run, kLong));
    run.first = dropped;
    QVERIFY(line.look(run, kLong));
    QCOMPARE(line.first(), int64_t{dropped});
    std::mt19937 random(7);
    for (const bool equal : {false, true}) {
      const double length = line.length(equal);
      std::vector<TimelineView> views{{0, length, 0, equal}, {0, length, length * 2, equal}};
      for (int i = 0; i < 40; ++i) {
        const double a = length * (random() % 1000) / 1000, b = length * (random() % 1001) / 1000;
        views.push_back(
            {std::min(a, b), std::max(a, b), (std::max(a, b) - std::min(a, b)) / (1 + random() % 600), equal});
      }
      for (const TimelineView& view : views) compare(line.bars(run, view), barsByStep(run, view));
      double place = 0;
      for (int64_t s = dropped; s <= steps; ++s) {
        QCOMPARE(line.placeOf(run, s, equal), place);
        if (s < steps)
          place += equal ? 1 : static_cast<double>(std::max<int64_t>(run.steps[static_cast<size_t>(s)].nanoseconds, 1));
      }
      QCOMPARE(place, length);
    }
  }

  /// A look goes on where the one before ended, also where it has no time, and does nothing twice.
  void inParts() {
    MadeUpRun run(3000);
    Timeline whole, parts;
    QVERIFY(whole.look(run, kLong));
    int looks = 1;
    while (!parts.look(run, std::chrono::milliseconds(0))) ++looks;
    QVERIFY(looks > 3000 / 256);
    compare(parts.bars(run, {0, parts.length(false), 500, false}),
            whole.bars(run, {0, whole.length(false), 500, false}));
    QCOMPARE(parts.byInstruction(), whole.byInstruction());
    QCOMPARE(parts.nanoseconds(),
             std::accumulate(parts.byInstruction().begin(), parts.byInstruction().end(), int64_t{0}));
    QCOMPARE(parts.compiling(), whole.compiling());
    const int64_t judged = run.judged;
    QVERIFY(parts.look(run, kLong));
    QCOMPARE(run.judged, judged);
    // What is dropped before it was looked at is no part of the line.
    run.add(1000);
    run.first = 3500;
    QVERIFY(parts.look(run, kLong));
    QCOMPARE(parts.length(true), 500.0);
    compare(parts.bars(run, {0, 500, 3, true}), barsByStep(run, {0, 500, 3, true}));
  }

  /// Bars of a long run cost looks at few of its steps.
  void looksOfALongRun() {
    const MadeUpRun run(1'000'000);
    Timeline line;
    QVERIFY(line.look(run, kLong));
    const double length = line.length(true);
    for (const auto& [from, to] : {std::pair(0.0, length), {length / 3, length / 2}, {length - 2000, length}}) {
      run.looks = 0;
      const auto bars = line.bars(run, {from, to, (to - from) / 500, true});
      QVERIFY(bars.size() <= 501);
      // Where a bar ends inside of a block, the block's steps are looked at.
      QVERIFY2(run.looks <= 2 * 502 * 256, qPrintable(QString::number(run.looks)));
    }
  }

  void ofARealRun() {
    auto run = test::smallRun();
    while (run->canAdvance()) run->advance();
    Timeline line;
    QVERIFY(line.look(*run, kLong));
    const auto bars = line.bars(*run, {0, line.length(true), 1, true});
    QCOMPARE(static_cast<int64_t>(bars.size()), run->recorded());
    int made = 0, kernels = 0;
    for (const TimelineBar& bar : bars) {
      const StepRecord step = run->step(bar.first);
      QCOMPARE(bar.instruction, step.instruction);
      QCOMPARE(bar.nanoseconds, step.nanoseconds);
      kernels += bar.kernel;
      made += bar.made;
      QVERIFY(!bar.made || bar.holds);
    }
    QCOMPARE(kernels, 4);
    QCOMPARE(made, 1);
    QCOMPARE(line.nanoseconds(), run->ran());
    QCOMPARE(run->timed(-1).instruction, int64_t{-1});
    QCOMPARE(run->timed(run->recorded()).instruction, int64_t{-1});
  }
};

QTEST_GUILESS_MAIN(TestTimeline)
#include "tst_timeline.moc"
