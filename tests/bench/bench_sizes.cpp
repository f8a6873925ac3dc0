// What it costs that only a run knows a size: functions of FOLDER/sized, which tests/bench/kernels.py writes, for rows
// of any number beside the same for that number. Both take turns, on the same memory; of each pair the least of many
// runs is compared: that of their kernels, called with what the program calls them with, and beside it that of the
// whole function, in which the sizes are found and memory is made for them. The ratio is the middle one of some rounds,
// and behind ± stands half of what is between the least and the largest of these.
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

constexpr int64_t kSizes[] = {1, 7, 128, 1000};
/// A ratio is found in so many rounds; in each the two take turns so often, and run so long at a time.
constexpr size_t kRounds = 5;
constexpr int kTurns = 12;
constexpr double kMillisecondsOfTurn = 2;
/// Bytes by which what kernels write lies farther behind in each round: some ways to lie to what is read are slow.
constexpr int64_t kShift = 832;
/// The ratio that is aimed at.
constexpr double kAim = 1.15;

/// The least milliseconds of a run of each.
struct Pair {
  double any = 1e30, known = 1e30;
  double ratio() const { return any / known; }
};

/// The round whose ratio is the middle one, and how far the others are from it.
struct Found {
  Pair middle;
  double apart = 0;
};

/// `begin(round)` comes before each of them; `timed(case, runs)` gives the milliseconds of so many runs; below zero
/// where one fails, which ends it.
template <class Begin, class Timed>
Found least(Case& any, Case& known, const Begin& begin, const Timed& timed) {
  std::vector<Pair> rounds(kRounds);
  double first = 1e30;
  for (int runs = 1; runs < 1000 && (runs == 1 || first * runs < kMillisecondsOfTurn); runs *= 8)
    first = std::min(first, std::max({timed(any, runs), timed(known, runs), 1e-5}) / runs);
  const int runs = std::max(static_cast<int>(kMillisecondsOfTurn / first), 1);
  for (size_t round = 0; round < kRounds; ++round) {
    begin(static_cast<int64_t>(round));
    Pair& found = rounds[round];
    const auto take = [&](Case& one, double& time) { time = std::min(time, timed(one, runs) / runs); };
    for (int turn = 0; turn < kTurns; ++turn) {
      // Whoever comes first finds the processor as the other left it.
      if (turn % 2) take(known, found.known);
      take(any, found.any);
      if (turn % 2 == 0) take(known, found.known);
    }
  }
  std::ranges::sort(rounds, {}, &Pair::ratio);
  return {rounds[kRounds / 2], (rounds.back().ratio() - rounds.front().ratio()) / 2};
}

/// Of all ratios of one kind.
struct Sum {
  double logs = 0;
  int count = 0, above = 0;
  void add(double ratio) {
    logs += std::log(ratio);
    above += ratio > kAim;
    ++count;
  }
  void say(const char* what) const {
    std::printf("%s: geometric mean %.3f; %d of %d above %.2f\n", what, std::exp(logs / std::max(count, 1)), above,
                count, kAim);
  }
};

int failed(const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& why : diagnostics) std::fprintf(stderr, "%s\n", why.message.c_str());
  return 1;
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
  Sum ofKernels, ofFunctions;
  for (const std::string& name : names) {
    const std::string base = (fs::path(argv[1]) / name).string();
    Result<std::vector<Case>> any = prepareSizes(base + "_n.py", "optimized", Keep::KernelCalls, kSizes);
    if (!any) return failed(any.diagnostics());
    for (size_t i = 0; i < std::size(kSizes); ++i) {
      Case& one = (*any)[i];
      Result<Case> known = prepare(base + "_" + std::to_string(kSizes[i]) + ".py", "optimized", Keep::KernelCalls);
      if (!known) return failed(known.diagnostics());
      giveSame(one, *known);
      std::vector<Diagnostic> why;
      const auto lay = [&](int64_t round) {
        if (const auto laid = lieAlike(one, *known, round * kShift); !laid) why = laid.diagnostics();
      };
      const Found kernels = least(one, *known, lay, kernelTimeOf);
      if (!why.empty()) return failed(why);
      const Found whole = least(
          one, *known, [](int64_t) {}, timeOf);
      if (kernels.middle.any <= 0 || kernels.middle.known <= 0 || whole.middle.any <= 0) return 1;
      const auto say = [](const char* what, const Found& found) {
        const double ratio = found.middle.ratio();
        std::printf("  %s: any %11.1f ns  known %11.1f ns  ratio %6.3f ±%.3f%s", what, found.middle.any * 1e6,
                    found.middle.known * 1e6, ratio, found.apart, ratio > kAim ? " *" : "  ");
      };
      std::printf("%-10s %5d", name.c_str(), static_cast<int>(kSizes[i]));
      say("kernels", kernels);
      say("function", whole);
      std::printf("  differs by %.2g\n", difference(one, *known));
      std::fflush(stdout);
      ofKernels.add(kernels.middle.ratio());
      ofFunctions.add(whole.middle.ratio());
    }
  }
  ofKernels.say("kernels");
  ofFunctions.say("functions");
  return 0;
}
