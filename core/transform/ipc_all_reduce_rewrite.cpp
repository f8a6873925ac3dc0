// IPCAllReduceRewrite: sums over several GPUs by kernels that read each other's
// memory. TVM rewrites only where its runtime has those kernels; the runtime
// here has none, so every sum stays as it is, and the pass says so.
#include <fmt/format.h>

#include "core/ir/reflect.h"
#include "core/pass/options.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

/// True for a call that adds up: the first number of its strategy is 0.
bool isSumOverDevices(const relax::Call& call) {
  const auto* packed = as<relax::ExternFunc>(call.op);
  if (!packed || packed->globalSymbol.view() != "runtime.disco.allreduce" || call.args.size() != 4) return false;
  const auto* strategy = as<relax::ShapeExpr>(call.args[1]);
  return strategy && !strategy->values.empty() && tir::asInt(strategy->values[0]) == 0;
}

}  // namespace

Result<ir::Module> ipcAllReduceRewrite(const ir::Module& module, const ir::Attrs& options_,
                                       pass::PassContext& context) {
  const int64_t strategy = pass::numberOf(options_, "allreduce_strategy");
  if (strategy != 1 && strategy != 2) {
    return fail("pass.option-value", fmt::format("allreduce_strategy is 1 (one shot) or 2 (two), not {}", strategy));
  }
  for (size_t i = 0; i < module->size(); ++i) {
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    if (!isa<relax::Function>(module->functions[i])) continue;
    walk(*module->functions[i], Into::Parts, [&](const Node& node) {
      const auto* call = as<relax::Call>(&node);
      if (call && isSumOverDevices(*call)) {
        Diagnostic note = warningAt(call->span, "pass.not-available",
                                    "not available: the runtime has no all-reduce over "
                                    "memory between processes; the "
                                    "general one is used");
        note.context = module->vars[i]->name.string();
        context.messages.push_back(std::move(note));
      }
      return !isa<tir::StmtNode>(&node);
    });
  }
  return module;
}

}  // namespace rx::transform
