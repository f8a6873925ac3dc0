// Processor time of whole functions: each file given (tests/bench/kernels.py writes some), compiled by each pipeline,
// run on numbers made from a seed; the pipelines take turns, so that what else the machine does falls on all of them.
// Parameters of other names than x, y and z are weights: constants of what is compiled, as they are in models.
// tests/bench/time_onnxruntime.py times the same cases in ONNX Runtime.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <sstream>

#include "bench_cases.h"

using namespace rx;
using namespace rx::bench;

namespace {

void report(const Case& first, Case& one) {
  std::sort(one.milliseconds.begin(), one.milliseconds.end());
  std::printf("%-14s %-10s median %10.4f ms  least %10.4f ms  built in %7.1f ms  differs by %.2g\n", one.name.c_str(),
              one.pipeline.c_str(), one.milliseconds[one.milliseconds.size() / 2], one.milliseconds.front(), one.build,
              difference(one, first));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_kernels PIPELINE[+PIPELINE…] FILE.py[:SIZE]…\n");
    return 2;
  }
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kBudget{1500};
  std::vector<std::string> pipelines;
  std::stringstream list(argv[1]);
  for (std::string name; std::getline(list, name, '+');) pipelines.push_back(name);
  for (int i = 2; i < argc; ++i) {
    std::vector<Case> cases;
    for (const std::string& pipeline : pipelines) {
      Result<Case> made = prepare(argv[i], pipeline);
      if (!made) {
        for (const Diagnostic& why : made.diagnostics()) std::fprintf(stderr, "%s: %s\n", argv[i], why.message.c_str());
        return 1;
      }
      cases.push_back(std::move(*made));
    }
    for (Case& one : cases)
      if (timeOf(one, 1) < 0) return 1;
    const auto start = Clock::now();
    while (Clock::now() - start < kBudget || cases.front().milliseconds.size() < 5) {
      for (Case& one : cases) {
        one.milliseconds.push_back(timeOf(one, 1));
        if (one.milliseconds.back() < 0) return 1;
      }
    }
    for (Case& one : cases) report(cases.front(), one);
  }
  return 0;
}
