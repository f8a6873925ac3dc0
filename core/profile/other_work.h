// How busy other programs keep the processors while something is measured: such a measurement is of a machine that is
// shared, and says less than the machine can do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rx::profile {

/// Above this part of the processors' time that others took a measurement says so.
constexpr double kBusy = 0.1;

/// What all processors did since the system started, in its ticks.
struct ProcessorTime {
  int64_t worked = 0;  ///< for anybody, or taken away by a machine around this one
  int64_t idle = 0;
};
/// Of the text of /proc/stat; nothing where its first line is not what that begins with.
std::optional<ProcessorTime> processorTime(std::string_view stat);

/// Looks at the processors from when it is made.
class OtherWork {
 public:
  OtherWork();
  /// The part of the time of all processors since then that other programs took, 0 to 1; 0 where nobody knows.
  double part() const;

 private:
  std::optional<ProcessorTime> begin_;
  double own_ = 0;  ///< seconds that this program has worked
};

/// "while other programs took 61 % of the processors' time"; empty where they took less than kBusy.
std::string busyText(double part);

}  // namespace rx::profile
