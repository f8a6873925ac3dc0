// LiftTransformParams: what a function computes of its weights alone goes to a function of its own, which runs once.
#include <fmt/format.h>

#include <algorithm>

#include "core/build/mutator.h"
#include "core/pass/config.h"
#include "core/pass/options.h"
#include "core/transform/bind.h"
#include "core/transform/bundle_model_params.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/lift_plan.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::Expr;
using relax::FunctionRef;
using relax::VarRef;

constexpr std::string_view kSuffix = "transform_params";

/// In normal form, with variables of its own, without what is not needed.
Result<FunctionRef> cleaned(const FunctionRef& function, build::ModuleContext& context) {
  RX_TRY(plain, canonicalizeBindings(function, context));
  return removeUnusedBindings(plain, context, nullptr);
}

/// The function that computes what a plan says, of the weights as a tuple.
template <class Plan>
Result<FunctionRef> compileTimeFunction(const Plan& plan, build::ModuleContext& context) {
  build::BlockBuilder builder(&context);
  builder.beginFunction(plan.params);
  builder.beginDataflow();
  for (const relax::Binding& binding : plan.computable) builder.emitBinding(binding);
  std::vector<Expr> outputs;
  if (const std::vector<tir::VarRef> symbols = plan.symbols(); !symbols.empty()) {
    outputs.push_back(
        make<relax::ShapeExpr>(Array<tir::PrimExpr>(std::vector<tir::PrimExpr>(symbols.begin(), symbols.end()))));
  }
  for (const VarRef& var : plan.outputs()) {
    outputs.push_back(builder.emitOutput(var, Str(var->name.string() + "_output")));
  }
  const Expr result = builder.emitOutput(make<relax::Tuple>(Array<Expr>(std::move(outputs))), "output_tuple");
  builder.endDataflow();
  const ir::Attrs attrs = ir::withAttr(nullptr, "num_input", ir::intAttr(0));
  const FunctionRef made = builder.endFunction(result, nullptr, true, attrs);
  if (builder.failed()) return fail(builder.takeDiagnostics());
  RX_TRY(bundled, bundleModelParams(withFreshVars(made), "model_params", context));
  return cleaned(bundled, context);
}

/// The function without what is computed beforehand, which it gets as parameters.
class RuntimeWriter : public build::Mutator {
 public:
  RuntimeWriter(build::ModuleContext& context, const FunctionPlan& plan) : Mutator("LiftTransformParams", &context) {
    for (const relax::Binding& binding : plan.computable) {
      if (plan.needsWeights.contains(binding->var.get())) computed_.insert(binding->var.get());
    }
  }
  /// A parameter for a value that is given from now on.
  VarRef given(const VarRef& var) {
    VarRef param = make<relax::Var>(var->name, var->sinfo);
    mapVar(var, param);
    return param;
  }

 protected:
  void visitBinding(const relax::Binding& binding) override {
    if (!computed_.contains(binding->var.get())) Mutator::visitBinding(binding);
  }
  Expr visitCall(const Ref<relax::Call>& call) override {
    return isOp(call, "relax.builtin.stop_lift_params") ? visit(call->args[0]) : Mutator::visitCall(call);
  }

 private:
  std::unordered_set<const relax::Var*> computed_;
};

/// What the variables of a shared plan are in a function; those that it does not have stay.
template <class Var>
std::vector<Ref<Var>> inFunction(const std::vector<Ref<Var>>& shared, const std::vector<Ref<Var>>& own,
                                 const SharedPlan& plan) {
  std::unordered_map<const Node*, Ref<Var>> here;
  for (const Ref<Var>& local : own) {
    auto name = plan.shared.find(local.get());
    if (name != plan.shared.end()) here[name->second.get()] = local;
  }
  std::vector<Ref<Var>> vars;
  for (const Ref<Var>& var : shared) {
    auto local = here.find(var.get());
    vars.push_back(local == here.end() ? var : local->second);
  }
  return vars;
}

Result<FunctionRef> runtimeFunction(const FunctionPlan& plan, const SharedPlan* shared, build::ModuleContext& context) {
  const relax::Function& function = *plan.function;
  std::vector<VarRef> params(function.params.begin(),
                             function.params.begin() + static_cast<std::ptrdiff_t>(plan.inputs));
  std::vector<tir::VarRef> symbols = plan.symbols();
  std::vector<VarRef> outputs = plan.outputs();
  if (shared) {
    symbols = inFunction(shared->symbols(), symbols, *shared);
    outputs = inFunction(shared->outputs(), outputs, *shared);
  }
  if (!symbols.empty()) {
    const Array<tir::PrimExpr> values(std::vector<tir::PrimExpr>(symbols.begin(), symbols.end()));
    params.push_back(make<relax::Var>(Str("vars_from_compile_time_params"), make<relax::ShapeStructInfo>(values)));
  }
  RuntimeWriter writer(context, plan);
  for (const VarRef& var : outputs) params.push_back(writer.given(var));
  auto* made = new relax::Function(Array<VarRef>(std::move(params)), function.body, function.retSinfo, function.isPure,
                                   function.attrs);
  made->span = function.span;
  RX_TRY(written, writer.rewrite(FunctionRef(made)));
  return canonicalizeBindings(withFreshVars(written), context);
}

/// `second` of what `first` gives.
Result<FunctionRef> composed(const FunctionRef& first, const FunctionRef& second, build::ModuleContext& context) {
  const FunctionRef inner = withFreshVars(second);
  build::BlockBuilder builder(&context);
  builder.beginFunction(first->params);
  const VarRef given = builder.emit(first->body, "func_a_output");
  auto cast = [&](const VarRef& param, const Expr& value) {
    builder.emitBinding(make<relax::MatchCast>(param, builder.normalizeArgument(value), param->sinfo));
  };
  const std::vector<Expr> fields = fieldsOf(given);
  if (inner->params.size() == 1 && isa<relax::TupleStructInfo>(inner->params[0]->sinfo)) {
    cast(inner->params[0], given);
  } else if (fields.size() == inner->params.size()) {
    for (size_t i = 0; i < fields.size(); ++i) cast(inner->params[i], fields[i]);
  } else {
    return fail("pass.lift", fmt::format("a function that gives {} values is followed by one that takes {}",
                                         fields.size(), inner->params.size()));
  }
  const Expr result = builder.emit(inner->body, "func_b_output");
  const FunctionRef made = builder.endFunction(result, nullptr, first->isPure && second->isPure, first->attrs);
  if (builder.failed()) return fail(builder.takeDiagnostics());
  return cleaned(withFreshVars(made), context);
}

/// Takes every weight out of the tuple once, and lets go of it there.
class WeightConsumer : public build::Mutator {
 public:
  WeightConsumer(build::ModuleContext& context, VarRef weights)
      : Mutator("LiftTransformParams", &context), weights_(std::move(weights)) {}

 protected:
  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    const auto* item = as<relax::TupleGetItem>(binding->value);
    if (!item || item->tuple != weights_) return Mutator::visitVarBinding(binding);
    auto [known, first] = taken_.try_emplace(item->index);
    if (!first) return rebind(binding, known->second);
    Mutator::visitVarBinding(binding);
    known->second = mapped(binding->var);
    builder.emit(
        op::makeCall("relax.call_pure_packed",
                     {make<relax::ExternFunc>(Str("vm.builtin.tuple_reset_item")), weights_, primInt(item->index)}, {},
                     {relax::voidSinfo()}));
  }

 private:
  VarRef weights_;
  std::unordered_map<int64_t, Expr> taken_;
};

using Target = std::pair<relax::GlobalVarRef, FunctionRef>;

Result<std::vector<Target>> targetsOf(const ir::Module& module, const NodeRef& shared) {
  std::vector<Target> targets;
  const auto* names = as<ir::ArrayAttr>(shared);
  for (size_t i = 0; names && i < names->items.size(); ++i) {
    const auto* name = as<ir::StrAttr>(names->items[i]);
    const auto function = name ? refAs<relax::Function>(module->find(name->value.view())) : nullptr;
    if (!function || !ir::attrOf(function->attrs, "num_input")) {
      return fail("pass.option-value", "shared_transform names Relax functions of the module that say num_input");
    }
    targets.emplace_back(module->findVar(name->value.view()), function);
  }
  if (!targets.empty()) return targets;
  for (const auto& [var, function] : module->entries()) {
    auto relaxFunction = refAs<relax::Function>(function);
    const bool lifts = relaxFunction && ir::attrOf(function->attrs, "num_input");
    if (lifts && !var->name.view().ends_with(kSuffix)) targets.emplace_back(var, relaxFunction);
  }
  std::ranges::sort(targets, {}, [](const Target& target) { return target.first->name.view(); });
  return targets;
}

/// Adds a lifted function; one that has its name already runs before it.
Result<Unit> addLifted(const std::string& name, FunctionRef function, build::ModuleContext& context) {
  if (const auto before = context.find(name)) {
    if (const auto first = refAs<relax::Function>(context.functionOf(std::string_view(name)))) {
      RX_TRY(both, composed(first, function, context));
      context.update(before, both);
      return Unit{};
    }
  }
  context.update(context.declare(name, function->sinfo), function);
  return Unit{};
}

Result<ir::Module> partitioned(const ir::Module& module, const std::vector<Target>& targets, bool share) {
  build::ModuleContext context(module);
  SharedPlan shared;
  if (share) {
    std::vector<FunctionRef> functions;
    for (const Target& target : targets) functions.push_back(target.second);
    RX_TRY(plan, sharedPlan(functions));
    shared = std::move(plan);
  }
  std::vector<FunctionPlan> plans;
  for (const Target& target : targets) plans.push_back(planOf(target.second, share ? &shared : nullptr));
  for (size_t i = 0; i < targets.size(); ++i) {
    RX_TRY(runtime, runtimeFunction(plans[i], share ? &shared : nullptr, context));
    context.update(targets[i].first, runtime);
    if (share) continue;
    RX_TRY(lifted, compileTimeFunction(plans[i], context));
    RX_CHECK(addLifted(targets[i].first->name.string() + "_transform_params", lifted, context));
  }
  if (share) {
    RX_TRY(lifted, compileTimeFunction(shared, context));
    RX_CHECK(addLifted(std::string(kSuffix), lifted, context));
  }
  return context.module();
}

}  // namespace

Result<ir::Module> liftTransformParams(const ir::Module& module, const ir::Attrs& options_,
                                       pass::PassContext& context) {
  const NodeRef shared = ir::attrOf(options_, "shared_transform");
  const bool share = isa<ir::ArrayAttr>(shared) || pass::flagOf(options_, "shared_transform");
  RX_TRY(targets, targetsOf(module, shared));
  if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
  RX_TRY(split, partitioned(module, targets, share));
  RX_TRY(lifted, lambdaLift(split, nullptr, context));
  const bool consume = pass::configFlag(context, "relax.lift_transform_params.consume_params");
  build::ModuleContext moduleContext(lifted);
  moduleContext.setCancel(context.cancel);
  for (const auto& [var, function] : lifted->entries()) {
    auto relaxFunction = refAs<relax::Function>(function);
    if (!relaxFunction || !var->name.view().ends_with(kSuffix)) continue;
    auto named = cast<relax::Function>(ir::withFunctionAttr(relaxFunction, "global_symbol", ir::strAttr(var->name)));
    if (consume && !named->params.empty()) {
      RX_TRY(consumed, WeightConsumer(moduleContext, named->params.back()).rewrite(named));
      named = consumed;
    }
    moduleContext.update(var, named);
  }
  return moduleContext.module();
}

}  // namespace rx::transform
