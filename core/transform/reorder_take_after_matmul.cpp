// ReorderTakeAfterMatmul: a product with some slices of the weights is the slices of the product with all of them,
// which does not depend on the indices and can be computed in one piece.
#include "core/arith/fold.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"
#include "core/transform/pattern_rewrite.h"

namespace rx::transform {

namespace {

using relax::Expr;

const relax::TensorStructInfo* tensorOf(const Expr& expr) {
  const auto* info = as<relax::TensorStructInfo>(expr->sinfo);
  return info && info->ndim >= 0 ? info : nullptr;
}
const relax::ShapeExpr* shapeOf(const relax::TensorStructInfo& info) { return as<relax::ShapeExpr>(info.shape); }

Expr shape(std::vector<tir::PrimExpr> dims) { return make<relax::ShapeExpr>(Array<tir::PrimExpr>(std::move(dims))); }
Expr take(const Expr& from, const Expr& indices, int64_t axis) {
  return op::makeCall("relax.take", {from, indices}, {{"axis", ir::intAttr(axis)}});
}

/// One table for each of a batch of left sides, as batched LoRA has it: all tables side by side in one product.
Expr batched(const Expr& lhs, const Expr& weights, const Expr& indices, const relax::ShapeExpr& left,
             const relax::ShapeExpr& table) {
  const auto& l = left.values;
  const auto& w = table.values;
  Expr turned =
      op::makeCall("relax.permute_dims", {weights}, {{"axes", ir::intArrayAttr(std::vector<int64_t>{1, 0, 2})}});
  Expr flat = op::makeCall("relax.reshape", {turned, shape({w[1], arith::mul(w[0], w[2])})});
  Expr product = op::makeCall("relax.matmul", {lhs, flat});
  Expr apart = op::makeCall("relax.reshape", {product, shape({l[0], l[1], w[0], w[2]})});
  Expr taken = make<relax::Tuple>(Array<Expr>{take(apart, indices, 2)});
  return op::makeCall("relax.einsum", {taken}, {{"subscripts", ir::strAttr("ijik->ijk")}});
}

Expr reordered(const relax::Call& call, const Earlier& earlier) {
  const auto matmul = callOf(Ref<relax::Call>(&call), "relax.matmul");
  const auto taken = matmul ? earlier.callOf(matmul->args[1], "relax.take") : nullptr;
  const NodeRef axisAttr = taken ? ir::attrOf(taken->attrs, "axis") : nullptr;
  const auto* axis = as<ir::IntAttr>(axisAttr);
  if (!axis) return nullptr;
  const Expr& lhs = matmul->args[0];
  const Expr& weights = taken->args[0];
  const Expr& indices = taken->args[1];
  const auto* left = tensorOf(lhs);
  const auto* table = tensorOf(weights);
  const auto* index = tensorOf(indices);
  const auto* result = tensorOf(matmul);
  if (!left || !table || !index || !result || index->ndim != 1) return nullptr;
  if (axis->value + 1 == table->ndim) {
    return take(op::makeCall("relax.matmul", {lhs, weights}), indices, result->ndim - 1);
  }
  const bool tables = left->ndim == 3 && table->ndim == 3 && axis->value == 0;
  if (!tables || !shapeOf(*left) || !shapeOf(*table)) return nullptr;
  return batched(lhs, weights, indices, *shapeOf(*left), *shapeOf(*table));
}

}  // namespace

Result<ir::Module> reorderTakeAfterMatmul(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return rewriteFunctions(
      module, context, [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
        return rewriteGroups(function, "ReorderTakeAfterMatmul", moduleContext, module.get(), context, reordered);
      });
}

}  // namespace rx::transform
