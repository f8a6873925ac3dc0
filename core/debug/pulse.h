// Pulse: where a run is at, for another thread to look at while the program runs.
#pragma once

#include <atomic>
#include <cstdint>

namespace rx::debug {

struct Pulse {
  std::atomic<bool> running{false};
  std::atomic<int64_t> steps{0};         ///< recorded so far
  std::atomic<int64_t> instruction{-1};  ///< under way, index in the whole program
  std::atomic<bool> stop{false};         ///< set by the other thread: ends the run, in the middle of a kernel too
};

}  // namespace rx::debug
