// LowerGlobalViewToLocalView: calls of kernels on distributed tensors call kernels for the part of one device, and sum
// up what each gives where a reduction was divided.
#include <fmt/format.h>

#include "core/build/mutator.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/distributed_function.h"
#include "core/transform/local_kernel.h"
#include "core/transform/pass_functions.h"
#include "core/transform/sharding_plan.h"

namespace rx::transform {

namespace {

using relax::DTensorStructInfo;
using relax::Expr;

class LocalView : public build::Mutator {
 public:
  explicit LocalView(build::ModuleContext& context)
      : Mutator("LowerGlobalViewToLocalView", &context), context_(context) {}

 protected:
  Expr visitCall(const Ref<relax::Call>& node) override {
    const Expr visited = Mutator::visitCall(node);
    const auto call = callOf(visited, "relax.call_tir");
    const auto* var = call && call->args.size() >= 2 ? as<relax::GlobalVar>(call->args[0]) : nullptr;
    const auto kernel = var ? refAs<tir::PrimFunc>(context_.functionOf(var)) : nullptr;
    if (!kernel) return visited;
    const auto placed = placements(*call, *kernel);
    if (!placed) return visited;
    Result<LocalKernel> local = localKernel(kernel, *placed);
    if (!local) {
      for (Diagnostic problem : local.diagnostics()) {
        if (!problem.span.known()) problem.span = call->span;
        builder.report(std::move(problem));
      }
      return visited;
    }
    std::vector<Expr> args = call->args.vector();
    args[0] = context_.add(local->function, var->name.view());
    Expr part = op::makeCall("relax.dist.call_tir_local_view", std::move(args), {}, call->sinfoArgs);
    if (local->allReduce.empty()) return part;
    return op::makeCall("relax.ccl.allreduce", {part},
                        {{"op_type", ir::strAttr(Str(local->allReduce))}, {"in_group", ir::boolAttr(false)}});
  }

 private:
  /// How every parameter of the kernel is distributed; nothing where a tensor among them is not.
  std::optional<std::vector<const DTensorStructInfo*>> placements(const relax::Call& call,
                                                                  const tir::PrimFunc& kernel) {
    std::vector<const DTensorStructInfo*> placed;
    for (const Expr& arg : fieldsOf(call.args[1])) placed.push_back(as<DTensorStructInfo>(arg->sinfo));
    const relax::StructInfo& out = call.sinfoArgs[0];
    const auto* tuple = as<relax::TupleStructInfo>(out);
    for (size_t i = 0; tuple && i < tuple->items.size(); ++i) placed.push_back(as<DTensorStructInfo>(tuple->items[i]));
    if (!tuple) placed.push_back(as<DTensorStructInfo>(out));
    for (size_t i = 0; i < placed.size() && i < kernel.buffers.size(); ++i) {
      if (placed[i] || !kernel.buffers[i]) continue;
      builder.report(errorAt(call.span, "pass.sharding",
                             fmt::format("parameter {} of the kernel gets a tensor that is not distributed",
                                         kernel.params[i]->name.view())));
      return std::nullopt;
    }
    return placed;
  }

  build::ModuleContext& context_;
};

}  // namespace

Result<ir::Module> lowerGlobalViewToLocalView(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return rewriteFunctions(
      module, context,
      [](const relax::FunctionRef& function, build::ModuleContext& moduleContext) -> Result<relax::FunctionRef> {
        RX_TRY(applies, isDistributed(*function));
        if (!applies) return function;
        return LocalView(moduleContext).rewrite(function);
      });
}

}  // namespace rx::transform
