// Every pass on chains of 1,000, 10,000 and 100,000 bindings, without verification: time, beside TVM's where it is
// known, and how it grows with the module. `bench_passes [NAME...]` measures those passes alone.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <string_view>

#include "core/compile/request/passes.h"
#include "core/pass/options.h"
#include "core/script/parse.h"
#include "core/support/stack.h"

using namespace rx;

namespace {

/// Milliseconds of TVM v0.25 on 1,000 bindings of such a chain, one core, the fastest of some rounds.
const std::map<std::string_view, double> kTvm = {{"LegalizeOps", 350},
                                                 {"FoldConstant", 320},
                                                 {"FuseOps", 40},
                                                 {"FuseTIR", 15},
                                                 {"EliminateCommonSubexpr", 3.1},
                                                 {"DeadCodeElimination", 3.4},
                                                 {"CanonicalizeBindings", 5.2},
                                                 {"AdjustMatmulOrder", 6.8},
                                                 {"AttachAttrLayoutFreeBuffers", 5.5},
                                                 {"CallTIRRewrite", 15},
                                                 {"CombineParallelMatmul", 19},
                                                 {"ComputePrimValue", 1.7},
                                                 {"ConvertToDataflow", 8.6},
                                                 {"DataflowUseInplaceCalls", 110},
                                                 {"DecomposeOpsForInference", 1.7},
                                                 {"DecomposeOpsForTraining", 3.7},
                                                 {"ExpandMatmulOfSum", 3.5},
                                                 {"ExpandTupleArguments", 11},
                                                 {"FoldBatchnormToConv2D", 2.5},
                                                 {"FuseTransposeMatmul", 10},
                                                 {"KillAfterLastUse", 42},
                                                 {"LambdaLift", 2.1},
                                                 {"LazyGetInput", 190},
                                                 {"LazySetOutput", 1.7},
                                                 {"LiftTransformParams", 2.2},
                                                 {"LowerAllocTensor", 5.7},
                                                 {"LowerRuntimeBuiltin", 14},
                                                 {"MergeCompositeFunctions", 75},
                                                 {"Normalize", 1.3},
                                                 {"OptimizeLayoutTransform", 4.0},
                                                 {"RealizeVDevice", 2.9},
                                                 {"RemovePurityChecking", 2.3},
                                                 {"RemoveRedundantReshape", 4.0},
                                                 {"ReorderPermuteDimsAfterConcat", 16},
                                                 {"ReorderTakeAfterMatmul", 3.0},
                                                 {"RewriteDataflowReshape", 52},
                                                 {"RunCodegen", 9.8},
                                                 {"SpecializePrimFuncBasedOnCallSite", 1.7},
                                                 {"SplitLayoutRewritePreproc", 6.5},
                                                 {"StaticPlanBlockMemory", 14},
                                                 {"ToMixedPrecision", 19},
                                                 {"ToNonDataflow", 5.3},
                                                 {"TopologicalSort", 4.8},
                                                 {"VMShapeLower", 12}};

/// What a pass is measured on: the pipeline that leads to it from the chain.
const std::map<std::string_view, const char*> kBefore = {
    {"FoldConstant", "LegalizeOps, AnnotateTIROpPattern"},
    {"FuseOps", "LegalizeOps, AnnotateTIROpPattern"},
    {"FuseTIR", "LegalizeOps, AnnotateTIROpPattern, FuseOps"},
    {"RewriteDataflowReshape", "LegalizeOps"},
    {"ToNonDataflow", "LegalizeOps"},
    {"RemovePurityChecking", "LegalizeOps, ToNonDataflow"},
    {"CallTIRRewrite", "LegalizeOps, ToNonDataflow, RemovePurityChecking"},
    {"StaticPlanBlockMemory", "LegalizeOps, ToNonDataflow, RemovePurityChecking, CallTIRRewrite"},
    {"LowerAllocTensor", "LegalizeOps, ToNonDataflow, RemovePurityChecking, CallTIRRewrite, StaticPlanBlockMemory"},
    {"KillAfterLastUse",
     "LegalizeOps, ToNonDataflow, RemovePurityChecking, CallTIRRewrite, StaticPlanBlockMemory, LowerAllocTensor"},
    {"LowerRuntimeBuiltin",
     "LegalizeOps, ToNonDataflow, RemovePurityChecking, CallTIRRewrite, StaticPlanBlockMemory, LowerAllocTensor, "
     "KillAfterLastUse"},
    {"VMShapeLower",
     "LegalizeOps, ToNonDataflow, RemovePurityChecking, CallTIRRewrite, StaticPlanBlockMemory, LowerAllocTensor, "
     "KillAfterLastUse, LowerRuntimeBuiltin, ComputePrimValue"}};

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

/// Milliseconds of the best of a few rounds; negative where the pass refuses the module.
double measured(const pass::PassRow& row, const ir::Module& module, int rounds) {
  double best = -1;
  for (int i = 0; i < rounds; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (!run(row, module)) return -1;
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    best = best < 0 ? ms : std::min(best, ms);
  }
  return best;
}

ir::Module startOf(std::string_view pass, ir::Module module) {
  const auto before = kBefore.find(pass);
  if (before == kBefore.end()) return module;
  const auto calls = pass::parsePipeline(compile::passTable(), before->second);
  for (const pass::PassCall& call : *calls) module = *run(*call.row, module);
  return module;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kSizes[] = {1000, 10000, 100000};
  std::map<int, ir::Module> chains;
  for (const int size : kSizes) chains[size] = chain(size);
  std::printf("%-34s %10s %10s %10s %8s %8s %8s\n", "ms for bindings", "1,000", "10,000", "100,000", "growth", "TVM",
              "times");
  for (const pass::PassRow& row : compile::passTable().rows()) {
    const std::string_view name = row.name;
    const bool asked = argc < 2 || std::any_of(argv + 1, argv + argc, [&](const char* each) { return name == each; });
    if (!asked || *row.expandsTo || *row.language) continue;
    double ms[3];
    for (int i = 0; i < 3; ++i) ms[i] = measured(row, startOf(name, chains[kSizes[i]]), i < 2 ? 3 : 1);
    if (ms[0] < 0) continue;
    const auto tvm = kTvm.find(name);
    std::printf("%-34s %10.3f %10.3f %10.3f %8.1f", row.name, ms[0], ms[1], ms[2], ms[2] / ms[1]);
    if (tvm != kTvm.end()) std::printf(" %8.1f %8.1f", tvm->second, tvm->second / ms[0]);
    std::printf("\n");
    std::fflush(stdout);
  }
  return 0;
}
