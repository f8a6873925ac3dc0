// The passes of the default pipeline that choose by device: sorts, scans and sampling become kernels, with threads
// where they run on a graphics processor.
#include <fmt/format.h>

#include "core/ir/reflect.h"
#include "core/legalize/legalize.h"
#include "core/transform/call_writer.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

bool isGpu(const target::TargetRef& target) { return target && target->isGpu(); }

/// Whether a call runs on a GPU: by the device of its data, else by the target of the pipeline.
bool onGpu(const relax::Call& call, const pass::PassContext& context) {
  const auto* info = call.args.empty() ? nullptr : as<relax::TensorStructInfo>(call.args[0]->sinfo);
  if (!info || !info->vdevice) return isGpu(context.target);
  const Result<target::TargetRef> target = target::targetOf(info->vdevice->target);
  return target && isGpu(*target);
}

/// Says that calls of these operators are left for a GPU.
void noteCalls(const ir::Module& module, std::span<const std::string_view> ops, pass::PassContext& context) {
  for (size_t i = 0; i < module->size(); ++i) {
    walk(*module->functions[i], Into::Parts, [&](const Node& node) {
      const auto* call = as<relax::Call>(&node);
      const auto* op = call ? as<relax::Op>(call->op) : nullptr;
      for (std::string_view name : ops) {
        if (!op || !(op->name == name) || !onGpu(*call, context)) continue;
        Diagnostic note = warningAt(
            call->span, "pass.not-available",
            fmt::format("not available: there is no device kernel for this {}; the generic one is used", name));
        note.context = module->vars[i]->name.string();
        context.messages.push_back(std::move(note));
      }
      return !isa<tir::StmtNode>(&node);
    });
  }
}

/// Sampling has a generic kernel, which LegalizeOps writes.
Result<relax::Expr> writeSampling(const relax::Call& call, build::BlockBuilder& builder,
                                  const pass::PassContext& context) {
  return onGpu(call, context) ? legalize::legalizeSamplingOnDevice(call, builder) : relax::Expr();
}

Result<relax::Expr> writeSortScan(const relax::Call& call, build::BlockBuilder& builder,
                                  const pass::PassContext& context) {
  return onGpu(call, context) ? legalize::legalizeSortScanOnDevice(call, builder)
                              : legalize::legalizeSortScan(call, builder);
}

}  // namespace

Result<ir::Module> dispatchSampling(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  static constexpr std::string_view kOps[] = {"relax.multinomial_from_uniform"};
  RX_TRY(made, writeCalls(module, "DispatchSampling", context, writeSampling));
  noteCalls(made, kOps, context);
  return made;
}

Result<ir::Module> dispatchSortScan(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  static constexpr std::string_view kOps[] = {"relax.sort", "relax.argsort", "relax.topk", "relax.cumsum",
                                              "relax.cumprod"};
  RX_TRY(made, writeCalls(module, "DispatchSortScan", context, writeSortScan));
  noteCalls(made, kOps, context);
  return made;
}

}  // namespace rx::transform
