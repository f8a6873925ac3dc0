// What the benchmarks of the window share: the longest time that its thread did not answer, and lists of times.
#pragma once

#include <QApplication>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <optional>
#include <vector>

#include "event_samples.h"

namespace rx::views {

/// Remembers the longest event of this thread and who got it.
class Watching : public QApplication {
 public:
  using QApplication::QApplication;
  bool notify(QObject* receiver, QEvent* event) override {
    if (depth_++ > 0) {
      const bool taken = QApplication::notify(receiver, event);
      --depth_;
      return taken;
    }
    const QString who = QString::fromLatin1(receiver->metaObject()->className());
    const int type = event->type();
    QElapsedTimer clock;
    clock.start();
    const double before = threadWork();
    const int first = beginSamples();
    const bool taken = QApplication::notify(receiver, event);
    const double took = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    longestWork = std::max(longestWork, threadWork() - before);
    --depth_;
    if (took > longest) {
      longest = took;
      longestWho = QStringLiteral("%1, event %2").arg(who).arg(type);
    }
    if (took > slow_) sayWhere(took, slow_, first, QStringLiteral("%1, event %2").arg(who).arg(type));
    return taken;
  }
  void forget() {
    longest = longestWork = 0;
    longestWho.clear();
  }
  /// From now on, events and whole commands of more than so many milliseconds say where they were.
  void sampleAbove(double event, double command) {
    slow_ = event;
    slowCommand_ = command;
    samples_.emplace();
  }
  /// Runs a command; what it takes counts as an event.
  bool command(const std::function<bool()>& run) {
    forget();
    if (samples_) samples_->forget();
    ++depth_;
    QElapsedTimer clock;
    clock.start();
    const double before = threadWork();
    const bool begun = run();
    longest = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    longestWork = threadWork() - before;
    --depth_;
    longestWho = QStringLiteral("the command itself");
    sayWhere(longest, slow_, 0, longestWho);
    return begun;
  }
  /// All that a command asked for is on screen, after so many milliseconds.
  void commandDone(double milliseconds, const QString& what) const { sayWhere(milliseconds, slowCommand_, 0, what); }
  /// Milliseconds that this thread had a processor: what remains of a time where other work takes turns with it.
  static double threadWork() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
  }
  double longest = 0;      // milliseconds
  double longestWork = 0;  // the same without the time that other work had the processor
  QString longestWho;

 private:
  int beginSamples() {
    if (!samples_) return 0;
    constexpr int kMany = 10000;
    if (samples_->count() > kMany) samples_->forget();
    return samples_->count();
  }
  void sayWhere(double milliseconds, double limit, int first, const QString& what) const {
    if (!samples_ || milliseconds <= limit) return;
    std::printf("  %.1f ms in %s\n", milliseconds, qPrintable(what));
    samples_->print(first);
  }

  int depth_ = 0;
  double slow_ = 0, slowCommand_ = 0;
  std::optional<EventSamples> samples_;
};

struct Times {
  std::vector<double> all;  // milliseconds
  void add(const QElapsedTimer& clock) { all.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6); }
  /// The time that a part of all (0.5, 0.95) does not exceed; 0 where there are none.
  double quantile(double part) {
    if (all.empty()) return 0;
    std::sort(all.begin(), all.end());
    return all[std::min(all.size() - 1, static_cast<size_t>(part * static_cast<double>(all.size())))];
  }
  double median() { return quantile(0.5); }
  double worst() const { return all.empty() ? 0 : *std::max_element(all.begin(), all.end()); }
};

/// Handles events until something holds; false when it did not within the time. Looks after every event, since a look
/// now and then would be part of what is measured.
inline bool waitUntil(const std::function<bool()>& holds, int milliseconds) {
  QElapsedTimer clock;
  clock.start();
  QTimer tick;  // wakes the loop where what is waited for comes without an event
  tick.start(1);
  while (!holds()) {
    if (clock.elapsed() > milliseconds) return false;
    QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
  }
  return true;
}

}  // namespace rx::views
