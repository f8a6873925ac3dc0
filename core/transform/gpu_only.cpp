// The passes of the default pipeline that only act for a GPU: sampling and sort dispatch to device kernels, CUDA
// graphs. For a CPU they leave the module as it is; asked for a GPU they say that it is not available.
#include <fmt/format.h>

#include "core/ir/reflect.h"
#include "core/pass/literal.h"
#include "core/transform/calls.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

constexpr std::string_view kGpuKinds[] = {"cuda", "rocm", "metal", "vulkan", "opencl", "webgpu"};

/// `cuda -arch=sm_80` or {"kind": "cuda", ...}.
bool isGpu(std::string_view target) {
  for (std::string_view kind : kGpuKinds) {
    if (target.starts_with(kind) || target.find(fmt::format("\"kind\": \"{}\"", kind)) != std::string_view::npos ||
        target.find(fmt::format("\"kind\":\"{}\"", kind)) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

/// Says that calls of these operators keep their generic kernels on a GPU.
void noteCalls(const ir::Module& module, std::span<const std::string_view> ops, pass::PassContext& context) {
  for (size_t i = 0; i < module->size(); ++i) {
    walk(*module->functions[i], Into::Parts, [&](const Node& node) {
      const auto* call = as<relax::Call>(&node);
      const auto* op = call ? as<relax::Op>(call->op) : nullptr;
      for (std::string_view name : ops) {
        if (!op || !(op->name == name)) continue;
        Diagnostic note =
            warningAt(call->span, "pass.not-available",
                      fmt::format("not available: there is no device kernel for {}; the generic one is used", name));
        note.context = module->vars[i]->name.string();
        context.messages.push_back(std::move(note));
      }
      return !isa<tir::StmtNode>(&node);
    });
  }
}

}  // namespace

Result<ir::Module> dispatchSampling(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  static constexpr std::string_view kOps[] = {"relax.multinomial_from_uniform"};
  if (isGpu(context.target)) noteCalls(module, kOps, context);
  return module;
}

Result<ir::Module> dispatchSortScan(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  static constexpr std::string_view kOps[] = {"relax.sort", "relax.argsort", "relax.topk", "relax.cumsum",
                                              "relax.cumprod"};
  if (isGpu(context.target)) noteCalls(module, kOps, context);
  return module;
}

Result<ir::Module> rewriteCudaGraph(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  if (!ir::boolAttrOf(context.config, "relax.backend.use_cuda_graph", false)) return module;
  return fail("pass.not-available",
              "not available: CUDA graphs need code for a CUDA device, and this build compiles for the CPU only");
}

}  // namespace rx::transform
