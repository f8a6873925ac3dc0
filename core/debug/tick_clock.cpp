#include "core/debug/tick_clock.h"

#include <fstream>
#include <string>

namespace rx::debug {
namespace {

/// The system watches whether the counter runs evenly and is the same for all processors, and else has another source.
bool systemTrustsCounter() {
#ifdef __x86_64__
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string source;
  return std::getline(file, source) && source == "tsc";
#else
  return false;
#endif
}

/// For how long the counter is compared with the clock: to read them at one moment is right to a few nanoseconds.
constexpr int64_t kCompared = 200'000;

struct Moment {
  uint64_t ticks;
  int64_t nanoseconds;
};

/// Both read at one moment: the best of some attempts, since a process may lose its processor between two.
Moment momentOf(const TickClock& clock) {
  constexpr int kAttempts = 5;
  Moment best = {};
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < kAttempts; ++i) {
    const uint64_t before = clock.now();
    const int64_t nanoseconds = nanosecondsNow();
    const uint64_t took = clock.now() - before;
    if (took >= least) continue;
    least = took;
    best = {before + took / 2, nanoseconds};
  }
  return best;
}

}  // namespace

TickClock::TickClock() : counts_(systemTrustsCounter()) {
  if (!counts_) return;
  const Moment from = momentOf(*this);
  Moment to = from;
  while (to.nanoseconds - from.nanoseconds < kCompared) to = momentOf(*this);
  nanosecondsPerTick_ =
      static_cast<double>(to.nanoseconds - from.nanoseconds) / static_cast<double>(to.ticks - from.ticks);
}

}  // namespace rx::debug
