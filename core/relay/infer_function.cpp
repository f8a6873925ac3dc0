#include "core/relay/infer_function.h"

#include <fmt/format.h>

#include "core/ir/reflect.h"
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
  const bool done = collect(function) && solver_.solve(cancel_);
  if (done && solver_.findings().empty() && !around_.incomplete) checkComplete();
  if (!solver_.findings().empty()) return fail(solver_.findings());
  return Unit{};
}

bool FunctionInference::collect(const FunctionRef& function) {
  std::vector<Type> params;
  for (const VarRef& param : function->params) params.push_back(varType(param));
  own_ = make<FuncType>(function->typeParams, Array<Type>(std::move(params)),
                        function->retType ? function->retType : open());
  operands_.push_back(function.get());
  typeAt_.push_back(0);
  const Frame all{nullptr, 0, 1, 1, true};
  stack_.push_back(all);
  enter(*function);
  while (stack_.size() > 1) {
    if (cancel_.cancelled()) {
      refuse({}, "relay.cancelled", "type inference was cancelled");
      return false;
    }
    Frame& top = stack_.back();
    if (top.next < top.end) {
      beforeOperand(top);
      enter(*operands_[top.next++]);
      continue;
    }
    const Frame frame = top;
    stack_.pop_back();
    // What was refused may be of any type for what is around it: that has findings of its own.
    Type type = nodeType(frame);
    finish(frame, type ? std::move(type) : open());
    if (solver_.findings().size() >= kMostFindings) return false;
  }
  whole_ = operandType(all, 0);
  if (solver_.findings().empty())
    solver_.unify(own_, whole_, {"the function is called in another way", function->span});
  return true;
}

/// Enters the operand that the topmost frame has taken.
void FunctionInference::enter(const relax::ExprNode& expr) {
  const bool shared = !expr.unique();
  if (const uint32_t* entry = shared ? entries_.find(&expr) : nullptr) {
    typeAt_[stack_.back().next - 1] = *entry;
    return;
  }
  if (const auto* function = as<Function>(&expr)) {
    for (const VarRef& param : function->params) varType(param);
    checkKind(function->retType, function->span);
  }
  const size_t first = operands_.size();
  appendOperands(expr, operands_);
  const auto* call = as<Call>(&expr);
  if (call && isa<Op>(call->op)) operands_.pop_back();  // what it does depends on the call
  typeAt_.resize(operands_.size());
  // A chain of nodes is read from memory as fast as addresses are known: what is entered later is fetched now.
  for (size_t i = first; i < operands_.size(); ++i) __builtin_prefetch(operands_[i]);
  stack_.push_back({&expr, first, first, operands_.size(), shared});
}

void FunctionInference::finish(const Frame& frame, Type type) {
  operands_.resize(frame.first);
  typeAt_.resize(frame.first);
  typeAt_[stack_.back().next - 1] = setType(*frame.expr, std::move(type), frame.shared);
}

void FunctionInference::beforeOperand(const Frame& frame) {
  const size_t operand = frame.next - frame.first;
  if (const auto* let = as<Let>(frame.expr)) {
    if (operand == 0 && isa<Function>(let->value)) varType(let->var);
    if (operand != 1) return;
    const Type value = operandType(frame, 0);
    if (namesMemory(*let, value)) return;
    if (!let->var->typeAnnotation && !entries_.find(let->var.get())) {  // it has the type of its value, known or not
      setType(*let->var, value, true);
      return;
    }
    const Solver::Asked asked{"the variable is declared in another way", let->var->span, {}, let->value->span};
    solver_.unify(varType(let->var), value, asked);
  } else if (const auto* match = as<Match>(frame.expr)) {
    if (operand == 1) fitPatterns(*match, operandType(frame, 0));
  }
}

/// Whether the variable names the memory that a kernel wrote, as a tensor of as many elements. TVM checks nothing after
/// RemoveStandaloneReshapes, which leaves the declared shape of what was reshaped; kernels behind it read that one.
bool FunctionInference::namesMemory(const Let& let, const Type& value) {
  if (!let.var->typeAnnotation) return false;
  const auto placed = onDeviceOf(let.value);
  if (!placed || !isCallOf(placed->body, "call_lowered") || !solver_.solve(cancel_)) return false;
  const Type type = solver_.outermost(value);
  const auto* written = as<TensorType>(type);
  const auto* named = as<TensorType>(let.var->typeAnnotation);
  if (!written || !named || written->dtype != named->dtype || !same(product(written->shape), product(named->shape)))
    return false;
  varType(let.var);
  return true;
}

Type FunctionInference::varType(const VarRef& var) {
  if (const uint32_t* entry = entries_.find(var.get())) return order_[*entry].second;
  checkKind(var->typeAnnotation, var->span);
  Type type = var->typeAnnotation ? var->typeAnnotation : open();
  setType(*var, type, true);
  return type;
}

void FunctionInference::checkKind(const Type& declared, const Span& place) {
  if (!declared || isa<TensorType>(declared) || around_.module.types || kinds_.find(declared.get())) return;
  kinds_.set(declared.get(), true);
  bool names = false;
  walk(*declared, Into::All, [&](const Node& node) { return !(names = names || isa<TypeCall>(&node)); });
  if (names) refuse(place, "relay.unknown-type", "the module defines no types");
}

uint32_t FunctionInference::setType(const relax::ExprNode& expr, Type type, bool shared) {
  const auto entry = static_cast<uint32_t>(order_.size());
  order_.emplace_back(&expr, std::move(type));
  if (shared) entries_.set(&expr, entry);
  return entry;
}

Type FunctionInference::nodeType(const Frame& frame) {
  const relax::ExprNode& expr = *frame.expr;
  if (frame.first == frame.end) {
    const size_t before = solver_.findings().size();
    if (Type leaf = leafType(expr)) return leaf;
    if (solver_.findings().size() > before) return nullptr;
  }
  if (const auto* call = as<Call>(&expr)) return callType(frame, *call);
  if (isa<Tuple>(&expr)) {
    std::vector<Type> items;
    for (size_t i = 0; i < frame.end - frame.first; ++i) items.push_back(operandType(frame, i));
    return make<TupleType>(Array<Type>(std::move(items)));
  }
  if (const auto* item = as<TupleGetItem>(&expr)) return itemType(frame, *item);
  if (isa<Let>(&expr)) return operandType(frame, 1);
  if (const auto* function = as<Function>(&expr)) return functionLiteral(frame, *function);
  if (const auto* match = as<Match>(&expr)) return matchType(frame, *match);
  if (const auto* branch = as<If>(&expr)) {
    if (!solver_.unify(scalarType(DataType::Bool()), operandType(frame, 0),
                       {"the condition of an `if` is one bool", branch->cond->span}))
      return nullptr;
    return solver_.unify(
        operandType(frame, 1), operandType(frame, 2),
        {"both branches of an `if` are of one type", expr.span, branch->trueBranch->span, branch->falseBranch->span});
  }
  if (isa<RefCreate>(&expr)) return make<RefType>(operandType(frame, 0));
  const auto* read = as<RefRead>(&expr);
  const auto* write = as<RefWrite>(&expr);
  if (!read && !write) return refuse(expr.span, "relay.not-inferred", "an expression of this kind has no type");
  const Expr& ref = read ? read->ref : write->ref;
  const Type value = open();
  if (!solver_.unify(make<RefType>(value), operandType(frame, 0),
                     {"only references are read and written", expr.span, {}, ref->span}))
    return nullptr;
  if (read) return value;
  if (!solver_.unify(value, operandType(frame, 1),
                     {"a reference holds values of one type", expr.span, ref->span, write->value->span}))
    return nullptr;
  return make<TupleType>(Array<Type>());
}

/// Null (without a finding) for what is no leaf.
Type FunctionInference::leafType(const relax::ExprNode& expr) {
  if (const auto* var = as<Var>(&expr)) return varType(VarRef(var));
  if (const auto* constant = as<Constant>(&expr)) return constantType(*constant);
  if (const auto* global = as<relax::GlobalVar>(&expr)) return globalType(*global);
  if (const auto* constructor = as<Constructor>(&expr)) return constructorType(*constructor);
  const auto* op = as<Op>(&expr);
  return op ? operatorValue(Ref<Op>(op)) : nullptr;
}

Type FunctionInference::constantType(const Constant& constant) {
  if (!constant.data) {
    const Type stated = refAs<TypeNode>(constant.sinfo);
    return stated ? stated : open();
  }
  std::vector<tir::PrimExpr> dims;
  for (int64_t extent : constant.data->shape()) dims.push_back(dim(extent));
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
  const Type result = solver_.relate(row.relation, make<Call>(op, Array<Expr>()), args);
  return result ? make<FuncType>(Array<Ref<TypeVar>>(), Array<Type>(std::move(args)), result) : nullptr;
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

Type FunctionInference::operatorCall(const Frame& frame, const Call& call, const OpRow& row) {
  if (row.inputs >= 0 && static_cast<size_t>(row.inputs) != call.args.size()) {
    return refuse(call.span, "relay.arguments",
                  std::string(row.name) + " takes " + std::to_string(row.inputs) + " arguments, not " +
                      std::to_string(call.args.size()));
  }
  std::vector<Type> types;
  types.reserve(call.args.size() + 1);
  for (size_t i = 0; i < call.args.size(); ++i) types.push_back(operandType(frame, i));
  return solver_.relate(row.relation, Ref<Call>(&call), std::move(types));
}

Type FunctionInference::callType(const Frame& frame, const Call& call) {
  if (const auto* op = as<Op>(call.op)) return operatorCall(frame, call, rowOf(*op));
  if (!solver_.solve(cancel_)) return nullptr;
  const Type callee = operandType(frame, call.args.size());
  Type type = solver_.outermost(callee);
  if (isa<IncompleteType>(type)) {
    std::vector<Type> args;
    for (size_t i = 0; i < call.args.size(); ++i) args.push_back(operandType(frame, i));
    type = solver_.unify(callee, make<FuncType>(Array<Ref<TypeVar>>(), Array<Type>(std::move(args)), open()),
                         {"what is called takes these arguments", call.span});
    if (!type) return nullptr;
  }
  const auto* function = as<FuncType>(type);
  if (!function) {
    return refuse(call.span, "relay.not-callable",
                  "only functions can be called, and this is " + typeText(solver_.resolve(type)));
  }
  if (function->argTypes.size() != call.args.size()) {
    return refuse(call.span, "relay.arguments",
                  "the function takes " + std::to_string(function->argTypes.size()) + " arguments, not " +
                      std::to_string(call.args.size()));
  }
  const Ref<FuncType> made = instantiate(*function, &typeArgs_[&call]);
  for (size_t i = 0; i < call.args.size(); ++i) {
    const std::string why = fmt::format("argument {} of what is called is of the first", i);
    if (!solver_.unify(made->argTypes[i], operandType(frame, i), {why, call.span, {}, call.args[i]->span}))
      return nullptr;
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
    return r.refuse(fmt::format("the tuple has {} items, and no item {}", items->items.size(), index));
  }
  return r.result(items->items[static_cast<size_t>(index)]);
}
}  // namespace

Type FunctionInference::itemType(const Frame& frame, const TupleGetItem& item) {
  auto* asked = new Call(item.tuple, {item.tuple}, ir::withAttr(nullptr, "index", ir::intAttr(item.index)));
  asked->span = item.span;
  return solver_.relate(&tupleItem, Ref<Call>(asked), {operandType(frame, 0)});
}

Type FunctionInference::functionLiteral(const Frame& frame, const Function& function) {
  Type result = operandType(frame, 0);
  if (!solver_.solve(cancel_)) return nullptr;
  const Type body = solver_.outermost(result);
  if (const auto* inner = as<FuncType>(body)) result = instantiate(*inner);
  if (function.retType)
    result = solver_.unify(function.retType, result,
                           {"the function declares another result", function.span, {}, function.body->span});
  if (!result) return nullptr;
  std::vector<Type> params;
  for (const VarRef& param : function.params) params.push_back(varType(param));
  return make<FuncType>(function.typeParams, Array<Type>(std::move(params)), result);
}

void FunctionInference::fitPatterns(const Match& match, const Type& data) {
  const Type fitted = data;  // the order of all grows while patterns are looked at
  for (const Ref<Clause>& clause : match.clauses) fitPattern(*clause->pattern, fitted, match.data->span);
}

/// Patterns nest as deep as the text allows them to.
void FunctionInference::fitPattern(const PatternNode& pattern, const Type& type, const Span& data) {
  auto fit = [&](const Type& own, const Type& given, const PatternNode& now) {
    solver_.unify(own, given, {"the pattern fits no value of the type", now.span, {}, data});
  };
  std::vector<std::pair<const PatternNode*, Type>> waiting{{&pattern, type}};
  const size_t before = solver_.findings().size();
  while (!waiting.empty() && solver_.findings().size() == before) {
    const auto [now, expected] = waiting.back();
    waiting.pop_back();
    if (const auto* var = as<PatternVar>(now)) {
      fit(varType(var->var), expected, *now);
    } else if (const auto* tuple = as<PatternTuple>(now)) {
      std::vector<Type> items;
      for (const Pattern& part : tuple->patterns) {
        items.push_back(open());
        waiting.emplace_back(part.get(), items.back());
      }
      fit(make<TupleType>(Array<Type>(std::move(items))), expected, *now);
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
      fit(type->retType, expected, *now);
      for (size_t i = 0; i < made->patterns.size(); ++i)
        waiting.emplace_back(made->patterns[i].get(), type->argTypes[i]);
    }
  }
}

Type FunctionInference::matchType(const Frame& frame, const Match& match) {
  Type result = open();
  for (size_t i = 0; i < match.clauses.size(); ++i) {
    result = solver_.unify(result, operandType(frame, i + 1),
                           {"all clauses of a `match` are of one type", match.span, match.clauses[0]->value->span,
                            match.clauses[i]->value->span});
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
  std::vector<const relax::ExprNode*> open;
  for (const auto& [expr, type] : order_)
    if (isa<IncompleteType>(type) && isa<IncompleteType>(solver_.outermost(type))) open.push_back(expr);
  for (const relax::ExprNode* expr : open) {
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
