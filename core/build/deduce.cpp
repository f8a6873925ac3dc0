#include "core/build/deduce.h"

#include <fmt/format.h>

#include "core/op/distributed_infer.h"
#include "core/op/op_table.h"
#include "core/op/sinfo_text.h"

namespace rx::build {

using namespace relax;

StructInfo calleeSinfo(const Expr& callee, const op::InferContext& context) {
  if (const auto* var = as<GlobalVar>(callee)) {
    if (ir::BaseFunc function = context.functionOf(var)) return function->sinfo;
  }
  return callee->sinfo;
}

bool isPureCall(const Call& call, const op::InferContext& context) {
  if (const op::OpRow* row = op::rowOf(call)) return row->pure();
  StructInfo info = calleeSinfo(call.op, context);
  const auto* func = as<FuncStructInfo>(info);
  return func && func->purity;
}

Result<StructInfo> deduceCall(const Call& call, op::InferContext& context) {
  if (const op::OpRow* row = op::rowOf(call)) {
    if (op::hasDistributedArg(call)) {
      if (op::InferRule rule = op::distributedRule(*row)) return rule(call, context);
    }
    return row->spec.infer(call, context);
  }
  StructInfo info = calleeSinfo(call.op, context);
  if (isa<Op>(call.op)) {
    return fail(errorAt(call.span, "relax.call", fmt::format("{} is no Relax operator", as<Op>(call.op)->name.view())));
  }
  const auto* func = as<FuncStructInfo>(info);
  if (!info && isa<GlobalVar>(call.op)) {  // a function of the outside: the text does not say what it gives
    return op::statedResult(call, objectSinfo());
  }
  if (!func) {
    return fail(
        errorAt(call.span, "relax.call", fmt::format("the callee must be a function, but is {}", op::sinfoText(info))));
  }
  if (!call.sinfoArgs.empty() && !func->paramsKnown) return op::statedResult(call, func->ret);
  return op::deriveCallResult(*func, call, context);
}

namespace {

Result<StructInfo> deduceItem(const TupleGetItem& item) {
  const StructInfo& info = item.tuple->sinfo;
  if (const auto* tuple = as<TupleStructInfo>(info)) {
    if (item.index < 0 || static_cast<size_t>(item.index) >= tuple->items.size()) {
      return fail(errorAt(item.span, "relax.tuple-index",
                          fmt::format("index {} is out of range for a tuple of {}", item.index, tuple->items.size())));
    }
    return tuple->items[static_cast<size_t>(item.index)];
  }
  if (isa<ObjectStructInfo>(info)) return objectSinfo();
  return fail(
      errorAt(item.span, "relax.tuple-index", fmt::format("only a tuple has items, this is {}", op::sinfoText(info))));
}

StructInfo tupleOf(const Tuple& tuple) {
  std::vector<StructInfo> items;
  items.reserve(tuple.items.size());
  for (const Expr& item : tuple.items) items.push_back(item->sinfo);
  return tupleSinfo(Array<StructInfo>(std::move(items)));
}

}  // namespace

Result<StructInfo> deduce(const Expr& expr, op::InferContext& context) {
  if (expr->sinfo) return expr->sinfo;
  if (const auto* call = as<Call>(expr)) return deduceCall(*call, context);
  if (const auto* tuple = as<Tuple>(expr)) return tupleOf(*tuple);
  if (const auto* item = as<TupleGetItem>(expr)) return deduceItem(*item);
  if (const auto* branch = as<If>(expr)) {
    return op::unifyStructInfo(branch->trueBranch->sinfo, branch->falseBranch->sinfo, context);
  }
  if (const auto* var = as<GlobalVar>(expr)) {
    if (StructInfo info = calleeSinfo(expr, context)) return info;
    return fail(
        errorAt(expr->span, "relax.undefined-function", fmt::format("nothing is known of '{}'", var->name.view())));
  }
  return fail(errorAt(expr->span, "relax.infer", "an operator can only be called"));
}

}  // namespace rx::build
