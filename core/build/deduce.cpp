#include "core/build/deduce.h"

#include <fmt/format.h>

#include "core/build/loose_argument.h"
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

std::optional<size_t> looseArgument(const Call& call, op::InferContext& context) {
  const auto* global = as<GlobalVar>(call.op);
  const ir::BaseFunc function = global ? context.functionOf(global) : nullptr;
  const auto* signature = isa<tir::PrimFunc>(function) ? as<FuncStructInfo>(function->sinfo) : nullptr;
  if (!signature || !signature->paramsKnown || signature->params.size() != call.args.size()) return std::nullopt;
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (op::baseCheck(signature->params[i], call.args[i]->sinfo, context) == op::BaseCheck::FailL1) return i;
  }
  return std::nullopt;
}

namespace {
/// The call with loose arguments taken for what the kernel asks for.
Result<StructInfo> deduceLoose(const FuncStructInfo& kernel, const Call& call, op::InferContext& context) {
  std::vector<Expr> args(call.args.begin(), call.args.end());
  for (size_t i = 0; i < args.size(); ++i) {
    if (op::baseCheck(kernel.params[i], args[i]->sinfo, context) == op::BaseCheck::FailL1)
      args[i] = make<Var>(Str(), kernel.params[i]);
  }
  return op::deriveCallResult(kernel, args, call, context);
}

/// The rule of the operator, or the signature of the callee.
Result<StructInfo> deduceByRule(const Call& call, op::InferContext& context) {
  if (const op::OpRow* row = op::rowOf(call)) {
    if (op::hasDistributedArg(call)) {
      if (op::AxisMap map = op::axisMapOf(*row)) return op::inferDistributed(call, map, context);
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
  Result<StructInfo> derived = op::deriveCallResult(*func, call, context);
  return derived || !looseArgument(call, context) ? derived : deduceLoose(*func, call, context);
}
}  // namespace

bool hasUnknownArgument(const Call& call) {
  std::vector<const StructInfoNode*> work;
  for (const Expr& arg : call.args) work.push_back(arg->sinfo.get());
  while (!work.empty()) {
    const StructInfoNode* info = work.back();
    work.pop_back();
    if (!info || isa<ObjectStructInfo>(info)) return true;
    const auto* tensor = as<TensorStructInfo>(info);
    if (tensor && (tensor->dtype.isVoid() || !tensor->shape)) return true;
    if (const auto* tuple = as<TupleStructInfo>(info)) {
      for (const StructInfo& item : tuple->items) work.push_back(item.get());
    }
  }
  return false;
}

namespace {
/// The call with its constants that the text leaves out taken for tensors of one rank and type; null where it has none.
Ref<Call> guessed(const Call& call, int64_t rank, DataType type) {
  std::vector<Expr> args(call.args.begin(), call.args.end());
  const StructInfo info =
      rank == 0 ? tensorSinfo(std::span<const tir::PrimExpr>(), type) : StructInfo(make<TensorStructInfo>(type, rank));
  bool any = false;
  for (Expr& arg : args) {
    const auto* constant = as<Constant>(arg);
    if (!constant || constant->data) continue;
    arg = make<Constant>(Ref<HostTensor>(), info);
    any = true;
  }
  if (!any) return nullptr;
  auto* made = new Call(call);
  made->args = Array<Expr>(std::move(args));
  return Ref<Call>(made);
}

/// A constant that the text leaves out may be just what the rule asks for, and so may all that is made of it: what the
/// rule gives for some rank of the constants, of any type or of that of the other arguments, else what the call itself
/// says.
StructInfo deduceOfUnknown(const Call& call, op::InferContext& context) {
  constexpr int64_t kMostRank = 4;
  DataType known = DataType::Void();
  for (const Expr& arg : call.args) {
    const auto* tensor = as<TensorStructInfo>(arg->sinfo);
    if (tensor && known.isVoid()) known = tensor->dtype;
  }
  for (int64_t at = 0; at <= 2 * kMostRank + 1; ++at) {
    const Ref<Call> guess = guessed(call, at / 2, at % 2 ? known : DataType::Void());
    if (!guess) break;
    if (Result<StructInfo> info = deduceByRule(*guess, context)) return *info;
  }
  return op::statedResult(call, objectSinfo());
}
}  // namespace

Result<StructInfo> deduceCall(const Call& call, op::InferContext& context) {
  Result<StructInfo> info = deduceByRule(call, context);
  if (!info && context.missesConstants() && hasUnknownArgument(call)) return deduceOfUnknown(call, context);
  return info;
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
