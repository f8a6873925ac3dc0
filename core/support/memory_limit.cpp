#include "core/support/memory_limit.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>

namespace rx {

namespace {

constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

/// The number that a line begins with, if it does; "max" is none.
std::optional<uint64_t> numberIn(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end != text.data() ? std::optional(value) : std::nullopt;
}

std::optional<uint64_t> numberOf(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) ? numberIn(line) : std::nullopt;
}

/// The number behind a key, in a file with a line for each.
std::optional<uint64_t> numberBehind(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) return numberIn(std::string_view(line).substr(key.size()));
  return {};
}

/// A version of control groups: where its limits are.
struct GroupVersion {
  const char* mount;
  const char* limit;
  const char* used;
  const char* cache;  ///< key in memory.stat of what is used and can be had back
};
constexpr GroupVersion kVersions[] = {
    {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "},
    {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "},
};

/// The group of this process: "0::/user.slice" of version 2, "5:memory:/x" of version 1.
std::optional<std::string> groupOf(const std::string& root, bool first) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t name = line.find(':'), path = line.find(':', name + 1);
    if (name == std::string::npos || path == std::string::npos) continue;
    const std::string controllers = "," + line.substr(name + 1, path - name - 1) + ",";
    if (first ? controllers.find(",memory,") != std::string::npos : controllers == ",,") return line.substr(path + 1);
  }
  return {};
}

/// The least that a group and those around it leave.
uint64_t leftInGroups(const std::string& root, const GroupVersion& version, std::string group) {
  uint64_t left = kUnlimited;
  // In a container the group may be named as the machine outside has it, and be the root of what is mounted.
  for (bool outermost = false; !outermost;) {
    while (group.ends_with('/')) group.pop_back();
    outermost = group.empty();
    const std::string folder = root + version.mount + group + "/";
    const auto limit = numberOf(folder + version.limit), used = numberOf(folder + version.used);
    if (limit && used) {
      const uint64_t back = numberBehind(folder + "memory.stat", version.cache).value_or(0);
      const uint64_t held = *used - std::min(*used, back);
      left = std::min(left, *limit - std::min(*limit, held));
    }
    group.resize(outermost ? 0 : group.rfind('/'));
  }
  return left;
}

}  // namespace

MemoryLimit memoryLimitIn(const std::string& root) {
  MemoryLimit limit{kUnlimited, "the system says no limit"};
  auto least = [&](uint64_t bytes, const char* why) {
    if (bytes < limit.bytes) limit = {bytes, why};
  };
  if (const auto free = numberBehind(root + "/proc/meminfo", "MemAvailable:")) {
    const uint64_t swap = numberBehind(root + "/proc/meminfo", "SwapFree:").value_or(0);
    least((*free + swap) << 10, "what the machine has free");
  }
  for (const GroupVersion& version : kVersions)
    if (const auto group = groupOf(root, &version != kVersions))
      least(leftInGroups(root, version, *group), "what the control group of this process leaves");
  return limit;
}

MemoryLimit memoryLimit() {
  MemoryLimit limit = memoryLimitIn("");
  rlimit own = {};
  if (::getrlimit(RLIMIT_AS, &own) != 0 || own.rlim_cur == RLIM_INFINITY) return limit;
  const uint64_t used = numberBehind("/proc/self/status", "VmSize:").value_or(0) << 10;
  const uint64_t left = own.rlim_cur - std::min<uint64_t>(own.rlim_cur, used);
  return left < limit.bytes ? MemoryLimit{left, "what the limit of addresses of this process leaves"} : limit;
}

std::string memoryText(uint64_t bytes) {
  constexpr std::array<const char*, 7> kUnits = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  auto size = static_cast<double>(bytes);
  size_t unit = 0;
  while (size >= 999.5 && unit + 1 < kUnits.size()) {
    size /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", size, kUnits[unit]);
}

}  // namespace rx
