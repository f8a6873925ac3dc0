// The passes of the default pipeline that choose by device: sort and scan dispatch (written here for the CPU), and
// sampling dispatch (which only acts for a GPU). Asked for a GPU they say that it is not available.
#include <fmt/format.h>

#include "core/ir/reflect.h"
#include "core/legalize/legalize.h"
#include "core/transform/call_writer.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

bool isGpu(const target::TargetRef& target) { return target && target->isGpu(); }

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

namespace {

/// Whether a call runs on a GPU: by the device of its data, else by the target of the pipeline.
bool onGpu(const relax::Call& call, const pass::PassContext& context) {
  const auto* info = call.args.empty() ? nullptr : as<relax::TensorStructInfo>(call.args[0]->sinfo);
  if (!info || !info->vdevice) return isGpu(context.target);
  const Result<target::TargetRef> target = target::targetOf(info->vdevice->target);
  return target && isGpu(*target);
}

/// The sorts and scans of a function for the CPU; those that live on a GPU stay.
Result<relax::Expr> writeSortScan(const relax::Call& call, build::BlockBuilder& builder,
                                  const pass::PassContext& context) {
  if (onGpu(call, context)) return relax::Expr();
  return legalize::legalizeSortScan(call, builder);
}

}  // namespace

Result<ir::Module> dispatchSortScan(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  static constexpr std::string_view kOps[] = {"relax.sort", "relax.argsort", "relax.topk", "relax.cumsum",
                                              "relax.cumprod"};
  if (isGpu(context.target)) noteCalls(module, kOps, context);
  return writeCalls(module, "DispatchSortScan", context, writeSortScan);
}

}  // namespace rx::transform
