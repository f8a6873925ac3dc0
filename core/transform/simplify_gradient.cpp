#include "core/transform/simplify_gradient.h"

#include "core/build/mutator.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"

namespace rx::transform {

namespace {

using relax::Expr;

int64_t rankOf(const Expr& tensor) {
  const auto* info = as<relax::TensorStructInfo>(tensor->sinfo);
  return info ? info->ndim : relax::kUnknownDim;
}

std::vector<int64_t> swappedAxes(int64_t rank) {
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < rank - 2; ++i) axes.push_back(i);
  axes.push_back(rank - 1);
  axes.push_back(rank - 2);
  return axes;
}

bool isTranspose(const Ref<relax::Call>& call) {
  if (!isOp(call, "relax.permute_dims")) return false;
  const int64_t rank = rankOf(call->args[0]);
  if (rank < 2) return false;
  const NodeRef listed = ir::attrOf(call->attrs, "axes");
  const auto* axes = as<ir::ArrayAttr>(listed);
  if (!axes) return rank == 2;
  const std::vector<int64_t> swapped = swappedAxes(rank);
  for (size_t i = 0; i < swapped.size(); ++i) {
    const auto* axis = i < axes->items.size() ? as<ir::IntAttr>(axes->items[i]) : nullptr;
    if (!axis || axis->value != swapped[i]) return false;
  }
  return true;
}

class Simplifier : public build::Mutator {
 public:
  explicit Simplifier(build::ModuleContext& context) : Mutator("Gradient", &context) {}

 protected:
  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    const Expr value = builder.normalize(visit(binding->value));
    const auto call = refAs<relax::Call>(value);
    const auto inner = call && isTranspose(call) ? boundCall(call->args[0]) : nullptr;
    if (inner && isTranspose(inner) && isa<relax::Var>(inner->args[0])) return mapVar(binding->var, inner->args[0]);
    Expr now = value;
    if (inner && isOp(inner, "relax.matmul") && rankOf(inner->args[0]) > 1 && rankOf(inner->args[1]) > 1) {
      const Expr a = transposed(inner->args[0]), b = transposed(inner->args[1]);
      now = builder.normalize(make<relax::Call>(inner->op, Array<Expr>{b, a}, inner->attrs));
    }
    rebind(binding, now);
    if (const auto bound = refAs<relax::Call>(now)) values_[as<relax::Var>(mapped(binding->var))] = bound;
  }

 private:
  Ref<relax::Call> boundCall(const Expr& expr) const {
    auto known = values_.find(as<relax::Var>(expr));
    return known == values_.end() ? nullptr : known->second;
  }
  Expr transposed(const Expr& expr) const {
    const auto before = boundCall(expr);
    if (before && isTranspose(before)) return before->args[0];
    return op::makeCall("relax.permute_dims", {expr}, {{"axes", ir::intArrayAttr(swappedAxes(rankOf(expr)))}});
  }

  std::unordered_map<const relax::Var*, Ref<relax::Call>> values_;
};

}  // namespace

Result<relax::FunctionRef> simplifyGradient(const relax::FunctionRef& function, build::ModuleContext& context,
                                            const ir::IRModule* module) {
  RX_TRY(simple, Simplifier(context).rewrite(function));
  return removeUnusedBindings(simple, context, module);
}

}  // namespace rx::transform
