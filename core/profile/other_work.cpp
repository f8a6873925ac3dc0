#include "core/profile/other_work.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <vector>

namespace rx::profile {

namespace {

std::optional<ProcessorTime> timeNow() {
  std::ifstream file("/proc/stat");
  std::string line;
  std::getline(file, line);
  return processorTime(line);
}

double ownSeconds() {
  rusage usage = {};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

std::optional<ProcessorTime> processorTime(std::string_view stat) {
  constexpr std::string_view kAll = "cpu ";
  // In this order: user, nice, system, idle, waiting for a device, interrupts, short ones, stolen. What guests took is
  // in user and nice already.
  constexpr size_t kIdle = 3, kWaiting = 4, kStolen = 7;
  if (!stat.starts_with(kAll)) return std::nullopt;
  const char* at = stat.data() + kAll.size();
  const char* end = stat.data() + std::min(stat.size(), stat.find('\n'));
  std::vector<int64_t> ticks;
  while (at < end) {
    if (*at == ' ') {
      ++at;
      continue;
    }
    int64_t each = 0;
    const auto read = std::from_chars(at, end, each);
    if (read.ec != std::errc() || each < 0) return std::nullopt;
    ticks.push_back(each);
    at = read.ptr;
  }
  if (ticks.size() <= kWaiting) return std::nullopt;
  ProcessorTime time;
  for (size_t i = 0; i < std::min(ticks.size(), kStolen + 1); ++i)
    (i == kIdle || i == kWaiting ? time.idle : time.worked) += ticks[i];
  return time;
}

OtherWork::OtherWork() : begin_(timeNow()), own_(ownSeconds()) {}

double OtherWork::part() const {
  const std::optional<ProcessorTime> now = timeNow();
  const long ticks = sysconf(_SC_CLK_TCK);
  if (!begin_ || !now || ticks <= 0) return 0;
  const auto worked = static_cast<double>(now->worked - begin_->worked);
  const double all = worked + static_cast<double>(now->idle - begin_->idle);
  if (all <= 0) return 0;
  return std::clamp((worked - (ownSeconds() - own_) * static_cast<double>(ticks)) / all, 0.0, 1.0);
}

std::string busyText(double part) {
  if (part < kBusy) return {};
  return fmt::format("while other programs took {:.0f} % of the processors' time", part * 100);
}

}  // namespace rx::profile
