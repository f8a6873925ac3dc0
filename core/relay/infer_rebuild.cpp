// The function with the types that inference found: written into its own nodes, or into copies of those that have, or
// hold what has, another type now.
#include <algorithm>
#include <utility>

#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/relay/dims.h"
#include "core/relay/infer_function.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// Structural equality, with what most tensors are told by first.
bool isLike(const TensorType& type, const Node& other) {
  const auto* tensor = as<TensorType>(&other);
  if (!tensor || tensor->dtype != type.dtype || tensor->shape.size() != type.shape.size()) return false;
  for (size_t i = 0; i < type.shape.size(); ++i) {
    const Dim &a = type.shape[i], &b = tensor->shape[i];
    if (a != b && (!a || !b || (known(a) ? known(a) != known(b) : !structuralEqual(a, b)))) return false;
  }
  return true;
}

/// Operators and global names are shared by all modules.
bool hasOwnType(const relax::ExprNode& expr) {
  return !isa<Op>(&expr) && !isa<relax::GlobalVar>(&expr) && !isa<Constructor>(&expr);
}

/// What a node gets of what was found.
class Found {
 public:
  using TypeArgs = std::unordered_map<const Node*, std::vector<Type>>;
  Found(Solver& solver, const TypeArgs& typeArgs, Declare declare)
      : solver_(solver), typeArgs_(typeArgs), declares_(declare == Declare::Yes) {}

  Type resolve(const Type& type) {
    if (isa<TensorType>(type)) return solver_.resolve(type);
    const Type outermost = solver_.outermost(type);
    if (!outermost || isa<TensorType>(outermost)) return solver_.resolve(outermost);
    if (const Type* known = resolved_.find(outermost.get())) return *known;
    const Type whole = solver_.resolve(outermost);
    resolved_.set(outermost.get(), whole);
    return whole;
  }

  /// Whether the node has all of it. `type` is resolved.
  bool isIn(const relax::ExprNode& node, const Type& type) {
    if (!hadType(node.sinfo, type)) return false;
    if (const auto* var = as<Var>(&node)) return !declares_ || var->typeAnnotation;
    if (const auto* function = as<Function>(&node)) return !declares_ || function->retType;
    const auto* call = as<Call>(&node);
    const auto args = call ? typeArgs_.find(call) : typeArgs_.end();
    if (args == typeArgs_.end()) return !call || call->typeArgs.empty();
    return std::equal(args->second.begin(), args->second.end(), call->typeArgs.begin(), call->typeArgs.end(),
                      [&](const Type& now, const Type& had) { return hadType(had, resolve(now)); });
  }

  /// Writes it into a node that nobody else sees; it was found of `of`, the same node or that which this is a copy of.
  void write(relax::ExprNode& node, const relax::ExprNode& of, const Type& type) {
    node.sinfo = type;
    if (const auto* var = as<Var>(&node)) {
      if (declares_) own(var)->typeAnnotation = var->typeAnnotation ? resolve(var->typeAnnotation) : type;
    } else if (const auto* function = as<Function>(&node)) {
      if (declares_)
        own(function)->retType = function->retType ? resolve(function->retType) : as<FuncType>(type)->retType;
    } else if (const auto* call = as<Call>(&node)) {
      const auto args = typeArgs_.find(&of);
      std::vector<Type> found;
      if (args != typeArgs_.end())
        for (const Type& arg : args->second) found.push_back(resolve(arg));
      if (!found.empty() || !call->typeArgs.empty()) own(call)->typeArgs = Array<Type>(std::move(found));
    }
  }

 private:
  template <class T>
  static T* own(const T* node) {
    return const_cast<T*>(node);
  }

  bool hadType(const Ref<Node>& had, const Type& type) {
    if (!had || had == type) return static_cast<bool>(had);
    if (const auto* tensor = as<TensorType>(type)) return isLike(*tensor, *had);
    const auto* met = equal_.find(had.get());
    if (met && met->second == type) return true;
    if (!structuralEqual(had, type)) return false;
    equal_.set(had.get(), {had, type});
    return true;
  }

  Solver& solver_;
  const TypeArgs& typeArgs_;
  bool declares_;
  PointerMap<Node, Type> resolved_;
  /// A chain of bindings has one and the same type, which may be long.
  PointerMap<Node, std::pair<Ref<Node>, Type>> equal_;
};

/// Takes the expressions of a function one by one, operands first.
class Rebuilder {
 public:
  /// `count`: of the expressions that will be taken.
  Rebuilder(Found found, size_t count) : found_(std::move(found)), count_(count) {}

  void take(const relax::ExprNode& expr, const Type& open) {
    if (!hasOwnType(expr) || made_.find(&expr)) return;
    const Type type = found_.resolve(open);
    Expr made = rewired(Expr(&expr));
    if (made.get() == &expr) {
      if (found_.isIn(expr, type)) return;
      made = Expr(copyOf(expr));
    }
    found_.write(const_cast<relax::ExprNode&>(*made), expr, type);
    if (made_.size() == 0) made_.reserve(count_);  // where one is new, those that hold it are
    made_.set(&expr, std::move(made));
  }
  /// What stands for an expression that was taken.
  template <class T>
  Ref<T> now(const Ref<T>& expr) const {
    const Expr* made = made_.find(expr.get());
    return made ? refAs<T>(*made) : expr;
  }

 private:
  /// The expression with what stands for its operands and for the variables that it binds; a copy where one differs.
  Expr rewired(const Expr& expr) {
    if (made_.size() == 0) return expr;
    operands_.clear();
    appendOperands(*expr, operands_);
    for (Expr& operand : operands_) operand = now(operand);
    Expr made = operands_.empty() ? expr : withOperands(expr, operands_);
    if (const auto* let = as<Let>(expr)) {
      if (VarRef var = now(let->var); var != let->var) copied<Let>(made, expr).var = std::move(var);
    } else if (const auto* function = as<Function>(expr)) {
      std::vector<VarRef> params;
      for (const VarRef& param : function->params) params.push_back(now(param));
      if (!std::equal(params.begin(), params.end(), function->params.begin()))
        copied<Function>(made, expr).params = Array<VarRef>(std::move(params));
    } else if (isa<Match>(expr)) {
      rebindPatterns(made, expr);
    }
    return made;
  }

  void rebindPatterns(Expr& made, const Expr& expr) {
    const auto pre = [&](const NodeRef& node) -> NodeRef {
      if (const auto var = refAs<Var>(node)) return now(var);
      return isa<TypeNode>(node) ? node : nullptr;
    };
    std::vector<Ref<Clause>> clauses;
    bool changes = false;
    for (const Ref<Clause>& clause : as<Match>(made)->clauses) {
      const auto pattern = refAs<PatternNode>(rewriteGraph(clause->pattern, pre, nullptr));
      const bool differs = pattern != clause->pattern;
      clauses.push_back(differs ? make<Clause>(pattern, clause->value) : clause);
      changes = changes || differs;
    }
    if (changes) copied<Match>(made, expr).clauses = Array<Ref<Clause>>(std::move(clauses));
  }

  /// What is made of an expression, as a copy that nobody else sees yet.
  template <class T>
  static T& copied(Expr& made, const Expr& expr) {
    if (made == expr) made = Expr(copyOf(*expr));
    return const_cast<T&>(*as<T>(made));
  }

  Found found_;
  size_t count_;
  PointerMap<Node, Expr> made_;
  std::vector<Expr> operands_;
};

}  // namespace

FunctionRef FunctionInference::rebuilt(const FunctionRef& function, Declare declare) {
  Rebuilder rebuilder(Found(solver_, typeArgs_, declare), order_.size());
  for (const auto& [expr, type] : order_) rebuilder.take(*expr, type);
  return rebuilder.now(function);
}

void FunctionInference::writeInPlace(Declare declare) {
  Found found(solver_, typeArgs_, declare);
  for (const auto& [expr, type] : order_)
    if (hasOwnType(*expr)) found.write(const_cast<relax::ExprNode&>(*expr), *expr, found.resolve(type));
}

void FunctionInference::writeKnown() {
  for (const auto& [expr, type] : order_) {
    const Type now = hasOwnType(*expr) ? solver_.resolve(type) : nullptr;
    bool isKnown = now != nullptr;
    if (isKnown)
      walk(*now, Into::All, [&](const Node& node) { return isKnown = isKnown && !isa<IncompleteType>(&node); });
    if (isKnown) const_cast<relax::ExprNode&>(*expr).sinfo = now;
  }
}

}  // namespace rx::relay
