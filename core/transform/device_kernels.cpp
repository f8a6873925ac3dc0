#include "core/transform/device_kernels.h"

#include <fmt/format.h>

#include "core/lower/fresh.h"
#include "core/transform/calls.h"

namespace rx::transform {

namespace {

/// The target of the first device that a result names; null where none does.
NodeRef targetOf(const relax::StructInfo& result) {
  Array<relax::StructInfo> fields{result};
  while (!fields.empty()) {
    const relax::TupleStructInfo* inner = nullptr;
    for (const relax::StructInfo& field : fields) {
      const auto* tensor = as<relax::TensorStructInfo>(field);
      if (tensor && tensor->vdevice && tensor->vdevice->target) return tensor->vdevice->target;
      inner = as<relax::TupleStructInfo>(field);
      if (inner) break;
    }
    // What stands behind a tuple in a tuple is not asked.
    fields = inner ? inner->items : Array<relax::StructInfo>();
  }
  return nullptr;
}

}  // namespace

relax::Expr DeviceKernels::bound(const relax::Expr& expr, build::ModuleContext& module) {
  const auto call = callOf(expr, "relax.call_tir");
  const NodeRef target = call && call->sinfoArgs.size() == 1 ? targetOf(call->sinfoArgs[0]) : nullptr;
  const auto* var = target ? as<relax::GlobalVar>(call->args[0]) : nullptr;
  const auto kernel = var ? refAs<tir::PrimFunc>(module.functionOf(var)) : nullptr;
  if (!kernel) return expr;
  const std::string_view kind = ir::targetKind(target);
  if (ir::targetKind(ir::attrOf(kernel->attrs, "target")) == kind) return expr;
  const ir::BaseFunc own = ir::withFunctionAttr(kernel, "target", target);
  std::vector<relax::Expr> args = call->args.vector();
  args[0] = module.add(lower::freshCopy(cast<tir::PrimFunc>(own)), fmt::format("{}_{}", var->name.view(), kind));
  any_ = true;
  auto* made = new relax::Call(*call);
  made->args = Array<relax::Expr>(std::move(args));
  return relax::Expr(made);
}

}  // namespace rx::transform
