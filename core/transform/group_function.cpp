#include "core/transform/group_function.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/forward_graph.h"
#include "core/analysis/free_vars.h"
#include "core/transform/bind.h"
#include "core/transform/calls.h"

namespace rx::transform {

namespace {

using relax::Expr;
using relax::VarRef;

constexpr std::string_view kFused = "fused_";

/// Numbers and shapes without symbols, and tuples of them: written where they are used, and never handed over.
bool isInlined(const Expr& expr) {
  if (const auto* tuple = as<relax::Tuple>(expr))
    return std::all_of(tuple->items.begin(), tuple->items.end(), isInlined);
  return (isa<relax::PrimValue>(expr) || isa<relax::ShapeExpr>(expr)) && analysis::freeSymbols(expr).empty();
}

bool isTuple(const Expr& expr) { return isa<relax::TupleStructInfo>(expr->sinfo); }

/// What a call adds to the name of the function; empty where it has none.
std::string nameOf(const relax::Call& call) {
  if (isOp(Ref<relax::Call>(&call), "relax.call_tir") || isOp(Ref<relax::Call>(&call), "relax.call_tir_inplace")) {
    const auto* kernel = call.args.empty() ? nullptr : as<relax::GlobalVar>(call.args[0]);
    return kernel ? "_" + kernel->name.string() : std::string();
  }
  if (const auto* op = as<relax::Op>(call.op)) {
    std::string name = "_" + op->name.string();
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
  }
  const auto* callee = as<relax::GlobalVar>(call.op);
  if (!callee) return {};
  std::string_view name = callee->name.view();
  if (name.starts_with(kFused)) name.remove_prefix(kFused.size());
  return fmt::format("_{}", name);
}

}  // namespace

void GroupFunction::append(const relax::Binding& binding) {
  bindings_.push_back(binding);
  const auto* bound = as<relax::VarBinding>(binding);
  if (!bound) return;
  if (const auto* call = as<relax::Call>(bound->value)) {
    appendCall(*call);
  } else if (const auto* field = as<relax::TupleGetItem>(bound->value)) {
    appendField(*bound, *field);
  }
  defined_.insert(binding->var.get());
  if (!isa<relax::DataflowVar>(binding->var)) addOutput(binding->var);
}

void GroupFunction::appendCall(const relax::Call& call) {
  name_ += nameOf(call);
  for (const Expr& arg : analysis::kernelArguments(call)) {
    if (const auto* tuple = as<relax::Tuple>(arg)) {
      for (const Expr& field : tuple->items) need(field);
    } else {
      need(arg);
    }
    if (isTuple(arg)) fieldsUsed_.erase(arg.get());
  }
}

void GroupFunction::appendField(const relax::VarBinding& binding, const relax::TupleGetItem& field) {
  need(field.tuple);
  auto used = fieldsUsed_.find(field.tuple.get());
  if (used != fieldsUsed_.end()) used->second.push_back(&binding);
}

const relax::VarBinding* GroupFunction::fieldBinding(const Expr& argument) const {
  auto found = fieldBindings_.find(argument.get());
  return found == fieldBindings_.end() ? nullptr : found->second;
}

void GroupFunction::addOutput(const VarRef& var) {
  if (!defined_.contains(var.get())) return;
  if (std::find(outputs_.begin(), outputs_.end(), var) == outputs_.end()) outputs_.push_back(var);
}

void GroupFunction::need(const Expr& expr) {
  const auto* var = as<relax::Var>(expr);
  const bool ours = var ? defined_.contains(var) : isa<relax::Constant>(expr) && !liftConstants_;
  if (ours || paramOf_.contains(expr.get())) return;
  const Str name = var ? var->name : Str(fmt::format("param_{}", constants_++));
  if (isInlined(expr)) return;
  addParameter(expr, make<relax::Var>(name, expr->sinfo));
  if (isTuple(expr)) fieldsUsed_[expr.get()];
}

void GroupFunction::addParameter(Expr argument, VarRef param) {
  paramOf_[argument.get()] = param;
  arguments_.push_back(std::move(argument));
  params_.push_back(std::move(param));
}

void GroupFunction::splitTuples() {
  if (fieldsUsed_.empty()) return;
  const std::vector<Expr> arguments = std::exchange(arguments_, {});
  const std::vector<VarRef> params = std::exchange(params_, {});
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Expr& tuple = arguments[i];
    auto used = fieldsUsed_.find(tuple.get());
    if (used == fieldsUsed_.end()) {
      addParameter(tuple, params[i]);
      continue;
    }
    const auto* info = as<relax::TupleStructInfo>(tuple->sinfo);
    for (const relax::VarBinding* binding : used->second) {
      const int64_t index = as<relax::TupleGetItem>(binding->value)->index;
      const relax::StructInfo& field = info->items[static_cast<size_t>(index)];
      auto param = make<relax::Var>(Str(fmt::format("{}_{}", params[i]->name.view(), index)), field);
      fieldParams_[tuple.get()][index] = param;
      addParameter(make<relax::TupleGetItem>(tuple, index, field), param);
      fieldBindings_[arguments_.back().get()] = binding;
    }
  }
}

void GroupFunction::addSymbols() {
  const Expr& value = outputs_.front();
  auto body = make<relax::SeqExpr>(
      Array<relax::BlockRef>{relax::BlockRef(make<relax::DataflowBlock>(Array<relax::Binding>(bindings_)))}, value);
  auto draft = make<relax::Function>(Array<VarRef>(params_), body, value->sinfo, true, nullptr);
  std::vector<tir::PrimExpr> free;
  for (const tir::VarRef& symbol : analysis::freeSymbols(draft)) free.push_back(symbol);
  if (free.empty()) return;
  auto shape = make<relax::ShapeExpr>(Array<tir::PrimExpr>(std::move(free)));
  addParameter(shape, make<relax::Var>("tir_vars", shape->sinfo));
}

Result<relax::FunctionRef> GroupFunction::create(const ir::Attrs& attrs) {
  if (outputs_.empty()) return relax::FunctionRef();
  splitTuples();
  addSymbols();
  builder.beginFunction(Array<VarRef>(params_));
  builder.beginDataflow();
  for (const relax::Binding& binding : bindings_) visitBinding(binding);
  builder.endDataflow();
  // A binding that failed, or was not reached before somebody cancelled, gave no result.
  if (builder.failed()) return fail(builder.takeDiagnostics());
  std::vector<Expr> results;
  for (const VarRef& output : outputs_) results.push_back(results_.at(output.get()));
  const Expr value = results.size() == 1 ? results[0] : make<relax::Tuple>(Array<Expr>(std::move(results)));
  relax::FunctionRef function =
      builder.endFunction(value, nullptr, true, ir::withAttr(attrs, Str("Primitive"), ir::boolAttr(true)));
  if (builder.failed()) return fail(builder.takeDiagnostics());
  // Variables move here from the function that the group was in; symbols may still be used there.
  const bool symbolic = std::any_of(params_.begin(), params_.end(),
                                    [](const VarRef& param) { return !op::symbolsIn(param->sinfo).empty(); });
  return symbolic ? withFreshVars(function) : function;
}

Expr GroupFunction::visit(const Expr& expr) {
  auto param = paramOf_.find(expr.get());
  return param == paramOf_.end() ? Mutator::visit(expr) : Expr(param->second);
}

void GroupFunction::visitVarBinding(const Ref<relax::VarBinding>& binding) {
  const bool isOutput = std::find(outputs_.begin(), outputs_.end(), binding->var) != outputs_.end();
  if (const auto* field = as<relax::TupleGetItem>(binding->value)) {
    auto fields = fieldParams_.find(field->tuple.get());
    if (fields != fieldParams_.end()) {
      const VarRef& param = fields->second.at(field->index);
      mapVar(binding->var, param);
      if (isOutput) results_[binding->var.get()] = param;
      return;
    }
  }
  if (!isOutput) return Mutator::visitVarBinding(binding);
  const VarRef result = builder.emitOutput(visit(binding->value), binding->var->name);
  mapVar(binding->var, result);
  results_[binding->var.get()] = result;
}

}  // namespace rx::transform
