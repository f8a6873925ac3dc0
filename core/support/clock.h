// The clock that only goes on, as those parts ask it that packages hold, too: they need libc alone.
#pragma once

#include <cstdint>
#include <ctime>

namespace rx {

inline int64_t nanosecondsNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

}  // namespace rx
