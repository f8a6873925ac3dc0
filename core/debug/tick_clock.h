// TickClock: spans of time by the processor's counter, which takes half as long to read as the system's clock.
#pragma once

#include <cstdint>

#ifdef __x86_64__
#include <x86intrin.h>
#endif

#include "core/support/clock.h"

namespace rx::debug {

/// Where the system does not make its own clock of the counter, that clock is read.
class TickClock {
 public:
  /// Measures how fast the counter runs, which takes a fraction of a millisecond.
  TickClock();
  /// Ticks since some moment.
  uint64_t now() const {
#ifdef __x86_64__
    if (counts_) return __rdtsc();
#endif
    return static_cast<uint64_t>(nanosecondsNow());
  }
  /// What has gone by since now() was that.
  int64_t nanosecondsSince(uint64_t then) const {
    return static_cast<int64_t>(static_cast<double>(static_cast<int64_t>(now() - then)) * nanosecondsPerTick_);
  }

 private:
  bool counts_ = false;  ///< ticks are the counter's
  double nanosecondsPerTick_ = 1;
};

}  // namespace rx::debug
