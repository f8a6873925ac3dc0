// What it costs that only a run knows a size: functions of FOLDER/sized, which tests/bench/kernels.py writes, for rows
// of any number beside the same for that number. Both take turns; of each pair the least of many runs is compared: that
// of their kernels, called with what the program calls them with, and beside it that of the whole function, in which
// the sizes are found and memory is made for them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>

#include "bench_cases.h"

using namespace rx;
using namespace rx::bench;

namespace {

namespace fs = std::filesystem;

/// How often the two take turns, how long each of them runs at a time, and the ratio that is aimed at.
constexpr int kTurns = 40;
constexpr double kMillisecondsOfTurn = 8, kAim = 1.15;

/// The least milliseconds of a run of each.
struct Pair {
  double any = 1e30, known = 1e30;
  double ratio() const { return any / known; }
};

/// `timed(case, runs)` gives the milliseconds of so many runs; below zero where one fails, which ends it.
template <class Timed>
Pair least(Case& any, Case& known, const Timed& timed) {
  const auto first = std::max({timed(any, 3), timed(known, 3), 1e-4}) / 3;
  const int runs = std::max(static_cast<int>(kMillisecondsOfTurn / first), 1);
  Pair found;
  for (int turn = 0; turn < kTurns; ++turn) {
    found.any = std::min(found.any, timed(any, runs) / runs);
    found.known = std::min(found.known, timed(known, runs) / runs);
  }
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_sizes FOLDER/sized [NAME…]\n");
    return 2;
  }
  const std::set<std::string> asked(argv + 2, argv + argc);
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(argv[1])) {
    const std::string stem = entry.path().stem().string();
    if (stem.ends_with("_n") && (asked.empty() || asked.contains(stem.substr(0, stem.size() - 2))))
      names.insert(stem.substr(0, stem.size() - 2));
  }
  double logs = 0;
  int count = 0, above = 0;
  for (const std::string& name : names) {
    for (const int size : {1, 7, 128, 1000}) {
      const std::string base = (fs::path(argv[1]) / name).string();
      Result<Case> any = prepare(base + "_n.py:" + std::to_string(size), "optimized", Keep::KernelCalls);
      Result<Case> known = prepare(base + "_" + std::to_string(size) + ".py", "optimized", Keep::KernelCalls);
      if (!any || !known) {
        for (const Diagnostic& why : (any ? known : any).diagnostics())
          std::fprintf(stderr, "%s\n", why.message.c_str());
        return 1;
      }
      const Pair kernels = least(*any, *known, kernelTimeOf), whole = least(*any, *known, timeOf);
      if (kernels.any <= 0 || kernels.known <= 0) return 1;
      std::printf(
          "%-10s %5d  kernels: any %10.5f ms  known %10.5f ms  ratio %6.3f%s  function: %10.5f ms  ratio %6.3f  "
          "differs by %.2g\n",
          name.c_str(), size, kernels.any, kernels.known, kernels.ratio(), kernels.ratio() > kAim ? " *" : "  ",
          whole.any, whole.ratio(), difference(*any, *known));
      std::fflush(stdout);
      logs += std::log(kernels.ratio());
      above += kernels.ratio() > kAim;
      ++count;
    }
  }
  std::printf("geometric mean %.3f; %d of %d above %.2f\n", std::exp(logs / std::max(count, 1)), above, count, kAim);
  return 0;
}
