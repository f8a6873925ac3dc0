// RemoveRedundantReshape: of two reshapes in a row the second is enough, and one to the shape that is there is none.
#include "core/ir/structural_equal.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"
#include "core/transform/pattern_rewrite.h"

namespace rx::transform {

namespace {

constexpr std::string_view kReshape = "relax.reshape";

relax::Expr withoutReshape(const relax::Call& call, const Earlier& earlier) {
  const auto reshape = callOf(Ref<relax::Call>(&call), kReshape);
  if (!reshape) return nullptr;
  if (const auto before = earlier.callOf(reshape->args[0], kReshape)) {
    return op::makeCall(kReshape, {before->args[0], reshape->args[1]});
  }
  const auto* have = as<relax::TensorStructInfo>(reshape->args[0]->sinfo);
  const bool same = have && isa<relax::ShapeExpr>(have->shape) && structuralEqual(have->shape, reshape->args[1]);
  return same ? reshape->args[0] : nullptr;
}

}  // namespace

Result<ir::Module> removeRedundantReshape(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return rewriteFunctions(
      module, context,
      [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) -> Result<relax::FunctionRef> {
        if (ir::intAttrOf(function->attrs, "Primitive", 0) != 0) return function;
        return rewriteGroups(function, "RemoveRedundantReshape", moduleContext, module.get(), context, withoutReshape);
      });
}

}  // namespace rx::transform
