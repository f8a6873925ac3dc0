#include "event_samples.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace rx::views {
namespace {

constexpr int kDepth = 96;
constexpr int kSamples = 20000;
constexpr int kRows = 40;

struct Stack {
  std::array<void*, kDepth> frames;
  int depth = 0;
};

// A handler of signals reaches nothing else; written by the one thread that is sampled.
std::array<Stack, kSamples> taken;
std::atomic<int> samples{0};

void take(int) {
  const int at = samples.load(std::memory_order_relaxed);
  if (at >= kSamples) return;
  Stack& stack = taken[static_cast<size_t>(at)];
  stack.depth = backtrace(stack.frames.data(), kDepth);
  samples.store(at + 1, std::memory_order_relaxed);
}

/// The name of each address: of libraries by their symbols, of this program by a tool, since it exports none.
std::map<void*, std::string> namesOf(const std::set<void*>& addresses) {
  std::map<void*, std::string> names;
  std::vector<void*> ours;
  std::string command = "addr2line -f -C -e /proc/" + std::to_string(getpid()) + "/exe";
  for (void* address : addresses) {
    Dl_info info{};
    if (dladdr(address, &info) != 0 && info.dli_sname != nullptr) {
      int status = 0;
      char* plain = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
      names[address] = status == 0 ? plain : info.dli_sname;
      std::free(plain);
    } else if (info.dli_fname != nullptr && std::string(info.dli_fname).find(".so") == std::string::npos) {
      ours.push_back(address);
      char text[32];
      std::snprintf(text, sizeof text, " %lx",
                    static_cast<unsigned long>(static_cast<char*>(address) - static_cast<char*>(info.dli_fbase)) - 1);
      command += text;
    } else {
      names[address] = info.dli_fname != nullptr ? info.dli_fname : "?";
    }
  }
  if (ours.empty()) return names;
  if (FILE* pipe = popen(command.c_str(), "r")) {
    std::array<char, 4096> line;
    for (size_t i = 0; i < 2 * ours.size() && std::fgets(line.data(), line.size(), pipe) != nullptr; ++i)
      if (i % 2 == 0) names[ours[i / 2]] = std::string(line.data()).substr(0, std::string(line.data()).size() - 1);
    pclose(pipe);
  }
  return names;
}

}  // namespace

EventSamples::EventSamples() {
  void* warm[2];
  backtrace(warm, 2);  // loads what it needs, which a handler must not
  struct sigaction action {};
  action.sa_handler = take;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  timer_create(CLOCK_MONOTONIC, &event, &timer_);
  itimerspec every{};
  every.it_interval.tv_nsec = every.it_value.tv_nsec = 1'000'000;
  timer_settime(timer_, 0, &every, nullptr);
}

EventSamples::~EventSamples() { timer_delete(timer_); }

void EventSamples::forget() { samples.store(0, std::memory_order_relaxed); }

int EventSamples::count() const { return samples.load(std::memory_order_relaxed); }

void EventSamples::print(int from) const {
  const std::vector<Stack> stacks(taken.begin() + from, taken.begin() + count());
  const auto all = static_cast<int>(stacks.size());
  std::set<void*> addresses;
  for (const Stack& stack : stacks)
    for (int i = 2; i < stack.depth; ++i) addresses.insert(stack.frames[static_cast<size_t>(i)]);
  const std::map<void*, std::string> names = namesOf(addresses);
  std::map<std::string, std::pair<int, int>> shares;  // samples in calls of it, and in itself
  for (const Stack& stack : stacks) {
    std::set<std::string> within;
    for (int i = 2; i < stack.depth; ++i) within.insert(names.at(stack.frames[static_cast<size_t>(i)]));
    for (const std::string& name : within) ++shares[name].first;
    if (stack.depth > 3) ++shares[names.at(stack.frames[2])].second;
  }
  std::vector<std::pair<std::string, std::pair<int, int>>> rows;  // neither what is in all of them nor in few
  for (const auto& row : shares)
    if (20 * row.second.first >= all && (row.second.first < all || row.first.find("rx::") != std::string::npos))
      rows.push_back(row);
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  if (rows.size() > kRows) rows.resize(kRows);
  for (const auto& [name, share] : rows)
    std::printf("      %5d ms %5d in itself  %s\n", share.first, share.second, name.substr(0, 150).c_str());
}

}  // namespace rx::views
