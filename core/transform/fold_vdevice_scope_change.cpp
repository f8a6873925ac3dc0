// FoldVDeviceScopeChange: a kernel whose result is copied from a texture to global memory right away, and nowhere else
// used, writes to global memory itself.
#include "core/ir/reflect.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"
#include "core/transform/pattern_rewrite.h"

namespace rx::transform {

namespace {

using relax::Expr;
using UseCounts = std::unordered_map<const relax::Var*, size_t>;

/// How many arguments of calls each tensor is; uses of a field of a tuple are uses of the tuple.
UseCounts usesOf(const relax::Function& function) {
  UseCounts uses;
  std::vector<std::pair<const relax::Var*, const relax::Var*>> fields;
  walk(*function.body, Into::Parts, [&](const Node& node) {
    const auto* binding = as<relax::VarBinding>(&node);
    if (const auto* item = binding ? as<relax::TupleGetItem>(binding->value) : nullptr) {
      fields.emplace_back(binding->var.get(), as<relax::Var>(item->tuple));
    }
    const auto* call = as<relax::Call>(&node);
    if (!call) return !isa<tir::ExprNode>(&node);
    const bool kernel = isOp(Ref<relax::Call>(call), "relax.call_tir");
    const auto* tuple = kernel ? as<relax::Tuple>(call->args[1]) : nullptr;
    for (const Expr& arg : tuple ? tuple->items : call->args) {
      if (isa<relax::TensorStructInfo>(arg->sinfo)) ++uses[as<relax::Var>(arg)];
    }
    return false;
  });
  for (const auto& [field, tuple] : fields) {
    if (auto count = uses.find(field); count != uses.end()) uses[tuple] += count->second;
  }
  return uses;
}

bool isTexture(const ir::VDevice& device) {
  return device.memoryScope.view().find("texture") != std::string_view::npos;
}

/// The kernel call that writes where `call`, a copy, would carry its result; null where it is not one to fold.
Expr folded(const relax::Call& call, const Earlier& earlier, const UseCounts& uses) {
  const auto copy = callOf(Ref<relax::Call>(&call), "relax.to_vdevice");
  const auto kernel = copy ? earlier.callOf(copy->args[0], "relax.call_tir") : nullptr;
  if (!kernel || kernel->args.size() != 2 || kernel->sinfoArgs.empty()) return nullptr;
  const auto* info = as<relax::TensorStructInfo>(kernel->sinfoArgs[0]);
  const auto target = refAs<ir::VDevice>(ir::attrOf(copy->attrs, "dst_vdevice"));
  if (!info || !info->vdevice || !target || !isa<relax::ShapeExpr>(info->shape)) return nullptr;
  auto count = uses.find(as<relax::Var>(copy->args[0]));
  if (count != uses.end() && count->second > 1) return nullptr;
  if (!isTexture(*info->vdevice) || !(target->memoryScope == "global")) return nullptr;
  const relax::StructInfo moved = make<relax::TensorStructInfo>(info->shape, info->dtype, target);
  return make<relax::Call>(kernel->op, kernel->args, kernel->attrs, Array<relax::StructInfo>{moved});
}

}  // namespace

Result<ir::Module> foldVDeviceScopeChange(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return rewriteFunctions(
      module, context, [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
        const UseCounts uses = usesOf(*function);
        return rewriteGroups(
            function, "FoldVDeviceScopeChange", moduleContext, module.get(), context,
            [&](const relax::Call& call, const Earlier& earlier) { return folded(call, earlier, uses); });
      });
}

}  // namespace rx::transform
