// ToCPS: no function returns. Each takes a continuation, a function of its result, and calls it at its end; the code
// behind a call or a branch becomes such a continuation. UnCPS: a function around that gives back what it was.
#include <fmt/format.h>

#include <map>

#include "core/ir/reflect.h"
#include "core/relay/passes/normal_form.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

Type arrow(const Type& from, const Type& to) { return make<FuncType>(Array<Ref<TypeVar>>(), Array<Type>{from}, to); }

/// The continuation of a result as the type of functions has it: each takes one more argument and gives the answer.
Type cpsType(const Type& type, const Ref<TypeVar>& answer) {
  return refAs<TypeNode>(rewriteGraph(type, nullptr, [&](const NodeRef&, const NodeRef& now) -> NodeRef {
    const auto* function = as<FuncType>(now);
    if (!function) return now;
    std::vector<Type> args(function->argTypes.begin(), function->argTypes.end());
    args.push_back(arrow(function->retType, answer));
    return make<FuncType>(function->typeParams, Array<Type>(std::move(args)), answer);
  }));
}

/// What is called in the place of a function of the module, by its name.
using Names = std::map<std::string_view, relax::GlobalVarRef>;

/// Converts one function of the module, whose values all have names, innermost blocks first.
class Converter {
 public:
  explicit Converter(const Names& cpsOf) : cpsOf_(cpsOf) {}

  Result<FunctionRef> run(const FunctionRef& root) {
    walkOnce(*root, Into::Parts, [&](const Node& node) {
      if (const auto* var = as<Var>(&node)) remap(*var);
      return true;
    });
    for (const Expr& expr : postOrder(root)) {
      if (const auto function = refAs<Function>(expr)) {
        RX_CHECK(convert(function));
      } else if (isa<If>(expr) || isa<Match>(expr)) {
        branch(expr);
      }
    }
    FunctionRef made = refAs<Function>(made_.at(root.get()));
    std::vector<Ref<TypeVar>> types(made->typeParams.begin(), made->typeParams.end());
    types.push_back(answer_);
    auto* whole = new Function(*made);
    whole->typeParams = Array<Ref<TypeVar>>(std::move(types));
    return FunctionRef(whole);
  }

 private:
  struct Binding {
    VarRef var;
    Expr value;
  };

  /// The variable as the result has it. A new one, since a function that is called is converted twice.
  void remap(const Var& var) {
    varOf_.emplace(&var, make<Var>(var.name, cpsType(var.typeAnnotation, answer_), var.virtualDevice));
  }
  VarRef now(const VarRef& var) const {
    const auto hit = varOf_.find(var.get());
    return hit == varOf_.end() ? var : hit->second;
  }
  VarRef continuation(const char* name, const Type& result) const {
    return make<Var>(Str(name), arrow(cpsType(result, answer_), answer_));
  }

  Result<Unit> convert(const FunctionRef& function) {
    if (ir::intAttrOf(function->attrs, "Primitive", 0) != 0) {
      return fail(
          errorAt(function->span, "relay.cps", "a primitive function has no continuation; DefuseOps removes it"));
    }
    const VarRef k = continuation("k", function->retType);
    std::vector<VarRef> params;
    for (const VarRef& param : function->params) params.push_back(now(param));
    params.push_back(k);
    auto* made = new Function(*function);
    made->params = Array<VarRef>(std::move(params));
    made->body = block(function->body, k);
    made->retType = answer_;
    made->sinfo = nullptr;
    made_[function.get()] = FunctionRef(made);
    return Unit{};
  }

  /// A branch whose blocks go on where the variable of the join says, which is bound where the branch is used.
  void branch(const Expr& expr) {
    const VarRef join = continuation("join", typeOf(expr));
    joinOf_[expr.get()] = join;
    std::vector<Expr> operands;
    appendOperands(*expr, operands);
    operands[0] = atom(operands[0]);
    for (size_t i = 1; i < operands.size(); ++i) operands[i] = block(operands[i], join);
    Expr made = withOperands(expr, operands);
    if (const auto* match = as<Match>(made)) {
      std::vector<Ref<Clause>> clauses;
      for (const Ref<Clause>& clause : match->clauses)
        clauses.push_back(make<Clause>(pattern(clause->pattern), clause->value));
      made = make<Match>(match->data, Array<Ref<Clause>>(std::move(clauses)), match->complete);
    }
    made_[expr.get()] = made;
  }
  Pattern pattern(const Pattern& before) const {
    return refAs<PatternNode>(rewriteGraph(
        before, [&](const NodeRef& node) -> NodeRef { return isa<Var>(node) ? now(refAs<Var>(node)) : nullptr; },
        nullptr));
  }

  /// A value without parts that are computed: a name, a constant, or a function that was converted.
  Expr atom(const Expr& expr) const {
    if (const auto var = refAs<Var>(expr)) return now(var);
    if (const auto* global = as<relax::GlobalVar>(expr)) {
      const auto hit = cpsOf_.find(global->name.view());
      return hit == cpsOf_.end() ? expr : Expr(hit->second);
    }
    return isa<Function>(expr) ? made_.at(expr.get()) : expr;
  }
  Expr value(const Expr& expr) const {
    std::vector<Expr> operands;
    if (!isa<Function>(expr)) appendOperands(*expr, operands);
    if (operands.empty()) return atom(expr);
    for (Expr& operand : operands) operand = atom(operand);
    const Expr made = withOperands(expr, operands);
    const auto* call = as<Call>(made);
    return call && made == expr ? make<Call>(*call) : made;
  }
  /// Whether it is the call of a function that takes a continuation.
  bool takesContinuation(const Expr& expr) const {
    const auto* call = as<Call>(expr);
    if (!call || isa<Op>(call->op) || isa<Constructor>(call->op)) return false;
    const auto* global = as<relax::GlobalVar>(call->op);
    return !global || cpsOf_.contains(global->name.view());
  }

  /// The bindings of a block and what follows them, from the last on.
  Expr block(Expr expr, const VarRef& k) const {
    std::vector<Binding> bindings;
    for (const auto* let = as<Let>(expr); let; let = as<Let>(expr)) {
      bindings.push_back({let->var, let->value});
      expr = let->body;
    }
    if (!isa<Var>(expr)) {
      bindings.push_back({make<Var>(Str("x"), cpsType(typeOf(expr), answer_)), expr});
      expr = bindings.back().var;
    }
    const Expr result[] = {atom(expr)};
    Expr rest = make<Call>(k, Array<Expr>(result, result + 1));
    for (size_t i = bindings.size(); i-- > 0;) {
      const bool isTail = i + 1 == bindings.size() && bindings[i].var == expr;
      rest = bound(bindings[i], isTail ? k : nullptr, std::move(rest));
    }
    return rest;
  }
  /// A binding before the rest of its block; where its result is that of the block, `k` is the continuation.
  Expr bound(const Binding& binding, const VarRef& k, Expr rest) const {
    const auto join = joinOf_.find(binding.value.get());
    const bool calls = takesContinuation(binding.value);
    if (join == joinOf_.end() && !calls) {
      return make<Let>(now(binding.var), value(binding.value), rest);
    }
    const Expr next = k ? Expr(k) : make<Function>(Array<VarRef>{now(binding.var)}, rest, answer_);
    if (join != joinOf_.end()) return make<Let>(join->second, next, made_.at(binding.value.get()));
    const auto call = refAs<Call>(value(binding.value));
    std::vector<Expr> args(call->args.begin(), call->args.end());
    args.push_back(next);
    return make<Call>(call->op, Array<Expr>(std::move(args)), call->attrs);
  }

  const Names& cpsOf_;
  Ref<TypeVar> answer_ = make<TypeVar>(Str("answer"));
  std::unordered_map<const Node*, VarRef> varOf_;
  std::unordered_map<const Node*, VarRef> joinOf_;
  std::unordered_map<const Node*, Expr> made_;  ///< functions and branches
};

/// Functions that others name, and that take continuations then.
Names calledNames(const ir::Module& module) {
  Names out;
  for (const auto& [var, function] : module->entries()) {
    if (!isa<Function>(function)) continue;
    for (const Expr& expr : postOrder(refAs<Function>(function))) {
      const auto* global = as<relax::GlobalVar>(expr);
      const auto own = global ? module->findVar(global->name.view()) : nullptr;
      const auto called = own ? refAs<Function>(module->find(own.get())) : nullptr;
      if (called && isOpen(*called)) out.emplace(own->name.view(), own);
    }
  }
  return out;
}

/// The function without its continuation: it gives the function itself one that gives back what it is called with.
Result<FunctionRef> withoutContinuation(const FunctionRef& function) {
  const Ref<TypeVar> answer = function->typeParams.empty() ? nullptr : function->typeParams.back();
  const auto last = function->params.empty() ? nullptr : refAs<FuncType>(function->params.back()->typeAnnotation);
  if (!answer || !last || last->argTypes.size() != 1 || last->retType != Type(answer)) {
    return fail(errorAt(function->span, "relay.cps",
                        "a function in continuation passing style ends with a function of its result to any answer"));
  }
  const Type result = last->argTypes[0];
  auto* called = new Function(*function);  // of this one result; types around it stay those of the whole
  called->typeParams = {};
  called->attrs = nullptr;
  called->sinfo = nullptr;
  const auto inner = refAs<Function>(rewriteGraph(
      FunctionRef(called),
      [&](const NodeRef& node) -> NodeRef { return node == NodeRef(answer) ? NodeRef(result) : nullptr; }, nullptr));
  std::vector<VarRef> params;
  for (size_t i = 0; i + 1 < inner->params.size(); ++i) {
    const VarRef& param = inner->params[i];
    params.push_back(make<Var>(param->name, param->typeAnnotation, param->virtualDevice));
  }
  const VarRef x = make<Var>(Str("x"), result);
  std::vector<Expr> args(params.begin(), params.end());
  args.push_back(make<Function>(Array<VarRef>{x}, x, result));
  auto* made = new Function(*function);
  made->params = Array<VarRef>(std::move(params));
  made->body = make<Call>(inner, Array<Expr>(std::move(args)));
  made->retType = result;
  made->typeParams = Array<Ref<TypeVar>>(function->typeParams.begin(), function->typeParams.end() - 1);
  made->sinfo = nullptr;
  return FunctionRef(made);
}

}  // namespace

Result<ir::Module> toCps(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  RX_TRY(normal, onTypedFunctions(module, context, [](const FunctionRef& function) -> Result<FunctionRef> {
           return toNormalForm(function, NormalForm::ANormal);
         }));
  Names cpsOf = calledNames(normal);
  for (auto& [name, var] : cpsOf) {
    std::string fresh = std::string(name) + "_cps";
    while (normal->findVar(fresh)) fresh += "_cps";
    var = make<relax::GlobalVar>(Str(fresh));
  }
  auto entries = normal->entries();
  for (size_t i = 0, count = entries.size(); i < count; ++i) {
    const auto function = refAs<Function>(entries[i].second);
    if (!function || !isOpen(*function)) continue;
    if (context.cancel.cancelled()) return fail("pass.cancelled", "the pass was cancelled");
    RX_TRY(made, Converter(cpsOf).run(function));
    entries[i].second = made;
    const auto called = cpsOf.find(entries[i].first->name.view());
    if (called == cpsOf.end()) continue;
    RX_TRY(again, Converter(cpsOf).run(function));
    entries.emplace_back(called->second, again);
  }
  return inferTypes(normal->with(std::move(entries)), context.cancel);
}

Result<ir::Module> unCps(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  RX_TRY(typed, inferTypes(module, context.cancel));
  const Names called = calledNames(typed);
  auto entries = typed->entries();
  for (auto& [var, function] : entries) {
    const auto relay = refAs<Function>(function);
    if (!relay || !isOpen(*relay) || called.contains(var->name.view())) continue;
    RX_TRY(made, withoutContinuation(relay));
    function = made;
  }
  return inferTypes(typed->with(std::move(entries)), context.cancel);
}

}  // namespace rx::relay
