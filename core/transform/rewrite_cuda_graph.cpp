// RewriteCUDAGraph: allocations of known size, and runs of kernels on what lies in them, become functions that the VM
// captures into a CUDA graph once and launches as a whole from then on.
#include <fmt/format.h>

#include <unordered_set>

#include "core/pass/config.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/cuda_graph_plan.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::Expr;

class GraphRewriter : public build::Mutator {
 public:
  GraphRewriter(build::ModuleContext& module, std::string function, const GraphPlan& plan,
                const MergedAllocations& merged, int64_t& captures)
      : Mutator("RewriteCUDAGraph", &module), function_(std::move(function)), merged_(merged), captures_(captures) {
    if (!plan.allocations.outputs.empty()) {
      allocations_ = &plan.allocations;
      note(plan.allocations);
    }
    for (const GraphRegion& region : plan.captures) note(region);
  }

 protected:
  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    const relax::Var* var = binding->var.get();
    if (auto launch = launches_.find(var); launch != launches_.end()) {
      launch->second == allocations_ ? allocate() : capture(*launch->second);
    }
    if (lifted_.contains(var)) {
      given(binding->var);
    } else {
      Mutator::visitVarBinding(binding);
    }
  }
  Expr visitVar(const relax::VarRef& var) override {
    // A region may read what another one gives before the place where that was bound.
    given(var);
    return Mutator::visitVar(var);
  }

 private:
  void note(const GraphRegion& region) {
    launches_[region.bindings.front()->var.get()] = &region;
    for (const auto& binding : region.bindings) lifted_.insert(binding->var.get());
  }

  /// Binds a variable that a launched region gives, where that is not done yet.
  void given(const relax::VarRef& var) {
    auto field = given_.find(var.get());
    if (field == given_.end()) return;
    const Expr value = field->second;
    given_.erase(field);
    mapVar(var, builder.emit(value, var->name));
  }

  static Expr callBuiltin(std::string_view name, std::vector<Expr> args, const relax::StructInfo& result) {
    const Expr tuple = make<relax::Tuple>(Array<Expr>(std::move(args)));
    return op::makeCall("relax.call_builtin_with_ctx", {make<relax::ExternFunc>(Str(name)), tuple}, {}, {result});
  }
  Expr launched(const Expr& call, const relax::StructInfo& result) {
    const auto* fields = as<relax::TupleStructInfo>(result);
    return builder.emit(call, fields->items.empty() ? Str("_") : Str());
  }

  void allocate() {
    const Expr function = builder.module()->add(merged_.region.function(), "cuda_graph_alloc");
    const relax::StructInfo result = merged_.region.result();
    const Expr all =
        launched(callBuiltin("vm.builtin.cuda_graph.get_cached_alloc", {function, primInt(0)}, result), result);
    for (const auto& binding : allocations_->bindings) {
      const auto index = static_cast<int64_t>(merged_.index.at(binding->var.get()));
      given_[binding->var.get()] = make<relax::TupleGetItem>(all, index);
    }
  }

  void capture(const GraphRegion& region) {
    const Expr function = builder.module()->add(region.function(), fmt::format("{}_cuda_graph_capture", function_));
    std::vector<Expr> inputs;
    for (const relax::VarRef& var : region.inputs) inputs.push_back(visit(var));
    std::vector<Expr> args{function, nullptr, primInt(captures_++)};
    if (!region.symbols.empty()) {
      // Once for the function, and once as the key of the graph that was captured for these sizes.
      const std::vector<tir::PrimExpr> symbols(region.symbols.begin(), region.symbols.end());
      inputs.push_back(make<relax::ShapeExpr>(Array<tir::PrimExpr>(symbols)));
      args.push_back(inputs.back());
    }
    args[1] = make<relax::Tuple>(Array<Expr>(std::move(inputs)));
    const relax::StructInfo result = region.result();
    const Expr all = launched(callBuiltin("vm.builtin.cuda_graph.run_or_capture", std::move(args), result), result);
    for (size_t i = 0; i < region.outputs.size(); ++i) {
      given_[region.outputs[i].get()] = make<relax::TupleGetItem>(all, static_cast<int64_t>(i));
    }
  }

  std::string function_;
  const MergedAllocations& merged_;
  int64_t& captures_;  ///< regions of all functions so far
  const GraphRegion* allocations_ = nullptr;
  std::unordered_map<const relax::Var*, const GraphRegion*> launches_;
  std::unordered_set<const relax::Var*> lifted_;
  std::unordered_map<const relax::Var*, Expr> given_;
};

}  // namespace

Result<ir::Module> rewriteCudaGraph(const ir::Module& module, const ir::Attrs& options, pass::PassContext& context) {
  if (!ir::boolAttrOf(options, "enable", false) && !pass::configFlag(context, "relax.backend.use_cuda_graph")) return module;
  std::vector<GraphPlan> plans;
  std::unordered_map<const relax::Function*, std::pair<size_t, std::string>> planned;
  for (size_t i = 0; i < module->size(); ++i) {
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    const auto function = refAs<relax::Function>(module->functions[i]);
    if (!function) continue;
    planned[function.get()] = {plans.size(), module->vars[i]->name.string()};
    plans.push_back(graphPlanOf(function, *module));
  }
  RX_TRY(merged, mergedAllocations(plans));
  int64_t captures = 0;
  return rewriteFunctions(module, context,
                          [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                            const auto& [plan, name] = planned.at(function.get());
                            return GraphRewriter(moduleContext, name, plans[plan], merged, captures).rewrite(function);
                          });
}

}  // namespace rx::transform
