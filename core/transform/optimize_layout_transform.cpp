// OptimizeLayoutTransform: a tensor that is laid out anew twice and has its first shape again was laid out for nothing.
#include "core/ir/structural_equal.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"
#include "core/transform/pattern_rewrite.h"

namespace rx::transform {

namespace {

using relax::Expr;
constexpr std::string_view kTransform = "relax.layout_transform";

Expr shapeOf(const Expr& tensor) {
  const auto* info = as<relax::TensorStructInfo>(tensor->sinfo);
  return info ? info->shape : nullptr;
}

/// What the layout_transform in the call of a kernel that cuts padding off is made of; null where it is none.
Expr behindPadding(const Expr& expr, const Earlier& earlier, const ir::IRModule& module) {
  const auto cut = earlier.callOf(expr, "relax.call_tir");
  const auto* inputs = cut && cut->args.size() == 2 ? as<relax::Tuple>(cut->args[1]) : nullptr;
  const auto* name = cut ? as<relax::GlobalVar>(cut->args[0]) : nullptr;
  const ir::BaseFunc kernel = name ? module.find(name) : nullptr;
  if (!inputs || inputs->items.size() != 1 || !kernel) return nullptr;
  if (ir::strAttrOf(kernel->attrs, "operator_name") != "remove_pad") return nullptr;
  const auto inner = earlier.callOf(inputs->items[0], kTransform);
  return inner ? inner->args[0] : nullptr;
}

/// The tensor before both changes of its layout, where it has its shape again; null otherwise.
Expr undone(const relax::Call& call, const Earlier& earlier, const ir::IRModule& module) {
  if (!isOp(Ref<relax::Call>(&call), kTransform)) return nullptr;
  const auto inner = earlier.callOf(call.args[0], kTransform);
  const Expr input = inner ? inner->args[0] : behindPadding(call.args[0], earlier, module);
  if (!input) return nullptr;
  const auto* result = as<relax::TensorStructInfo>(call.sinfo);
  const Expr before = shapeOf(input);
  return result && result->shape && before && structuralEqual(result->shape, before) ? input : nullptr;
}

}  // namespace

Result<ir::Module> optimizeLayoutTransform(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return rewriteFunctions(
      module, context,
      [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) -> Result<relax::FunctionRef> {
        if (ir::intAttrOf(function->attrs, "Primitive", 0) != 0) return function;
        return rewriteGroups(
            function, "OptimizeLayoutTransform", moduleContext, module.get(), context,
            [&](const relax::Call& call, const Earlier& earlier) { return undone(call, earlier, *module); });
      });
}

}  // namespace rx::transform
