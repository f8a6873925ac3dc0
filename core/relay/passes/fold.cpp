#include "core/relay/passes/fold.h"

#include <array>
#include <unordered_set>

#include "core/relay/passes/evaluate.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// Operators that move values, or ask what only the run time knows.
constexpr std::array<std::string_view, 11> kKept = {"on_device",           "device_copy",       "shape_of",
                                                    "vm.shape_of",         "ndarray_size",      "call_lowered",
                                                    "vm.invoke_tvm_op",    "vm.reshape_tensor", "memory.alloc_storage",
                                                    "memory.alloc_tensor", "memory.kill"};

const Expr& withoutDevice(const Expr& expr) { return isCallOf(expr, "on_device") ? as<Call>(expr)->args[0] : expr; }

/// Shapes that are known make the operators that ask for them constant.
Expr askedShape(const Call& call, std::string_view op) {
  if (op != "shape_of" && op != "vm.shape_of" && op != "ndarray_size") return nullptr;
  const auto shape = extentsOf(withoutDevice(call.args[0]));
  const DataType given = DataType::parse(textAttrOf(call, "dtype")).value_or(DataType::Int(32));
  const DataType dtype = given.isVoid() ? DataType::Int(32) : given;  // as the relation has it
  if (!shape) return nullptr;
  std::vector<double> values(shape->begin(), shape->end());
  if (op != "ndarray_size") return shape->empty() ? number(0, dtype) : reals(values, dtype);
  double count = 1;
  for (double extent : values) count *= extent;
  return number(count, dtype);
}

}  // namespace

bool isConstant(const Expr& expr) {
  std::vector<Expr> waiting{expr};
  while (!waiting.empty()) {
    const Expr at = withoutDevice(waiting.back());
    waiting.pop_back();
    if (const auto* tuple = as<Tuple>(at)) {
      waiting.insert(waiting.end(), tuple->items.begin(), tuple->items.end());
    } else if (!constantData(at)) {
      return false;
    }
  }
  return true;
}

Expr foldedCall(const ir::Module& module, const Expr& call, const CancelToken& cancel) {
  const Expr plain = refAs<relax::ExprNode>(rewriteGraph(call, nullptr, [](const NodeRef&, const NodeRef& each) {
    const auto expr = refAs<relax::ExprNode>(each);
    return expr ? NodeRef(withoutDevice(expr)) : each;
  }));
  EvaluateOptions options;
  options.cancel = cancel;
  const Result<Expr> value = evaluateClosed(module, plain, options);
  if (!value) return call;
  if (const Ref<HostTensor> data = constantData(*value)) return constantOf(data);
  auto* typed = new Tuple(*as<Tuple>(*value));
  typed->sinfo = call->sinfo;
  return Ref<Tuple>(typed);
}

FunctionRef ConstantFolder::run(const FunctionRef& function) {
  // Operands come first, so the value of a variable is known before what it is used in.
  std::unordered_map<const Node*, const Let*> lets;
  for (const Expr& expr : postOrder(function)) {
    if (const auto* let = as<Let>(expr)) lets[let->value.get()] = let;
  }
  std::unordered_set<const Node*> inside;  // what kernels are made of stays as it is
  for (const Expr& expr : postOrder(function)) {
    const auto* kernel = as<Function>(expr);
    if (!kernel || ir::intAttrOf(kernel->attrs, "Primitive", 0) == 0) continue;
    for (const Expr& part : postOrder(expr)) inside.insert(part.get());
  }
  for (const Expr& expr : postOrder(function)) {
    if (cancel_.cancelled()) return function;
    done_[expr.get()] = inside.contains(expr.get()) && !isa<Constant>(expr) && !isa<Op>(expr) ? expr : rewritten(expr);
    const auto bound = lets.find(expr.get());
    if (bound != lets.end() && constantData(withoutDevice(now(expr)))) values_[bound->second->var.get()] = now(expr);
  }
  return refAs<Function>(now(function));
}

Expr ConstantFolder::now(const Expr& expr) const {
  const auto value = values_.find(expr.get());
  return value != values_.end() ? value->second : done_.at(expr.get());
}

Expr ConstantFolder::rewritten(const Expr& expr) {
  if (const auto* call = as<Call>(expr)) return rewrittenCall(*call);
  if (const auto* tuple = as<Tuple>(expr)) {
    std::vector<Expr> items;
    for (const Expr& item : tuple->items) items.push_back(now(item));
    return std::equal(items.begin(), items.end(), tuple->items.begin()) ? expr : tupleOf(std::move(items));
  }
  if (const auto* item = as<TupleGetItem>(expr)) {
    const Expr whole = now(item->tuple);
    const auto* tuple = as<Tuple>(withoutDevice(whole));
    if (tuple && static_cast<size_t>(item->index) < tuple->items.size()) {
      return tuple->items[static_cast<size_t>(item->index)];
    }
    return whole == item->tuple ? expr : itemOf(whole, item->index);
  }
  if (const auto* let = as<Let>(expr)) {
    if (values_.contains(let->var.get())) return now(let->body);
  }
  if (const auto* branch = as<If>(expr)) {
    const Ref<HostTensor> condition = constantData(withoutDevice(now(branch->cond)));
    if (condition && condition->count() == 1) {
      return now(condition->intAt(0) != 0 ? branch->trueBranch : branch->falseBranch);
    }
  }
  std::vector<Expr> operands;
  appendOperands(*expr, operands);
  for (Expr& operand : operands) operand = now(operand);
  return operands.empty() ? expr : withOperands(expr, operands);
}

Expr ConstantFolder::rewrittenCall(const Call& call) {
  const Ref<Call> before(&call);
  const OpRow* row = calledOperator(before);
  std::vector<Expr> args;
  for (const Expr& arg : call.args) args.push_back(now(arg));
  if (!row) {
    args.push_back(now(call.op));
    return withOperands(before, args);
  }
  const bool same = std::equal(args.begin(), args.end(), call.args.begin());
  const Ref<Call> made = same && call.sinfo ? before : refAs<Call>(callAgain(call, std::move(args), call.attrs));
  const Expr other = options_.rewrite ? options_.rewrite(made) : nullptr;
  if (!other) return foldedOrSame(made, *row);
  const OpRow* by = calledOperator(other);
  return by ? foldedOrSame(refAs<Call>(other), *by) : other;
}

Expr ConstantFolder::foldedOrSame(const Ref<Call>& call, const OpRow& row) const {
  if (call->args.empty() || row.stateful) return call;
  if (const Expr shape = askedShape(*call, row.name)) return shape;
  const bool isKept = std::find(kKept.begin(), kKept.end(), row.name) != kKept.end() ||
                      (row.name.starts_with("qnn.") && !options_.foldsQuantized);
  if (isKept || !std::all_of(call->args.begin(), call->args.end(), isConstant)) return call;
  return foldedCall(module_, call, cancel_);
}

Result<ir::Module> foldConstant(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  const bool foldsQuantized = ir::boolAttrOf(given, "fold_qnn", false);
  return onTypedFunctions(module, context, [&](const FunctionRef& function) -> Result<FunctionRef> {
    return ConstantFolder(module, context.cancel, {foldsQuantized, nullptr}).run(function);
  });
}

Result<ir::Module> foldScaleAxis(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  RX_TRY(backward, backwardFoldScaleAxis(module, nullptr, context));
  RX_TRY(forward, forwardFoldScaleAxis(backward, nullptr, context));
  return foldConstant(forward, nullptr, context);
}

}  // namespace rx::relay
