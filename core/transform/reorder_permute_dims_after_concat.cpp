// ReorderPermuteDimsAfterConcat: tensors that are transposed alike and then joined are joined first and transposed
// once.
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"
#include "core/transform/pattern_rewrite.h"

namespace rx::transform {

namespace {

/// The numbers of joined tensors that TVM looks for.
constexpr size_t kLeast = 2, kMost = 11;

/// The order of axes that a permute_dims gives, also where it only says that they are reversed; empty where the rank is
/// not known.
std::vector<int64_t> axesOf(const relax::Call& permute) {
  std::vector<int64_t> axes;
  const NodeRef attr = ir::attrOf(permute.attrs, "axes");
  if (const auto* list = as<ir::ArrayAttr>(attr)) {
    for (const NodeRef& item : list->items) {
      const auto* axis = as<ir::IntAttr>(item);
      axes.push_back(axis ? axis->value : 0);
    }
    return axes;
  }
  const auto* info = as<relax::TensorStructInfo>(permute.args[0]->sinfo);
  for (int64_t i = info ? info->ndim : 0; i-- > 0;) axes.push_back(i);
  return axes;
}

relax::Expr reordered(const relax::Call& call, const Earlier& earlier) {
  const auto concat = callOf(Ref<relax::Call>(&call), "relax.concat");
  const auto* tensors = concat ? as<relax::Tuple>(concat->args[0]) : nullptr;
  if (!tensors || tensors->items.size() < kLeast || tensors->items.size() > kMost) return nullptr;
  std::vector<relax::Expr> inputs;
  std::vector<int64_t> axes;
  Ref<relax::Call> first;
  for (const relax::Expr& tensor : tensors->items) {
    const auto permute = earlier.callOf(tensor, "relax.permute_dims");
    if (!permute) return nullptr;
    if (!first) axes = axesOf(*permute);
    if (axes.empty() || axesOf(*permute) != axes) return nullptr;
    if (!first) first = permute;
    inputs.push_back(permute->args[0]);
  }
  const auto rank = static_cast<int64_t>(axes.size());
  int64_t axis = ir::intAttrOf(concat->attrs, "axis", 0);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return nullptr;
  relax::Expr joined = op::makeCall("relax.concat", {make<relax::Tuple>(Array<relax::Expr>(std::move(inputs)))},
                                    {{"axis", ir::intAttr(axes[static_cast<size_t>(axis)])}});
  return op::makeCall("relax.permute_dims", {joined}, {{"axes", ir::attrOf(first->attrs, "axes")}});
}

}  // namespace

Result<ir::Module> reorderPermuteDimsAfterConcat(const ir::Module& module, const ir::Attrs&,
                                                 pass::PassContext& context) {
  return rewriteFunctions(module, context,
                          [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                            return rewriteGroups(function, "ReorderPermuteDimsAfterConcat", moduleContext, module.get(),
                                                 context, reordered);
                          });
}

}  // namespace rx::transform
