// The function with the types that inference found. A node is copied where it, or what it holds, has another type now.
#include <algorithm>

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

/// Takes the expressions of a function one by one, operands first.
class Rebuilder {
 public:
  using TypeArgs = std::unordered_map<const Node*, std::vector<Type>>;
  Rebuilder(Solver& solver, const PointerMap<Node, Type>& types, const TypeArgs& typeArgs, Declare declare)
      : solver_(solver), types_(types), typeArgs_(typeArgs), declares_(declare == Declare::Yes) {}

  void take(const Expr& expr) {
    if (isa<Op>(expr) || isa<relax::GlobalVar>(expr) || isa<Constructor>(expr) || made_.find(expr.get())) return;
    const Expr made = rebuilt(expr, resolve(*types_.find(expr.get())));
    if (made != expr) made_.set(expr.get(), made);
  }
  /// What stands for an expression that was taken.
  template <class T>
  Ref<T> now(const Ref<T>& expr) const {
    const Expr* made = made_.find(expr.get());
    return made ? refAs<T>(*made) : expr;
  }

 private:
  Type resolve(const Type& type) {
    const Type outermost = solver_.outermost(type);
    if (!outermost || isa<TensorType>(outermost)) return solver_.resolve(outermost);
    if (const Type* known = resolved_.find(outermost.get())) return *known;
    const Type whole = solver_.resolve(outermost);
    resolved_.set(outermost.get(), whole);
    return whole;
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

  /// A copy of the type, changed by `set`; the very same node where neither its type is new nor `changes`.
  template <class T, class Set>
  Expr with(const T& node, const Type& type, bool changes, const Set& set) {
    if (!changes && hadType(node.sinfo, type)) return Expr(&node);
    T* copy = new T(node);
    copy->sinfo = type;
    set(*copy);
    return Ref<T>(copy);
  }
  template <class T>
  bool differs(const Ref<T>& expr) const {
    return made_.find(expr.get()) != nullptr;
  }
  template <class T>
  bool anyDiffers(const Array<Ref<T>>& exprs) const {
    return std::any_of(exprs.begin(), exprs.end(), [&](const Ref<T>& expr) { return differs(expr); });
  }
  template <class T>
  Array<Ref<T>> allNow(const Array<Ref<T>>& exprs) const {
    std::vector<Ref<T>> out;
    out.reserve(exprs.size());
    for (const Ref<T>& expr : exprs) out.push_back(now(expr));
    return Array<Ref<T>>(std::move(out));
  }

  Expr rebuilt(const Expr& expr, const Type& type) {
    if (const auto* var = as<Var>(expr)) return variable(*var, type);
    if (const auto* call = as<Call>(expr)) return this->call(*call, type);
    if (const auto* let = as<Let>(expr)) {
      return with(*let, type, differs(let->var) || differs(let->value) || differs(let->body), [&](Let& copy) {
        copy.var = now(let->var);
        copy.value = now(let->value);
        copy.body = now(let->body);
      });
    }
    if (const auto* function = as<Function>(expr)) return this->function(*function, type);
    if (const auto* match = as<Match>(expr)) return this->match(*match, type);
    if (const auto* constant = as<Constant>(expr)) return with(*constant, type, false, [](Constant&) {});
    if (const auto* tuple = as<Tuple>(expr)) {
      return with(*tuple, type, anyDiffers(tuple->items), [&](Tuple& copy) { copy.items = allNow(tuple->items); });
    }
    if (const auto* item = as<TupleGetItem>(expr)) {
      return with(*item, type, differs(item->tuple), [&](TupleGetItem& copy) { copy.tuple = now(item->tuple); });
    }
    if (const auto* branch = as<If>(expr)) {
      const bool changes = differs(branch->cond) || differs(branch->trueBranch) || differs(branch->falseBranch);
      return with(*branch, type, changes, [&](If& copy) {
        copy.cond = now(branch->cond);
        copy.trueBranch = now(branch->trueBranch);
        copy.falseBranch = now(branch->falseBranch);
      });
    }
    return reference(expr, type);
  }

  Expr reference(const Expr& expr, const Type& type) {
    if (const auto* made = as<RefCreate>(expr)) {
      return with(*made, type, differs(made->value), [&](RefCreate& copy) { copy.value = now(made->value); });
    }
    if (const auto* read = as<RefRead>(expr)) {
      return with(*read, type, differs(read->ref), [&](RefRead& copy) { copy.ref = now(read->ref); });
    }
    const auto* write = as<RefWrite>(expr);
    return with(*write, type, differs(write->ref) || differs(write->value), [&](RefWrite& copy) {
      copy.ref = now(write->ref);
      copy.value = now(write->value);
    });
  }

  Expr variable(const Var& var, const Type& type) {
    return with(var, type, declares_ && !var.typeAnnotation, [&](Var& copy) {
      if (declares_) copy.typeAnnotation = copy.typeAnnotation ? resolve(copy.typeAnnotation) : type;
    });
  }

  Expr call(const Call& call, const Type& type) {
    const auto args = typeArgs_.find(&call);
    std::vector<Type> found;
    for (size_t i = 0; args != typeArgs_.end() && i < args->second.size(); ++i)
      found.push_back(resolve(args->second[i]));
    const bool sameArgs = std::equal(found.begin(), found.end(), call.typeArgs.begin(), call.typeArgs.end(),
                                     [&](const Type& now, const Type& had) { return hadType(had, now); });
    return with(call, type, !sameArgs || differs(call.op) || anyDiffers(call.args), [&](Call& copy) {
      copy.op = now(call.op);
      copy.args = allNow(call.args);
      copy.typeArgs = Array<Type>(std::move(found));
    });
  }

  Expr function(const Function& function, const Type& type) {
    const bool declares = declares_ && !function.retType;
    return with(function, type, declares || differs(function.body) || anyDiffers(function.params), [&](Function& copy) {
      copy.params = allNow(function.params);
      copy.body = now(function.body);
      if (declares) copy.retType = as<FuncType>(type)->retType;
      if (declares_) copy.retType = resolve(copy.retType);
    });
  }

  Expr match(const Match& match, const Type& type) {
    const auto pre = [&](const NodeRef& node) -> NodeRef {
      if (const auto var = refAs<Var>(node)) return now(var);
      return isa<TypeNode>(node) ? node : nullptr;
    };
    std::vector<Ref<Clause>> clauses;
    bool changes = differs(match.data);
    for (const Ref<Clause>& clause : match.clauses) {
      const auto pattern = refAs<PatternNode>(rewriteGraph(clause->pattern, pre, nullptr));
      const bool same = pattern == clause->pattern && !differs(clause->value);
      clauses.push_back(same ? clause : make<Clause>(pattern, now(clause->value)));
      changes = changes || !same;
    }
    return with(match, type, changes, [&](Match& copy) {
      copy.data = now(match.data);
      copy.clauses = Array<Ref<Clause>>(std::move(clauses));
    });
  }

  Solver& solver_;
  const PointerMap<Node, Type>& types_;
  const TypeArgs& typeArgs_;
  bool declares_;
  PointerMap<Node, Type> resolved_;
  /// A chain of bindings has one and the same type, which may be long.
  PointerMap<Node, std::pair<Ref<Node>, Type>> equal_;
  PointerMap<Node, Expr> made_;
};

}  // namespace

FunctionRef FunctionInference::rebuilt(const FunctionRef& function, Declare declare) {
  Rebuilder rebuilder(solver_, types_, typeArgs_, declare);
  for (const Expr& expr : order_) rebuilder.take(expr);
  return rebuilder.now(function);
}

}  // namespace rx::relay
