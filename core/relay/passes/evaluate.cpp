#include "core/relay/passes/evaluate.h"

#include <fmt/format.h>

#include <unordered_set>

#include "core/evaluate/evaluate.h"
#include "core/relay/passes/to_relax.h"
#include "core/relay/rewrite.h"
#include "core/support/stack.h"

namespace rx::relay {

namespace {

constexpr std::string_view kName = "evaluated";

/// The expression as the function of that name, and what it calls.
ir::Module moduleOf(const ir::IRModule& module, const Expr& expr) {
  std::vector<ir::IRModule::Entry> entries;
  entries.emplace_back(make<relax::GlobalVar>(Str(kName)), make<Function>(Array<VarRef>(), expr, nullptr));
  std::unordered_set<std::string_view> reached;
  for (size_t i = 0; i < entries.size(); ++i) {
    const auto function = refAs<Function>(entries[i].second);
    if (!function) continue;
    for (const std::string_view name : globalsIn(function)) {
      if (!reached.insert(name).second) continue;
      const relax::GlobalVarRef var = module.findVar(name);
      if (var) entries.emplace_back(var, module.find(var.get()));
    }
  }
  return module.with(std::move(entries));
}

bool isTooLarge(const relax::StructInfo& info, int64_t most) {
  if (const auto* tuple = as<relax::TupleStructInfo>(info)) {
    return std::any_of(tuple->items.begin(), tuple->items.end(), [&](const relax::StructInfo& item) {
      return withStack([&] { return isTooLarge(item, most); });
    });
  }
  const auto* tensor = as<relax::TensorStructInfo>(info);
  const auto* shape = tensor ? as<relax::ShapeExpr>(tensor->shape) : nullptr;
  int64_t count = 1;
  for (size_t i = 0; shape && i < shape->values.size(); ++i) {
    const auto length = tir::asInt(shape->values[i]);
    if (!length || *length == 0) return false;
    if (*length > most / count) return true;
    count *= *length;
  }
  return false;
}

Result<Expr> exprOf(const vm::Value& value, int64_t most) {
  if (value.is(vm::ValueKind::Tensor)) {
    if (value.tensor().count() > most) return fail("relay.evaluate", "the value has too many elements");
    return Expr(make<Constant>(value.asTensor()));
  }
  if (!value.is(vm::ValueKind::Tuple) || value.tupleTag() != vm::TupleObject::kPlain) {
    return fail("relay.evaluate", fmt::format("this is no constant: {}", value.summary()));
  }
  std::vector<Expr> items;
  for (const vm::Value& item : value.asTuple()) {
    RX_TRY(part, withStack([&] { return exprOf(item, most); }));
    items.push_back(part);
  }
  return Expr(make<Tuple>(Array<Expr>(std::move(items))));
}

}  // namespace

Result<Expr> evaluateClosed(const ir::Module& module, const Expr& expr, const EvaluateOptions& options) {
  RX_TRY(translated, toRelaxModule(moduleOf(*module, expr), options.cancel));
  const auto function = refAs<relax::Function>(translated->find(kName));
  if (isTooLarge(function->retSinfo, options.maxElements)) {
    return fail("relay.evaluate", fmt::format("the value has more than {} elements", options.maxElements));
  }
  interpret::Options run;
  run.around.cancel = options.cancel;
  run.maxSteps = options.maxSteps;
  RX_TRY(value, evaluate::valueOf(translated, kName, {}, run));
  return exprOf(value, options.maxElements);
}

}  // namespace rx::relay
