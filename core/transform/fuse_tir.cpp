// FuseTIR: every function that fusion made becomes one kernel, and its calls become call_tir.
#include "core/analysis/forward_graph.h"
#include "core/transform/call_sites.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/fused_kernel.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

/// Name of the function that became a kernel -> its in-place outputs.
using Kernels = std::unordered_map<std::string_view, std::vector<int64_t>>;

/// The call of the kernel; scalars and shapes are passed as one list of symbols.
relax::Expr callKernel(const relax::Call& call, const relax::GlobalVarRef& kernel, const std::vector<int64_t>& inplace,
                       build::BlockBuilder& builder) {
  std::vector<relax::Expr> tensors;
  std::vector<tir::PrimExpr> symbols;
  for (const relax::Expr& arg : call.args) {
    const auto* shape = as<relax::ShapeStructInfo>(arg->sinfo);
    const auto* prim = as<relax::PrimStructInfo>(arg->sinfo);
    if (shape && shape->known) {
      symbols.insert(symbols.end(), shape->values.begin(), shape->values.end());
    } else if (prim && prim->value) {
      symbols.push_back(prim->value);
    } else {
      tensors.push_back(arg);
    }
  }
  std::vector<relax::Expr> args{kernel, make<relax::Tuple>(Array<relax::Expr>(std::move(tensors)))};
  if (!symbols.empty()) args.push_back(make<relax::ShapeExpr>(Array<tir::PrimExpr>(std::move(symbols))));
  const auto ready = call.sinfo ? Ref<relax::Call>(&call) : callWithInfo(Ref<relax::Call>(&call), builder);
  if (!ready) return nullptr;
  const Array<relax::StructInfo> out{ready->sinfo};
  if (inplace.empty()) return make<relax::Call>(op::opRef("relax.call_tir"), Array<relax::Expr>(args), nullptr, out);
  return make<relax::Call>(op::opRef("relax.call_tir_inplace"), Array<relax::Expr>(args),
                           ir::withAttr(nullptr, Str("inplace_indices"), ir::intArrayAttr(inplace)), out);
}

Result<ir::Module> fuseFunctions(const ir::Module& module, pass::PassContext& context) {
  build::ModuleContext fused(module);
  Kernels kernels;
  for (const auto& [var, function] : module->entries()) {
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    const auto* relaxFunction = as<relax::Function>(function);
    if (!relaxFunction || ir::intAttrOf(function->attrs, "Primitive", 0) == 0) continue;
    auto kernel = fuseKernels(*relaxFunction, *module);
    if (!kernel) {
      std::vector<Diagnostic> problems = kernel.diagnostics();
      for (Diagnostic& problem : problems) problem.context = var->name.string();
      return fail(std::move(problems));
    }
    kernels.emplace(var->name.view(), std::move(kernel->inplace));
    fused.update(var, kernel->function);
  }
  if (kernels.empty()) return module;
  const ir::Module callees = fused.module();
  auto update = [&](const relax::Call& call, build::BlockBuilder& builder) -> relax::Expr {
    const auto* callee = as<relax::GlobalVar>(call.op);
    const auto kernel = callee ? kernels.find(callee->name.view()) : kernels.end();
    if (kernel == kernels.end()) return nullptr;
    return callKernel(call, callees->findVar(kernel->first), kernel->second, builder);
  };
  return rewriteFunctions(callees, context,
                          [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                            return rewriteCalls(function, "FuseTIR", moduleContext, update);
                          });
}

}  // namespace

Result<ir::Module> fuseTir(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  RX_TRY(expanded, expandTupleArguments(module, options_, context));
  RX_TRY(used, removeUnusedParameters(expanded, options_, context));
  RX_TRY(fused, fuseFunctions(used, context));
  return deadCodeElimination(fused, options_, context);
}

}  // namespace rx::transform
