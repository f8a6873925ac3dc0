// Gradient: a function returns its result and the gradients of its parameters, through closures, branches, recursion
// and data. Every tensor becomes a pair of itself and a reference to its gradient; every operator puts what it adds to
// the gradients of its arguments before what a reference to a function, the way back, held until then.
#include <fmt/format.h>

#include <map>

#include "core/ir/reflect.h"
#include "core/relay/passes/let_list.h"
#include "core/relay/passes/normal_form.h"
#include "core/relay/passes/op_gradients.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/passes/reverse_types.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

template <class T>
Expr typed(T* node, const Type& type) {
  node->sinfo = type;
  return Ref<T>(node);
}

constexpr bool kDeclares = true;  ///< types of variables that are made are known: nobody has to infer them

/// Whether a value of the type is tensors, which have gradients.
bool isOfTensors(const Type& type) {
  if (isa<TensorType>(type)) return true;
  const auto* tuple = as<TupleType>(type);
  return tuple && std::all_of(tuple->items.begin(), tuple->items.end(), isOfTensors);
}

Expr read(const Expr& reference) {
  const auto* var = as<Var>(reference);
  const Type type = var && var->typeAnnotation ? var->typeAnnotation : typeOf(reference);
  const auto* known = as<RefType>(type);
  return typed(new RefRead(reference), known ? known->value : nullptr);
}
Expr write(const Expr& reference, const Expr& value) { return typed(new RefWrite(reference, value), unitType()); }
Expr newRef(const Expr& value) { return typed(new RefCreate(value), make<RefType>(typeOf(value))); }

/// What variables are bound to that hold pairs made at once, whose parts have names of their own.
using MadePairs = std::unordered_map<const Node*, Ref<Tuple>>;

/// The parts of pairs, and what is made of them, in the bindings of a list.
class Pairs {
 public:
  Pairs(const MadePairs& made, LetList& list) : made_(made), list_(list) {}

  /// The pairs of the tensors of a value, whose gradients are zero.
  Expr of(const Type& type, const Expr& value) {
    return mapped(type, value, [&](const Expr& tensor) {
      return tupleOf({tensor, list_.push(newRef(list_.push(callOp("zeros_like", {tensor}))))});
    });
  }
  Expr forward(const Type& type, const Expr& pairs) {
    return mapped(type, pairs, [&](const Expr& pair) { return part(pair, 0); });
  }
  Expr gradient(const Type& type, const Expr& pairs) {
    return mapped(type, pairs, [&](const Expr& pair) { return list_.push(read(part(pair, 1))); });
  }
  /// Adds to the gradients that pairs refer to.
  void add(const Type& type, const Expr& pairs, const Expr& gradient) {
    if (const auto* tuple = as<TupleType>(type)) {
      for (size_t i = 0; i < tuple->items.size(); ++i) {
        const auto at = static_cast<int64_t>(i);
        add(tuple->items[i], list_.push(itemOf(pairs, at)), list_.push(itemOf(gradient, at)));
      }
    } else if (hasSlope(type)) {
      const Expr reference = part(pairs, 1);
      list_.push(write(reference, callOp("add", {list_.push(read(reference)), gradient})));
    }
  }
  Expr part(const Expr& pair, int64_t index) {
    const auto made = made_.find(pair.get());
    const auto* tuple = made == made_.end() ? as<Tuple>(pair) : made->second.get();
    return tuple ? tuple->items[static_cast<size_t>(index)] : list_.push(itemOf(pair, index));
  }

 private:
  /// A value of nested tuples with what `map` gives in the place of tensors.
  Expr mapped(const Type& type, const Expr& value, const std::function<Expr(const Expr&)>& map) {
    const auto* tuple = as<TupleType>(type);
    if (!tuple) return map(value);
    std::vector<Expr> items;
    for (size_t i = 0; i < tuple->items.size(); ++i) {
      const Expr item = mapped(tuple->items[i], list_.push(itemOf(value, static_cast<int64_t>(i))), map);
      items.push_back(isa<Var>(item) ? item : list_.push(item));
    }
    return list_.push(tupleOf(std::move(items)));
  }

  const MadePairs& made_;
  LetList& list_;
};

/// Functions of the module as the gradient calls them, and those that are still to be made.
struct Named {
  const ir::Module& module;
  const ReverseTypes types;
  std::map<std::string, relax::GlobalVarRef, std::less<>> names;
  std::vector<std::pair<relax::GlobalVarRef, FunctionRef>> waiting;

  /// The name of the reverse form of a function; null where the module has no such function that passes may change.
  relax::GlobalVarRef nameOf(const relax::GlobalVar& global) {
    const auto known = names.find(global.name.view());
    if (known != names.end()) return known->second;
    const auto function = refAs<Function>(module->find(&global));
    if (!function || !isOpen(*function)) return nullptr;
    std::string fresh = global.name.string() + "_grad";
    while (module->findVar(fresh)) fresh += "_grad";
    const auto name = make<relax::GlobalVar>(Str(fresh));
    names.emplace(global.name.string(), name);
    waiting.emplace_back(name, function);
    return name;
  }
};

/// Converts one function whose values all have names, innermost blocks first.
class ReverseForm {
 public:
  explicit ReverseForm(Named& named) : named_(named) {}

  Result<FunctionRef> run(const FunctionRef& root) {
    placeBlocks(root);
    for (const Expr& expr : postOrder(root)) {
      if (isa<Function>(expr)) RX_CHECK(convert(refAs<Function>(expr)));
      if (isa<If>(expr) || isa<Match>(expr)) RX_CHECK(branch(expr));
    }
    return refAs<Function>(made_.at(root.get()));
  }

 private:
  /// Variables of the result, and which reference leads the way back from each function and branch.
  void placeBlocks(const FunctionRef& root) {
    walkOnce(*root, Into::Parts, [&](const Node& node) {
      const auto* var = as<Var>(&node);
      if (var) pairOf_.emplace(var, make<Var>(var->name, named_.types.of(var->typeAnnotation)));
      return true;
    });
    std::vector<std::pair<Expr, VarRef>> stack{{root, nullptr}};
    std::vector<Expr> operands;
    while (!stack.empty()) {
      auto [expr, back] = stack.back();
      stack.pop_back();
      if (isa<Function>(expr)) back = make<Var>(Str("bp"), wayBackType());
      if (isa<Function>(expr) || isa<If>(expr) || isa<Match>(expr)) backOf_.emplace(expr.get(), back);
      operands.clear();
      appendOperands(*expr, operands);
      for (const Expr& operand : operands)
        if (!isa<Op>(operand)) stack.emplace_back(operand, back);
    }
  }

  Result<Unit> convert(const FunctionRef& function) {
    const VarRef& back = backOf_.at(function.get());
    std::vector<VarRef> params;
    for (const VarRef& param : function->params) params.push_back(pairOf_.at(param.get()));
    params.push_back(back);
    RX_TRY(body, block(function->body, back));
    made_[function.get()] = make<Function>(Array<VarRef>(std::move(params)), body, named_.types.of(function->retType),
                                           function->typeParams, function->attrs);
    return Unit{};
  }

  Result<Unit> branch(const Expr& expr) {
    const VarRef& back = backOf_.at(expr.get());
    std::vector<Expr> operands;
    appendOperands(*expr, operands);
    RX_TRY(asked, atom(operands[0]));
    operands[0] = isa<If>(expr) ? itemOf(asked, 0) : asked;
    for (size_t i = 1; i < operands.size(); ++i) {
      RX_TRY(made, block(operands[i], back));
      operands[i] = made;
    }
    const Expr made = withOperands(expr, operands);
    const auto pair = [&](const NodeRef& node) -> NodeRef {
      if (isa<Constructor>(node)) return named_.types.of(refAs<Constructor>(node));
      return isa<Var>(node) ? NodeRef(pairOf_.at(node.get())) : nullptr;
    };
    const auto* match = as<Match>(made);
    std::vector<Ref<Clause>> clauses;
    for (size_t i = 0; match && i < match->clauses.size(); ++i) {
      const auto pattern = refAs<PatternNode>(rewriteGraph(match->clauses[i]->pattern, pair, nullptr));
      clauses.push_back(make<Clause>(pattern, match->clauses[i]->value));
    }
    made_[expr.get()] =
        match ? Expr(make<Match>(match->data, Array<Ref<Clause>>(std::move(clauses)), match->complete)) : made;
    return Unit{};
  }

  Result<Expr> block(Expr expr, const VarRef& back) {
    LetList list(kDeclares);
    for (const auto* let = as<Let>(expr); let; let = as<Let>(expr)) {
      RX_TRY(made, value(let->value, back, list));
      const VarRef& pair = pairOf_.at(let->var.get());
      list.push(pair, made);
      const auto parts = isa<TensorType>(typeOf(let->var)) ? refAs<Tuple>(made) : nullptr;
      if (parts) madePairs_.emplace(pair.get(), parts);
      expr = let->body;
    }
    RX_TRY(result, value(expr, back, list));
    return list.wrap(result);
  }

  Result<Expr> atom(const Expr& expr) {
    if (isa<Var>(expr)) return Expr(pairOf_.at(expr.get()));
    if (isa<Function>(expr)) return made_.at(expr.get());
    if (isa<Op>(expr)) return noGradient(expr, "an operator has no gradient where it is not called");
    if (isa<Constructor>(expr)) return Expr(named_.types.of(refAs<Constructor>(expr)));
    const auto* global = as<relax::GlobalVar>(expr);
    if (!global) return expr;
    const auto name = named_.nameOf(*global);
    if (!name) return noGradient(expr, fmt::format("@{} is no function that has a gradient", global->name.view()));
    return Expr(name);
  }

  /// What a value becomes; what it needs before it is bound in the list.
  Result<Expr> value(const Expr& expr, const VarRef& back, LetList& list) {
    if (isa<Constant>(expr)) return Pairs(madePairs_, list).of(typeOf(expr), list.push(expr));
    if (isa<If>(expr) || isa<Match>(expr) || isa<Function>(expr)) return made_.at(expr.get());
    const auto call = refAs<Call>(expr);
    if (call && isa<Op>(call->op)) return operatorCall(call, back, list);
    std::vector<Expr> operands;
    appendOperands(*expr, operands);
    if (operands.empty()) return atom(expr);
    for (Expr& operand : operands) {
      RX_TRY(made, atom(operand));
      operand = made;
    }
    if (!call || isa<Constructor>(call->op)) return withOperands(expr, operands);
    const Expr callee = std::move(operands.back());
    operands.back() = back;
    return Expr(make<Call>(callee, Array<Expr>(std::move(operands)), call->attrs));
  }

  Result<Expr> operatorCall(const Ref<Call>& call, const VarRef& back, LetList& list) {
    const Type type = typeOf(call);
    RX_TRY(gradient, gradientOfCall(call));
    Pairs outside(madePairs_, list);
    std::vector<Expr> pairs, forwards;
    for (const Expr& arg : call->args) {
      if (!isOfTensors(typeOf(arg)))
        return noGradient(call, "an operator of other values than tensors has no gradient");
      RX_TRY(pair, atom(arg));
      pairs.push_back(pair);
      forwards.push_back(outside.forward(typeOf(arg), pair));
    }
    const Expr again = callAgain(*call, std::move(forwards), call->attrs);
    const Expr forward = list.push(again);
    const Expr result = outside.of(type, forward);
    if (!gradient) return result;
    const Expr before = list.push(read(back));
    LetList way(kDeclares);
    Pairs inside(madePairs_, way);
    const Expr own = inside.gradient(type, result);
    RX_TRY(gradients, argumentGradients(gradient, *as<Call>(again), forward, own, call));
    for (size_t i = 0; i < gradients.size(); ++i) {
      const Type of = typeOf(call->args[i]);
      if (hasSlope(of)) inside.add(of, pairs[i], way.push(gradients[i]));
    }
    const Expr body = way.wrap(typed(new Call(before, {}), unitType()));
    const Type wayBack = as<RefType>(back->typeAnnotation)->value;
    list.push(write(back, typed(new Function({}, body, unitType()), wayBack)));
    return result;
  }

  Named& named_;
  std::unordered_map<const Node*, VarRef> pairOf_;
  std::unordered_map<const Node*, VarRef> backOf_;
  MadePairs madePairs_;
  std::unordered_map<const Node*, Expr> made_;  ///< functions and branches
};

/// The function around its reverse form: it starts the way back from its result and goes it.
Result<FunctionRef> wholeGradient(const FunctionRef& function, Named& named) {
  if (!function->typeParams.empty()) return noGradient(function, "a function of any types has no gradient");
  for (const VarRef& param : function->params)
    if (!isa<TensorType>(param->typeAnnotation)) return noGradient(param, "parameters have to be tensors");
  if (!isOfTensors(function->retType)) return noGradient(function, "the result has to be tensors");
  RX_TRY(inside, ReverseForm(named).run(function));
  LetList list(kDeclares);
  const MadePairs none;
  Pairs pairs(none, list);
  const VarRef back = make<Var>(Str("bp"), wayBackType());
  list.push(back,
            newRef(typed(new Function({}, make<Tuple>(Array<Expr>()), unitType()), as<RefType>(wayBackType())->value)));
  std::vector<Expr> args;
  std::vector<VarRef> params;
  for (const VarRef& param : function->params) {
    params.push_back(make<Var>(param->name, param->typeAnnotation));
    args.push_back(pairs.of(param->typeAnnotation, params.back()));
  }
  args.push_back(back);
  auto* called = new Call(inside, Array<Expr>(args));
  called->sinfo = named.types.of(function->retType);
  const Expr result = list.push(Ref<Call>(called));
  Expr first = result;
  Type type = function->retType;
  for (const auto* tuple = as<TupleType>(type); tuple; tuple = as<TupleType>(type)) {
    if (tuple->items.empty()) return noGradient(function, "the result has to be tensors");
    first = list.push(itemOf(first, 0));
    type = tuple->items[0];
  }
  list.push(write(list.push(itemOf(first, 1)), callOp("ones_like", {list.push(itemOf(first, 0))})));
  list.push(typed(new Call(list.push(read(back)), {}), unitType()));
  std::vector<Expr> gradients;
  for (size_t i = 0; i < params.size(); ++i) gradients.push_back(pairs.gradient(params[i]->typeAnnotation, args[i]));
  const Expr both = tupleOf({pairs.forward(function->retType, result), tupleOf(std::move(gradients))});
  return make<Function>(Array<VarRef>(std::move(params)), list.wrap(both), typeOf(both), Array<Ref<TypeVar>>(),
                        function->attrs);
}

}  // namespace

Result<ir::Module> higherOrderGradient(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  RX_TRY(normal, onTypedFunctions(module, context, [](const FunctionRef& function) -> Result<FunctionRef> {
           return toNormalForm(function, NormalForm::ANormal);
         }));
  const std::string_view name = ir::strAttrOf(given, "function", "main");
  const auto function = refAs<Function>(normal->find(name));
  if (!function) return fail("pass.unknown-function", fmt::format("there is no function @{}", name));
  Named named{normal, ReverseTypes(normal), {}, {}};
  RX_TRY(whole, wholeGradient(function, named));
  auto entries = normal->entries();
  for (auto& [var, other] : entries)
    if (var->name.view() == name) other = whole;
  while (!named.waiting.empty()) {
    if (context.cancel.cancelled()) return fail("pass.cancelled", "the pass was cancelled");
    const auto [var, next] = named.waiting.back();
    named.waiting.pop_back();
    RX_TRY(made, ReverseForm(named).run(next));
    entries.emplace_back(var, made);
  }
  return inferTypes(named.types.addedTo(normal->with(std::move(entries))), context.cancel);
}

}  // namespace rx::relay
