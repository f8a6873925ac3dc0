// Regions as functions, and the allocations of several functions as those of one.
#include <algorithm>
#include <map>

#include "core/transform/bind.h"
#include "core/transform/cuda_graph_plan.h"

namespace rx::transform {

namespace {

using relax::Expr;
using relax::VarRef;

/// A storage of a function, in one memory scope.
struct Storage {
  int64_t size;
  size_t place;  ///< among those of its function
  Ref<relax::VarBinding> binding;
};

}  // namespace

relax::StructInfo GraphRegion::result() const {
  std::vector<relax::StructInfo> infos;
  for (const VarRef& var : outputs) infos.push_back(var->sinfo);
  return relax::tupleSinfo(Array<relax::StructInfo>(std::move(infos)));
}

relax::FunctionRef GraphRegion::function() const {
  std::vector<VarRef> params = inputs;
  if (!symbols.empty()) {
    const Array<tir::PrimExpr> values(std::vector<tir::PrimExpr>(symbols.begin(), symbols.end()));
    params.push_back(make<relax::Var>(Str("shape_expr"), make<relax::ShapeStructInfo>(values)));
  }
  std::vector<relax::Binding> all(bindings.begin(), bindings.end());
  auto tuple = make<relax::Tuple>(Array<Expr>(std::vector<Expr>(outputs.begin(), outputs.end())), result());
  auto var = make<relax::Var>(Str(outputs.empty() ? "_" : "gv"), result());
  all.push_back(make<relax::VarBinding>(var, tuple));
  const Array<relax::BlockRef> blocks{
      relax::BlockRef(make<relax::BindingBlock>(Array<relax::Binding>(std::move(all))))};
  auto body = make<relax::SeqExpr>(blocks, outputs.empty() ? Expr(tuple) : Expr(var));
  const ir::Attrs attrs = ir::withAttr(nullptr, "relax.force_pure", ir::boolAttr(true));
  return withFreshVars(make<relax::Function>(Array<VarRef>(std::move(params)), body, result(), true, attrs));
}

Result<MergedAllocations> mergedAllocations(const std::vector<GraphPlan>& plans) {
  std::map<std::string, std::vector<std::vector<Storage>>> scopes;
  for (size_t plan = 0; plan < plans.size(); ++plan) {
    for (const Ref<relax::VarBinding>& binding : plans[plan].allocations.bindings) {
      const auto* call = as<relax::Call>(binding->value);
      const auto* shape = as<relax::ShapeExpr>(call->args[0]);
      const auto* device = as<relax::PrimValue>(call->args[1]);
      const auto* scope = as<relax::StringImm>(call->args[2]);
      if (shape->values.size() != 1 || !device || tir::asInt(device->value) != 0 || !scope) {
        return fail("pass.cuda-graph", "storage for a CUDA graph has one size and lies on device 0");
      }
      auto& ofPlans = scopes[scope->value.string()];
      ofPlans.resize(plans.size());
      ofPlans[plan].push_back({*tir::asInt(shape->values[0]), ofPlans[plan].size(), binding});
    }
  }
  MergedAllocations merged;
  for (auto& [scope, ofPlans] : scopes) {
    size_t most = 0;
    for (std::vector<Storage>& storages : ofPlans) {
      std::sort(storages.begin(), storages.end(), [](const Storage& a, const Storage& b) {
        return a.size != b.size ? a.size > b.size : a.place < b.place;
      });
      most = std::max(most, storages.size());
    }
    for (size_t i = 0; i < most; ++i) {
      const Storage* largest = nullptr;
      for (const std::vector<Storage>& storages : ofPlans) {
        if (i >= storages.size()) continue;
        merged.index[storages[i].binding->var.get()] = merged.region.bindings.size();
        if (!largest || storages[i].size > largest->size) largest = &storages[i];
      }
      merged.region.bindings.push_back(largest->binding);
      merged.region.outputs.push_back(largest->binding->var);
    }
  }
  return merged;
}

}  // namespace rx::transform
