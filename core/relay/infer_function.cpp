#include "core/relay/infer_function.h"

#include "core/ir/structural_equal.h"
#include "core/relay/device.h"
#include "core/relay/exhaustive.h"
#include "core/relay/relations.h"
#include "core/relay/rewrite.h"
#include "core/relay/text.h"
#include "core/support/nearest.h"

namespace rx::relay {

const TypeData* Surroundings::typeOf(const GlobalTypeVar& name) const {
  const NodeRef found = ir::attrOf(module.types, name.name.view());
  return as<TypeData>(found);  // the module holds it
}

std::nullptr_t FunctionInference::refuse(Span place, const char* rule, std::string message) {
  solver_.refuse(errorAt(place, rule, std::move(message)));
  return nullptr;
}

Result<Unit> FunctionInference::run(const FunctionRef& function) {
  if (!collect(function) || !solver_.solve(cancel_) || !solver_.findings().empty()) return fail(solver_.findings());
  checkComplete();
  if (!solver_.findings().empty()) return fail(solver_.findings());
  return Unit{};
}

bool FunctionInference::collect(const FunctionRef& function) {
  std::vector<Type> params;
  for (const VarRef& param : function->params) params.push_back(varType(param));
  own_ = make<FuncType>(function->typeParams, Array<Type>(std::move(params)),
                        function->retType ? function->retType : open());
  enter(function);
  while (!stack_.empty()) {
    if (cancel_.cancelled()) {
      refuse({}, "relay.cancelled", "type inference was cancelled");
      return false;
    }
    Frame& top = stack_.back();
    if (top.next < top.end) {
      beforeOperand(top);
      const Expr operand = operands_[top.next++];
      enter(operand);
      continue;
    }
    const Frame frame = std::move(top);
    stack_.pop_back();
    operands_.resize(frame.first);
    Type type = nodeType(frame);
    if (!type || !solver_.findings().empty()) return false;
    setType(frame.expr, std::move(type));
  }
  return static_cast<bool>(solver_.unify(own_, known(function), function->span));
}

void FunctionInference::enter(const Expr& expr) {
  if (types_.find(expr.get())) return;
  if (const auto* function = as<Function>(expr)) {
    for (const VarRef& param : function->params) varType(param);
  }
  const size_t first = operands_.size();
  const auto* call = as<Call>(expr);
  appendOperands(*expr, operands_);
  if (call && isa<Op>(call->op)) operands_.pop_back();  // what it does depends on the call
  stack_.push_back({expr, first, first, operands_.size()});
}

void FunctionInference::beforeOperand(const Frame& frame) {
  const size_t operand = frame.next - frame.first;
  if (const auto* let = as<Let>(frame.expr)) {
    if (operand == 0 && isa<Function>(let->value)) varType(let->var);
    if (operand != 1 || namesMemory(*let)) return;
    if (!let->var->typeAnnotation && !types_.find(let->var.get())) {  // it has the type of its value, known or not
      setType(let->var, known(let->value));
      return;
    }
    solver_.unify(varType(let->var), known(let->value), let->var->span, let->value->span);
  } else if (const auto* match = as<Match>(frame.expr)) {
    if (operand == 1) fitPatterns(*match);
  }
}

/// Whether the variable names the memory that a kernel wrote, as a tensor of as many elements. TVM checks nothing after
/// RemoveStandaloneReshapes, which leaves the declared shape of what was reshaped; kernels behind it read that one.
bool FunctionInference::namesMemory(const Let& let) {
  const auto placed = onDeviceOf(let.value);
  if (!placed || !let.var->typeAnnotation || !isCallOf(placed->body, "call_lowered") || !solver_.solve(cancel_))
    return false;
  const Type type = solver_.outermost(known(let.value));
  const auto* written = as<TensorType>(type);
  const auto* named = as<TensorType>(let.var->typeAnnotation);
  if (!written || !named || written->dtype != named->dtype || !same(product(written->shape), product(named->shape)))
    return false;
  varType(let.var);
  return true;
}

Type FunctionInference::varType(const VarRef& var) {
  if (const Type* type = types_.find(var.get())) return *type;
  Type type = var->typeAnnotation ? var->typeAnnotation : open();
  setType(var, type);
  return type;
}

void FunctionInference::setType(const Expr& expr, Type type) {
  order_.emplace_back(expr, type);
  types_.set(expr.get(), std::move(type));
}

Type FunctionInference::nodeType(const Frame& frame) {
  const Expr& expr = frame.expr;
  if (frame.first == frame.end) {
    if (Type leaf = leafType(expr)) return leaf;
    if (!solver_.findings().empty()) return nullptr;
  }
  if (const auto call = refAs<Call>(expr)) return callType(call);
  if (const auto* tuple = as<Tuple>(expr)) {
    std::vector<Type> items;
    for (const Expr& item : tuple->items) items.push_back(known(item));
    return make<TupleType>(Array<Type>(std::move(items)));
  }
  if (const auto item = refAs<TupleGetItem>(expr)) return itemType(item);
  if (const auto* let = as<Let>(expr)) return known(let->body);
  if (const auto* function = as<Function>(expr)) return functionLiteral(*function);
  if (const auto* match = as<Match>(expr)) return matchType(*match);
  if (const auto* branch = as<If>(expr)) {
    if (!solver_.unify(scalarType(DataType::Bool()), known(branch->cond), branch->cond->span)) return nullptr;
    return solver_.unify(known(branch->trueBranch), known(branch->falseBranch), expr->span, branch->falseBranch->span);
  }
  if (const auto* made = as<RefCreate>(expr)) return make<RefType>(known(made->value));
  const auto* read = as<RefRead>(expr);
  const auto* write = as<RefWrite>(expr);
  if (!read && !write) return refuse(expr->span, "relay.not-inferred", "an expression of this kind has no type");
  const Expr& ref = read ? read->ref : write->ref;
  const Type value = open();
  if (!solver_.unify(make<RefType>(value), known(ref), expr->span, ref->span)) return nullptr;
  if (read) return value;
  if (!solver_.unify(value, known(write->value), expr->span, write->value->span)) return nullptr;
  return make<TupleType>(Array<Type>());
}

/// Null (without a finding) for what is no leaf.
Type FunctionInference::leafType(const Expr& expr) {
  if (const auto var = refAs<Var>(expr)) return varType(var);
  if (const auto* constant = as<Constant>(expr)) return constantType(*constant);
  if (const auto* global = as<relax::GlobalVar>(expr)) return globalType(*global);
  if (const auto* constructor = as<Constructor>(expr)) return constructorType(*constructor);
  const auto op = refAs<Op>(expr);
  return op ? operatorValue(op) : nullptr;
}

Type FunctionInference::constantType(const Constant& constant) {
  if (!constant.data) {
    const Type stated = refAs<TypeNode>(constant.sinfo);
    return stated ? stated : open();
  }
  std::vector<tir::PrimExpr> dims;
  for (int64_t extent : constant.data->shape()) dims.push_back(tir::intImm(extent));
  return tensorType(dims, constant.data->dtype());
}

Type FunctionInference::globalType(const relax::GlobalVar& global) {
  if (global.name == name_.name) return own_;
  const auto inferred = around_.functions.find(global.name.view());
  if (inferred != around_.functions.end()) return inferred->second;
  const ir::BaseFunc found = around_.module.find(&global);
  const auto* function = as<Function>(found);
  if (!function) {
    Nearest nearest(global.name.view());
    for (const auto& known : around_.module.vars) nearest.offer(known->name.view());
    Diagnostic unknown = errorAt(global.span, "relay.unknown-function",
                                 "the module has no function @" + global.name.string() + " of Relay");
    unknown.fix = nearest.fix("@");
    solver_.refuse(std::move(unknown));
    return nullptr;
  }
  std::vector<Type> params;
  for (const VarRef& param : function->params) {
    params.push_back(param->typeAnnotation ? param->typeAnnotation : open());
  }
  return make<FuncType>(function->typeParams, Array<Type>(std::move(params)),
                        function->retType ? function->retType : open());
}

Type FunctionInference::constructorType(const Constructor& constructor) {
  const TypeData* data = around_.typeOf(*constructor.belongTo);
  if (!data) {
    return refuse({}, "relay.unknown-type", "the module does not define " + constructor.belongTo->name.string());
  }
  return make<FuncType>(data->typeVars, constructor.inputs,
                        make<TypeCall>(constructor.belongTo, Array<Type>(data->typeVars)));
}

/// An operator that is not called: a function of as many arguments as it takes.
Type FunctionInference::operatorValue(const Ref<Op>& op) {
  const OpRow& row = rowOf(*op);
  if (row.inputs < 0) {
    return refuse({}, "relay.operator-value",
                  op->name.string() + " takes any number of arguments and has to be called");
  }
  std::vector<Type> args;
  for (int i = 0; i < row.inputs; ++i) args.push_back(open());
  const Type result = open();
  std::vector<Type> types = args;
  types.push_back(result);
  solver_.relate({row.relation, make<Call>(op, Array<Expr>()), std::move(types), args.size()});
  return make<FuncType>(Array<Ref<TypeVar>>(), Array<Type>(std::move(args)), result);
}

Ref<FuncType> FunctionInference::instantiate(const FuncType& type, std::vector<Type>* args) {
  std::unordered_map<const Node*, Type> variables;
  for (const Ref<TypeVar>& var : type.typeParams) {
    const Type fresh = open();
    variables.emplace(var.get(), fresh);
    if (args) args->push_back(fresh);
  }
  if (variables.empty()) return Ref<FuncType>(&type);
  std::vector<Type> params;
  for (const Type& param : type.argTypes) params.push_back(substitute(param, variables));
  return make<FuncType>(Array<Ref<TypeVar>>(), Array<Type>(std::move(params)), substitute(type.retType, variables));
}

Type FunctionInference::operatorCall(const Ref<Call>& call, const OpRow& row) {
  if (row.inputs >= 0 && static_cast<size_t>(row.inputs) != call->args.size()) {
    return refuse(call->span, "relay.arguments",
                  std::string(row.name) + " takes " + std::to_string(row.inputs) + " arguments, not " +
                      std::to_string(call->args.size()));
  }
  std::vector<Type> types;
  for (const Expr& arg : call->args) types.push_back(known(arg));
  const Type result = open();
  types.push_back(result);
  solver_.relate({row.relation, call, std::move(types), call->args.size()});
  return result;
}

Type FunctionInference::callType(const Ref<Call>& call) {
  if (const auto* op = as<Op>(call->op)) return operatorCall(call, rowOf(*op));
  if (!solver_.solve(cancel_)) return nullptr;
  Type type = solver_.outermost(known(call->op));
  if (isa<IncompleteType>(type)) {
    std::vector<Type> args;
    for (const Expr& arg : call->args) args.push_back(known(arg));
    type = solver_.unify(known(call->op), make<FuncType>(Array<Ref<TypeVar>>(), Array<Type>(std::move(args)), open()),
                         call->span);
    if (!type) return nullptr;
  }
  const auto* function = as<FuncType>(type);
  if (!function) {
    return refuse(call->span, "relay.not-callable",
                  "only functions can be called, and this is " + typeText(solver_.resolve(type)));
  }
  if (function->argTypes.size() != call->args.size()) {
    return refuse(call->span, "relay.arguments",
                  "the function takes " + std::to_string(function->argTypes.size()) + " arguments, not " +
                      std::to_string(call->args.size()));
  }
  const Ref<FuncType> made = instantiate(*function, &typeArgs_[call.get()]);
  for (size_t i = 0; i < call->args.size(); ++i) {
    if (!solver_.unify(made->argTypes[i], known(call->args[i]), call->span, call->args[i]->span)) return nullptr;
  }
  return made->retType;
}

namespace {
/// The item of a tuple; the call that the relation is asked of holds the index.
Outcome tupleItem(Relating& r) {
  const Type tuple = r.type(0);
  if (isa<IncompleteType>(tuple)) return Outcome::Wait;
  const auto* items = as<TupleType>(tuple);
  const int64_t index = ir::intAttrOf(r.call().attrs, "index", 0);
  if (!items) return r.refuse("only a tuple has items, and this is " + typeText(r.resolved(0)));
  if (index < 0 || static_cast<size_t>(index) >= items->items.size()) {
    return r.refuse("the tuple has no item " + std::to_string(index));
  }
  return r.result(items->items[static_cast<size_t>(index)]);
}
}  // namespace

Type FunctionInference::itemType(const Ref<TupleGetItem>& item) {
  auto* asked = new Call(item->tuple, {item->tuple}, ir::withAttr(nullptr, "index", ir::intAttr(item->index)));
  asked->span = item->span;
  const Type result = open();
  solver_.relate({&tupleItem, Ref<Call>(asked), {known(item->tuple), result}, 1});
  return result;
}

Type FunctionInference::functionLiteral(const Function& function) {
  Type result = known(function.body);
  if (!solver_.solve(cancel_)) return nullptr;
  const Type body = solver_.outermost(result);
  if (const auto* inner = as<FuncType>(body)) result = instantiate(*inner);
  if (function.retType) result = solver_.unify(function.retType, result, function.span, function.body->span);
  if (!result) return nullptr;
  std::vector<Type> params;
  for (const VarRef& param : function.params) params.push_back(varType(param));
  return make<FuncType>(function.typeParams, Array<Type>(std::move(params)), result);
}

void FunctionInference::fitPatterns(const Match& match) {
  for (const Ref<Clause>& clause : match.clauses) {
    if (!solver_.findings().empty()) return;
    fitPattern(*clause->pattern, known(match.data), match.data->span);
  }
}

/// Patterns nest as deep as the text allows them to.
void FunctionInference::fitPattern(const PatternNode& pattern, const Type& type, const Span& data) {
  std::vector<std::pair<const PatternNode*, Type>> waiting{{&pattern, type}};
  while (!waiting.empty() && solver_.findings().empty()) {
    const auto [now, expected] = waiting.back();
    waiting.pop_back();
    if (const auto* var = as<PatternVar>(now)) {
      solver_.unify(varType(var->var), expected, now->span, data);
    } else if (const auto* tuple = as<PatternTuple>(now)) {
      std::vector<Type> items;
      for (const Pattern& part : tuple->patterns) {
        items.push_back(open());
        waiting.emplace_back(part.get(), items.back());
      }
      solver_.unify(make<TupleType>(Array<Type>(std::move(items))), expected, now->span, data);
    } else if (const auto* made = as<PatternConstructor>(now)) {
      const Type function = constructorType(*made->constructor);
      if (!function) return;
      const Ref<FuncType> type = instantiate(*as<FuncType>(function));
      if (type->argTypes.size() != made->patterns.size()) {
        refuse(now->span, "relay.pattern",
               made->constructor->name.string() + " has " + std::to_string(type->argTypes.size()) +
                   " fields, the pattern " + std::to_string(made->patterns.size()));
        return;
      }
      solver_.unify(type->retType, expected, now->span, data);
      for (size_t i = 0; i < made->patterns.size(); ++i)
        waiting.emplace_back(made->patterns[i].get(), type->argTypes[i]);
    }
  }
}

Type FunctionInference::matchType(const Match& match) {
  Type result = open();
  for (const Ref<Clause>& clause : match.clauses) {
    result = solver_.unify(result, known(clause->value), match.span, clause->value->span);
    if (!result) return nullptr;
  }
  if (match.complete) {
    const std::string missing = unmatchedCase(match, around_);
    if (!missing.empty()) {
      return refuse(match.span, "relay.incomplete-match", "no clause fits " + missing);
    }
  }
  return result;
}

void FunctionInference::checkComplete() {
  std::vector<Expr> open;
  for (const auto& [expr, type] : order_)
    if (isa<IncompleteType>(solver_.outermost(type))) open.push_back(expr);
  for (const Expr& expr : open) {
    const auto* constant = as<Constant>(expr);
    if (!constant || constant->data) continue;
    refuse(expr->span, "relay.metadata",
           "the text has no metadata, so that " + constant->unresolved.string() + " and its type are missing");
    return;
  }
  for (const Solver::Relates* what : solver_.waiting()) {
    refuse(what->call->span, "relay.not-inferred", "the types here can not be inferred: too little is declared");
    return;
  }
  if (!open.empty())
    refuse(open[0]->span, "relay.not-inferred", "the type of this can not be inferred: too little is declared");
}

}  // namespace rx::relay
