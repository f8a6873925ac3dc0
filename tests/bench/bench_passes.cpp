// Every pass on chains of 1,000, 10,000 and 100,000 bindings, without verification: time of the processor beside TVM's
// where it is known, how it grows with the module, and the memory that the pass needed for a binding of the largest.
//
//     bench_passes [--large] [NAME...]    ten times as many bindings; those passes alone
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <string_view>

#include "core/compile/request/passes.h"
#include "core/pass/options.h"
#include "core/script/parse.h"
#include "core/support/stack.h"

using namespace rx;

namespace {

struct Timed {
  const char* pass;
  double tvm1000, tvm10000;  ///< milliseconds
  const char* before;        ///< the pipeline that leads to the pass from the chain
};
constexpr Timed kTimed[] = {
#define RX_TIMED(pass, small, large, before) {#pass, small, large, before},
#include "passes.def"
};
constexpr int kSizes = 3;

ir::Module chain(int bindings) {
  std::string text =
      "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
      "    @R.function\n    def main(x: R.Tensor((64, 64), \"float32\"), w: R.Tensor((64, 64), \"float32\")):\n"
      "        with R.dataflow():\n";
  const char* calls[] = {"R.matmul({}, w)", "R.add({}, w)", "R.nn.gelu({})", "R.permute_dims({})"};
  std::string last = "x";
  for (int i = 0; i < bindings; ++i) {
    const std::string name = fmt::format("lv{}", i);
    text += fmt::format("            {} = {}\n", name, fmt::format(fmt::runtime(calls[i % 4]), last));
    last = name;
  }
  text += fmt::format("            R.output({0})\n        return {0}\n", last);
  return *script::parseModule(make<SourceFile>("chain.py", text));
}

Result<ir::Module> run(const pass::PassRow& row, const ir::Module& module) {
  pass::PassContext context;
  const ir::Attrs options = pass::withFallbacks(row.options, nullptr);
  return withDeepStack([&] { return row.run(module, options, context); });
}

/// Milliseconds that this process spent on the processor.
double spent() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// A line of what the system knows of this process, in bytes; "VmHWM" is the peak since it was last forgotten.
double memory(std::string_view what) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(what)) return std::strtod(line.c_str() + what.size() + 1, nullptr) * 1024;
  return 0;
}
void forgetPeak() {
  if (std::FILE* file = std::fopen("/proc/self/clear_refs", "w")) {
    std::fputs("5", file);
    std::fclose(file);
  }
}

struct Measured {
  double ms = -1;     ///< of the fastest round; negative where the pass refuses the module
  double memory = 0;  ///< bytes beyond those of the module, at the worst moment of the first round
};

/// What the pass gave is released outside its time, as the module that it was given is.
Measured measured(const pass::PassRow& row, const ir::Module& module, int rounds) {
  Measured best;
  for (int i = 0; i < rounds; ++i) {
    forgetPeak();
    const double before = memory("VmRSS"), start = spent();
    const Result<ir::Module> given = run(row, module);
    const double ms = spent() - start;
    if (!given) return {};
    if (i == 0) best = {ms, memory("VmHWM") - before};
    best.ms = std::min(best.ms, ms);
  }
  return best;
}

ir::Module startOf(const Timed* timed, ir::Module module) {
  if (!timed || !*timed->before) return module;
  const auto calls = pass::parsePipeline(compile::passTable(), timed->before);
  for (const pass::PassCall& call : *calls) module = *run(*call.row, module);
  return module;
}

void printTimes(double tvm, double ms) {
  if (tvm > 0) std::printf(" %8.1f %7.1fx", tvm, tvm / std::max(ms, 1e-3));
}

}  // namespace

int main(int argc, char** argv) {
  const bool large = argc > 1 && std::string_view(argv[1]) == "--large";
  const int firstName = large ? 2 : 1,
            sizes[kSizes] = {large ? 10000 : 1000, large ? 100000 : 10000, large ? 1000000 : 100000};
  std::map<int, ir::Module> chains;
  for (const int size : sizes) chains[size] = chain(size);
  std::printf("%-34s", "ms for bindings");
  for (const int size : sizes) std::printf(" %10d", size);
  std::printf(" %7s %7s %8s %8s %8s %8s %8s\n", "growth", "growth", "bytes", "TVM 1k", "times", "TVM 10k", "times");
  for (const pass::PassRow& row : compile::passTable().rows()) {
    const std::string_view name = row.name;
    const bool asked =
        firstName >= argc || std::any_of(argv + firstName, argv + argc, [&](const char* each) { return name == each; });
    if (!asked || *row.expandsTo || *row.language) continue;
    const auto* timed =
        std::find_if(std::begin(kTimed), std::end(kTimed), [&](const Timed& t) { return name == t.pass; });
    if (timed == std::end(kTimed)) timed = nullptr;
    Measured of[kSizes];
    for (int i = 0; i < kSizes; ++i) {
      const ir::Module start = startOf(timed, chains[sizes[i]]);
      of[i] = measured(row, start, sizes[i] > 100000 ? 2 : sizes[i] > 10000 ? 3 : 10);
    }
    if (of[0].ms < 0) continue;
    std::printf("%-34s %10.3f %10.3f %10.3f %7.1f %7.1f %8.0f", row.name, of[0].ms, of[1].ms, of[2].ms,
                of[1].ms / of[0].ms, of[2].ms / of[1].ms, of[2].memory / sizes[2]);
    if (timed && !large) printTimes(timed->tvm1000, of[0].ms);
    if (timed) printTimes(timed->tvm10000, large ? of[0].ms : of[1].ms);
    std::printf("\n");
    std::fflush(stdout);
  }
  return 0;
}
