#include "core/profile/hardware.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "core/profile/measure.h"
#include "core/profile/other_work.h"
#include "core/support/cache_folder.h"
#include "core/support/file.h"
#include "core/support/json_text.h"
#include "core/support/thread_pool.h"

namespace rx::profile {

namespace {

namespace fs = std::filesystem;

std::string firstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// "model name : X" of the first processor; the machine's architecture where the system gives no name.
std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const size_t begin = line.find_first_not_of(": \t", line.find(':'));
    if (begin != std::string::npos) return line.substr(begin);
  }
  utsname system = {};
  return uname(&system) == 0 ? system.machine : "unknown";
}

/// "48K", "2M" of the system's files; 0 for what is none.
int64_t bytesIn(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || number > (int64_t{1} << 40)) return 0;
  if (end == text.data() + text.size()) return number;
  return *end == 'K' ? number << 10 : *end == 'M' ? number << 20 : 0;
}

/// Processors in a list such as "0-3,8".
int countIn(const std::string& list) {
  int count = 0;
  const char* at = list.data();
  const char* end = at + list.size();
  while (at < end) {
    int first = 0;
    auto read = std::from_chars(at, end, first);
    if (read.ec != std::errc()) break;
    int last = first;
    if (read.ptr < end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, last);
    count += std::max(0, last - first) + 1;
    at = read.ptr + 1;
  }
  return std::max(1, count);
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

Hardware measure(const CancelToken& cancel) {
  const OtherWork others;
  Hardware made{processorName(), static_cast<int>(processorCount()), measuredVectorBits(), dataCaches(), {}, {},
                today()};
  made.one = measureLimits(1, cancel);
  made.all = made.threads == 1 ? made.one : measureLimits(made.threads, cancel);
  made.busy = others.part();
  return made;
}

Limits larger(const Limits& a, const Limits& b) {
  return {std::max(a.flops, b.flops), std::max(a.bytes, b.bytes), std::max(a.integers, b.integers)};
}

/// What the file keeps of this processor.
std::optional<Hardware> kept(const std::string& file) {
  constexpr uint64_t kMostBytes = 1 << 16;
  const Result<std::string> text = file.empty() ? Result<std::string>(std::string()) : readFile(file, kMostBytes);
  if (!text) return std::nullopt;
  Result<Hardware> known = hardwareFrom(parsedJson<Json>(*text));
  const bool ours =
      known && known->processor == processorName() && known->threads == static_cast<int>(processorCount());
  return ours ? std::optional(std::move(*known)) : std::nullopt;
}

std::string sizeText(int64_t bytes) {
  return bytes >= (1 << 20) && bytes % (1 << 20) == 0 ? fmt::format("{} MiB", bytes >> 20)
                                                      : fmt::format("{} KiB", bytes >> 10);
}

std::string limitsText(const Limits& limits) {
  return fmt::format("{:.1f} GFLOP/s (fp32), {:.1f} Gop/s (int8), {:.1f} GB/s", limits.flops * 1e-9,
                     limits.integers * 1e-9, limits.bytes * 1e-9);
}

Json toJson(const Limits& limits) {
  return {
      {"flops_per_second", limits.flops}, {"bytes_per_second", limits.bytes}, {"integers_per_second", limits.integers}};
}

bool readLimits(const Json& json, const char* name, Limits& limits) {
  const auto found = json.find(name);
  const auto read = [&](const char* field, double& to) {
    if (found == json.end() || !found->is_object()) return false;
    const auto number = found->find(field);
    if (number == found->end() || !number->is_number()) return false;
    to = number->get<double>();
    return to > 0;
  };
  return read("flops_per_second", limits.flops) && read("bytes_per_second", limits.bytes) &&
         read("integers_per_second", limits.integers);
}

}  // namespace

std::vector<Cache> dataCaches() {
  std::vector<Cache> caches;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/sys/devices/system/cpu/cpu0/cache", error)) {
    const std::string path = entry.path().string() + "/", type = firstLine(path + "type");
    if (type != "Data" && type != "Unified") continue;
    const Cache cache{static_cast<int>(bytesIn(firstLine(path + "level"))), bytesIn(firstLine(path + "size")),
                      countIn(firstLine(path + "shared_cpu_list"))};
    if (cache.level > 0 && cache.bytes > 0) caches.push_back(cache);
  }
  std::ranges::sort(caches, {}, &Cache::level);
  return caches;
}

std::string hardwareFile() {
  const std::string folder = cacheFolder("machine");
  return folder.empty() ? folder : folder + "/limits.json";
}

Hardware hardwareOf(const std::string& file, bool anew, const CancelToken& cancel) {
  const std::optional<Hardware> known = anew ? std::nullopt : kept(file);
  if (known && known->busy < kBusy) return *known;
  Hardware made = measure(cancel);
  if (known && made.busy >= kBusy) {
    made.one = larger(made.one, known->one);
    made.all = larger(made.all, known->all);
  }
  if (!file.empty() && !cancel.cancelled()) {
    std::error_code ignored;
    fs::create_directories(fs::path(file).parent_path(), ignored);
    // What can not be kept is measured again.
    (void)writeFile(file, toJson(made).dump(2) + "\n");
  }
  return made;
}

Json toJson(const Hardware& hardware) {
  Json caches = Json::array();
  for (const Cache& cache : hardware.caches)
    caches.push_back({{"level", cache.level}, {"bytes", cache.bytes}, {"threads", cache.threads}});
  return {{"processor", hardware.processor}, {"threads", hardware.threads}, {"vector_bits", hardware.vectorBits},
          {"caches", std::move(caches)},     {"one", toJson(hardware.one)}, {"all", toJson(hardware.all)},
          {"measured", hardware.measured},   {"busy", hardware.busy}};
}

Result<Hardware> hardwareFrom(const Json& json) {
  const auto wrong = [] { return fail("profile.hardware", "the measurement of the machine is damaged"); };
  const auto is = [&json](const char* name, bool (Json::*kind)() const noexcept) {
    return json.is_object() && json.contains(name) && (json[name].*kind)();
  };
  if (!is("processor", &Json::is_string) || !is("threads", &Json::is_number_integer) ||
      !is("vector_bits", &Json::is_number_integer) || !is("caches", &Json::is_array) ||
      !is("measured", &Json::is_string) || !is("busy", &Json::is_number))
    return wrong();
  Hardware made{json["processor"], json["threads"], json["vector_bits"], {}, {}, {}, json["measured"], {},
                json["busy"]};
  for (const Json& cache : json["caches"]) {
    for (const char* name : {"level", "bytes", "threads"})
      if (!cache.is_object() || !cache.contains(name) || !cache[name].is_number_integer()) return wrong();
    made.caches.push_back({cache["level"], cache["bytes"], cache["threads"]});
  }
  if (made.threads < 1 || !readLimits(json, "one", made.one) || !readLimits(json, "all", made.all)) return wrong();
  return made;
}

std::string hardwareText(const Hardware& hardware) {
  std::string text = fmt::format("{}, {} thread{}, vectors of {} bits\n", hardware.processor, hardware.threads,
                                 hardware.threads == 1 ? "" : "s", hardware.vectorBits);
  for (const Cache& cache : hardware.caches)
    text += fmt::format("cache {}        {}, {}\n", cache.level, sizeText(cache.bytes),
                        cache.threads == 1 ? "of each thread" : fmt::format("shared by {} threads", cache.threads));
  text += fmt::format("one thread     {}\n", limitsText(hardware.one));
  if (hardware.threads > 1) text += fmt::format("all threads    {}\n", limitsText(hardware.all));
  text += fmt::format("measured       {}\n", hardware.measured);
  const std::string busy = busyText(hardware.busy);
  if (!busy.empty()) text += fmt::format("busy           {}: the machine can do more, and is measured again\n", busy);
  return text;
}

}  // namespace rx::profile
