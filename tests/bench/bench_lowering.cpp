// The passes that lower kernels, pass by pass, on the kernels of ResNet-18: time beside TVM's. Verification is left
// out, as in TVM.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "core/compile/request/passes.h"
#include "core/pass/options.h"
#include "core/pass/runner.h"
#include "core/script/parse.h"
#include "core/support/file.h"
#include "core/support/stack.h"

using namespace rx;

namespace {

struct Lowered {
  const char *pass, *options;
  double tvm;
};
constexpr Lowered kLowered[] = {
#define RX_LOWERED(pass, options, milliseconds) {#pass, options, milliseconds},
#include "lowering.def"
};
constexpr const char* kBefore =
    "LegalizeOps(), AttachGlobalSymbol(), BindTarget(target={'kind': 'llvm', 'host': 'llvm'})";
constexpr int kRounds = 10;

std::vector<pass::PassCall> callsOf(const std::string& pipeline) {
  return *pass::parsePipeline(compile::passTable(), pipeline);
}

/// The module after the calls, and the milliseconds of each.
std::vector<double> run(ir::Module& module, const std::vector<pass::PassCall>& calls) {
  std::vector<double> steps;
  for (const pass::PassCall& call : calls) {
    pass::PassContext context;
    const ir::Attrs options = pass::withFallbacks(call.row->options, call.options);
    const auto start = std::chrono::steady_clock::now();
    module = *withDeepStack([&] { return call.row->run(module, options, context); });
    steps.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return steps;
}

void print(const char* name, double tvm, double ours) {
  std::printf("%-40s %10.2f %10.2f %7.1fx\n", name, tvm, ours, tvm / std::max(ours, 1e-3));
}

}  // namespace

int main() {
  const std::string path = RX_SOURCE_DIR "/samples/resnet18/module.py";
  ir::Module kernels = *script::parseModule(make<SourceFile>(path, *readFile(path)));
  run(kernels, callsOf(kBefore));
  std::string pipeline;
  for (const Lowered& row : kLowered)
    pipeline += fmt::format("{}{}({})", pipeline.empty() ? "" : ", ", row.pass, row.options);
  const std::vector<pass::PassCall> calls = callsOf(pipeline);
  std::vector<double> best(calls.size(), 1e9);
  for (int round = 0; round < kRounds; ++round) {
    ir::Module module = kernels;
    const std::vector<double> steps = run(module, calls);
    for (size_t i = 0; i < best.size(); ++i) best[i] = std::min(best[i], steps[i]);
  }
  std::printf("%-40s %10s %10s   (ms)\n", "", "TVM 0.25", "relaxscope");
  double ours = 0, tvm = 0;
  for (size_t i = 0; i < best.size(); ++i) {
    print(kLowered[i].pass, kLowered[i].tvm, best[i]);
    ours += best[i];
    tvm += kLowered[i].tvm;
  }
  print("all (promised: 5x)", tvm, ours);
  return 0;
}
