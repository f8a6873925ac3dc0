// Watches the thread of the window: how long it stood still at most without working, which is what waiting is.
#pragma once

#include <QFile>
#include <QTimer>
#include <algorithm>
#include <ctime>

namespace rx::views {

/// Time that the thread neither worked nor stood in the queue for a core, between two turns of its event loop.
class Watchdog : public QObject {
 public:
  Watchdog() {
    connect(&timer_, &QTimer::timeout, this, [this] { turn(); });
    timer_.setTimerType(Qt::PreciseTimer);
    timer_.start(kInterval);
    restart();
  }
  void restart() {
    worst_ = 0;
    last_ = now();
  }
  /// Milliseconds.
  double worst() const { return worst_; }

 private:
  static constexpr int kInterval = 5;
  struct Times {
    double wall = 0;
    double busy = 0;    // on a core
    double queued = 0;  // ready, while others had the cores
  };
  static double clock(clockid_t id) {
    timespec time{};
    clock_gettime(id, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
  }
  static Times now() {
    Times times{clock(CLOCK_MONOTONIC), clock(CLOCK_THREAD_CPUTIME_ID), 0};
    QFile stat("/proc/thread-self/schedstat");
    if (stat.open(QIODevice::ReadOnly)) {
      const QList<QByteArray> fields = stat.readAll().split(' ');
      if (fields.size() > 1) times.queued = fields[1].toDouble() / 1e6;
    }
    return times;
  }
  void turn() {
    const Times at = now();
    const double still = (at.wall - last_.wall) - (at.busy - last_.busy) - (at.queued - last_.queued);
    worst_ = std::max(worst_, still);
    last_ = at;
  }
  QTimer timer_;
  Times last_;
  double worst_ = 0;
};

}  // namespace rx::views
