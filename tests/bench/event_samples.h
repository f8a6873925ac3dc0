// Where the thread of the window was while something took too long: `bench_window --slow 50 ...` says it for each event
// of over 50 ms, `--slow-commands 50` for each command from its begin until all is on screen, as the functions in whose
// calls it was.
#pragma once

#include <csignal>
#include <ctime>
#include <memory>

namespace rx::views {

/// Samples of the stack of one thread, one a millisecond of the clock.
class EventSamples {
 public:
  EventSamples();
  ~EventSamples();
  EventSamples(const EventSamples&) = delete;
  EventSamples& operator=(const EventSamples&) = delete;
  /// Forgets what was sampled.
  void forget();
  /// How many samples there are.
  int count() const;
  /// Prints what was sampled from the sample of that number on.
  void print(int from) const;

 private:
  timer_t timer_{};
};

}  // namespace rx::views
