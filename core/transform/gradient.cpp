// Gradient: a function that gives what another gives, and the adjoints of its parameters, by reverse-mode automatic
// differentiation of its one dataflow block.
#include <fmt/format.h>

#include <algorithm>

#include "core/op/rules.h"
#include "core/pass/options.h"
#include "core/support/stack.h"
#include "core/transform/bind.h"
#include "core/transform/call_sites.h"
#include "core/transform/calls.h"
#include "core/transform/checkpoints.h"
#include "core/transform/cleanup.h"
#include "core/transform/gradient_rules.h"
#include "core/transform/pass_functions.h"
#include "core/transform/simplify_gradient.h"

namespace rx::transform {

namespace {

using relax::Expr;
using relax::StructInfo;
using relax::VarRef;

Failure refused(Span span, std::string why) { return fail(errorAt(span, "pass.gradient", std::move(why))); }

/// A sum of tensors, or of tuples field by field.
Expr sumOf(const Expr& a, const Expr& b) {
  const auto* info = as<relax::TupleStructInfo>(a->sinfo);
  if (!info) {
    const auto sum = op::makeCall("relax.add", {a, b});
    return make<relax::Call>(sum->op, sum->args, sum->attrs, sum->sinfoArgs, a->sinfo);
  }
  const std::vector<Expr> left = fieldsOf(a), right = fieldsOf(b);
  std::vector<Expr> items;
  for (size_t i = 0; i < left.size(); ++i) items.push_back(withStack([&] { return sumOf(left[i], right[i]); }));
  return make<relax::Tuple>(Array<Expr>(std::move(items)), a->sinfo);
}

/// Emits the backward pass of a block behind it.
class BackwardWriter {
 public:
  BackwardWriter(build::BlockBuilder& builder, const Checkpoints& checkpoints, const relax::BindingBlock& block)
      : builder_(builder),
        block_(block),
        normalizer_(builder),
        recomputation_(builder, checkpoints.function->params, block, checkpoints.kept) {}

  Result<Unit> run(const VarRef& target) {
    const auto* info = as<relax::TensorStructInfo>(target->sinfo);
    RX_CHECK(update(target, op::makeCall("relax.ones", {info->shape}, {{"dtype", ir::typeAttr(info->dtype)}})));
    for (size_t i = block_.bindings.size(); i-- > 0;) {
      const auto binding = cast<relax::VarBinding>(block_.bindings[i]);
      if (adjoints_.contains(binding->var.get())) RX_CHECK(visit(*binding));
    }
    return Unit{};
  }

  /// The adjoint as an output of the block: of what nothing depends on, zeros.
  Result<Expr> output(const VarRef& var) {
    if (!adjoints_.contains(var.get())) {
      const Expr zeros = zerosLike(var->sinfo);
      if (!zeros) return refused(var->span, fmt::format("the shape of {} is not known", var->name.view()));
      RX_CHECK(update(var, zeros));
    }
    return Expr(builder_.emitOutput(adjoints_.at(var.get()), Str(var->name.string() + "_adjoint_out")));
  }

 private:
  Result<Unit> visit(const relax::VarBinding& binding) {
    const Expr adjoint = adjoints_.at(binding.var.get());
    const Expr& value = binding.value;
    if (isa<relax::Constant>(value)) return Unit{};
    if (isa<relax::Var>(value) || isa<relax::Tuple>(value)) return update(value, adjoint);
    if (const auto* item = as<relax::TupleGetItem>(value)) return updateField(*item, adjoint);
    const auto* call = as<relax::Call>(value);
    if (!call) return refused(binding.span, "only calls, tuples, their fields and variables have a gradient");
    return isa<relax::Op>(call->op) ? updateArguments(binding, *call, adjoint) : Result<Unit>(Unit{});
  }

  Result<Unit> updateArguments(const relax::VarBinding& binding, const relax::Call& call, const Expr& adjoint) {
    const std::string_view name = as<relax::Op>(call.op)->name.view();
    const GradientRule rule = gradientRule(name);
    const auto [value, ready] = recomputation_.ready(binding.var, binding.value);
    if (!rule) return refused(call.span, fmt::format("{} has no gradient", name));
    const auto* readyCall = as<relax::Call>(ready);
    RX_TRY(partials, rule({value, *readyCall, adjoint, normalizer_}));
    if (partials.size() != call.args.size()) {
      return refused(call.span,
                     fmt::format("{} has gradients for {} arguments, not {}", name, partials.size(), call.args.size()));
    }
    for (size_t i = 0; i < partials.size(); ++i) {
      if (partials[i]) RX_CHECK(update(call.args[i], partials[i]));
    }
    return Unit{};
  }

  Result<Unit> updateField(const relax::TupleGetItem& item, const Expr& adjoint) {
    const auto tuple = refAs<relax::Var>(item.tuple);
    if (!tuple) return refused(item.span, "a field is taken of what is no variable");
    auto known = adjoints_.find(tuple.get());
    const Expr whole = known == adjoints_.end() ? zerosLike(tuple->sinfo) : known->second;
    if (!whole) return refused(item.span, fmt::format("a shape in {} is not known", tuple->name.view()));
    std::vector<Expr> fields = fieldsOf(whole);
    Expr& field = fields[static_cast<size_t>(item.index)];
    field = known == adjoints_.end() ? adjoint : sumOf(field, adjoint);
    emit(tuple, make<relax::Tuple>(Array<Expr>(std::move(fields))));
    return Unit{};
  }

  /// Adds to the adjoints of what the expression, an argument or a tuple, is made of.
  Result<Unit> update(const Expr& expr, const Expr& partial) { return updateReady(expr, normalizer_.normal(partial)); }
  Result<Unit> updateReady(const Expr& expr, const Expr& partial) {
    if (const auto* tuple = as<relax::Tuple>(expr)) {
      const std::vector<Expr> fields = fieldsOf(partial);
      for (size_t i = 0; i < tuple->items.size(); ++i) {
        RX_CHECK(withStack([&] { return updateReady(tuple->items[i], fields[i]); }));
      }
      return Unit{};
    }
    if (isa<relax::Constant>(expr)) return Unit{};
    const auto var = refAs<relax::Var>(expr);
    if (!var) return refused(expr->span, "only variables and constants have an adjoint");
    auto known = adjoints_.find(var.get());
    emit(var, known == adjoints_.end() ? partial : sumOf(known->second, partial));
    return Unit{};
  }
  void emit(const VarRef& var, const Expr& adjoint) {
    adjoints_[var.get()] = builder_.emit(normalizer_.normal(adjoint), Str(var->name.string() + "_adjoint"));
  }

  build::BlockBuilder& builder_;
  const relax::BindingBlock& block_;
  SharedNormalizer normalizer_;
  Recomputation recomputation_;
  std::unordered_map<const relax::Var*, Expr> adjoints_;
};

/// The result that is differentiated: a float scalar.
Result<VarRef> targetOf(const relax::Function& function, int64_t index) {
  const Expr& result = function.body->body;
  const auto* tuple = as<relax::Tuple>(result);
  const int64_t count = tuple ? static_cast<int64_t>(tuple->items.size()) : 1;
  if (index < 0 || index >= count) {
    return refused(result->span, fmt::format("target_index is {}, and the function has {} results", index, count));
  }
  const auto target = refAs<relax::Var>(tuple ? tuple->items[static_cast<size_t>(index)] : result);
  if (!target) return refused(result->span, "the target of a differentiation is a variable");
  const auto* info = as<relax::TensorStructInfo>(target->sinfo);
  const Array<tir::PrimExpr>* dims = op::dimsOf(target->sinfo);
  if (!dims || !dims->empty() || info->dtype.code != TypeCode::Float) {
    return refused(result->span,
                   fmt::format("the target {} of a differentiation is a float scalar", target->name.view()));
  }
  return target;
}

bool isFloat(const StructInfo& info) {
  if (const auto* tensor = as<relax::TensorStructInfo>(info)) return tensor->dtype.code == TypeCode::Float;
  const auto* tuple = as<relax::TupleStructInfo>(info);
  return tuple && std::ranges::all_of(tuple->items,
                                      [](const StructInfo& item) { return withStack([&] { return isFloat(item); }); });
}

/// The variables that `require_grads` names, parameters or others: all parameters where it names none.
Result<std::vector<VarRef>> requiredVars(const relax::Function& function, const ir::Attrs& options) {
  const NodeRef given = ir::attrOf(options, "require_grads");
  const auto* list = as<ir::ArrayAttr>(given);
  if (!list) return function.params.vector();
  std::vector<VarRef> all = function.params.vector(), required;
  for (const relax::BlockRef& block : function.body->blocks) {
    for (const relax::Binding& binding : block->bindings) all.push_back(binding->var);
  }
  for (const NodeRef& item : list->items) {
    const auto* name = as<ir::StrAttr>(item);
    const auto var = std::ranges::find_if(all, [&](const VarRef& v) { return name && v->name == name->value; });
    if (var == all.end()) return fail("pass.option-value", "require_grads names variables of the function");
    if (std::ranges::find(required, *var) != required.end()) {
      return fail("pass.option-value", fmt::format("require_grads names {} twice", (*var)->name.view()));
    }
    if (!isFloat((*var)->sinfo)) {
      return fail("pass.option-value", fmt::format("{} is no float tensor, nor a tuple of them", (*var)->name.view()));
    }
    required.push_back(*var);
  }
  return required;
}

Result<relax::FunctionRef> adjointFunction(const relax::FunctionRef& original, const ir::Attrs& options,
                                           build::ModuleContext& context) {
  const relax::FunctionRef copy = withFreshVars(original);
  RX_TRY(required, requiredVars(*copy, options));
  RX_TRY(checkpoints, findCheckpoints(copy, context));
  const relax::Function& function = *checkpoints.function;
  const auto& blocks = function.body->blocks;
  if (blocks.size() != 1 || !blocks[0]->isDataflow()) {
    return refused(function.span, "only a function that is one dataflow block can be differentiated");
  }
  RX_TRY(target, targetOf(function, pass::numberOf(options, "target_index")));
  build::BlockBuilder builder(&context);
  builder.beginFunction(function.params);
  builder.beginDataflow();
  for (const relax::Binding& binding : blocks[0]->bindings) builder.emitBinding(binding);
  BackwardWriter backward(builder, checkpoints, *blocks[0]);
  RX_CHECK(backward.run(target));
  std::vector<Expr> adjoints;
  for (const VarRef& var : required) {
    auto now = checkpoints.now.find(var.get());
    RX_TRY(adjoint, backward.output(now == checkpoints.now.end() ? var : cast<relax::Var>(now->second)));
    adjoints.push_back(adjoint);
  }
  builder.endDataflow();
  const Expr result =
      make<relax::Tuple>(Array<Expr>{function.body->body, Expr(make<relax::Tuple>(Array<Expr>(std::move(adjoints))))});
  const relax::FunctionRef made = builder.endFunction(result, nullptr, function.isPure, function.attrs);
  if (builder.failed()) return fail(builder.takeDiagnostics());
  return made;
}

}  // namespace

Result<ir::Module> gradient(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  const std::string_view name = ir::strAttrOf(options_, "func_name");
  const auto function = refAs<relax::Function>(module->find(name));
  if (!function) return fail("pass.option-value", fmt::format("func_name: the module has no Relax function {}", name));
  if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
  build::ModuleContext moduleContext(module);
  moduleContext.setCancel(context.cancel);
  RX_TRY(differentiated, adjointFunction(function, options_, moduleContext));
  // What has a gradient of its own is called as anything else.
  auto plain = [](const relax::Call& call, build::BlockBuilder&) -> Expr {
    if (!isOp(Ref<relax::Call>(&call), "relax.call_tir_with_grad")) return nullptr;
    return make<relax::Call>(op::opRef("relax.call_tir"), call.args, nullptr, call.sinfoArgs);
  };
  RX_TRY(called, rewriteCalls(differentiated, "Gradient", moduleContext, plain));
  RX_TRY(needed, removeUnusedBindings(called, moduleContext, module.get()));
  RX_TRY(simple, simplifyGradient(needed, moduleContext, module.get()));
  const std::string adjoint = fmt::format("{}_adjoint", name);
  moduleContext.add(ir::withFunctionAttr(simple, "global_symbol", ir::strAttr(Str(adjoint))), adjoint);
  return moduleContext.module();
}

}  // namespace rx::transform
