// The function with the types that inference found. A node is copied where it, or what it holds, has another type now.
#include <algorithm>
#include <utility>

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
  /// `count`: of the expressions that will be taken.
  Rebuilder(Solver& solver, const TypeArgs& typeArgs, Declare declare, size_t count)
      : solver_(solver), typeArgs_(typeArgs), declares_(declare == Declare::Yes), count_(count) {}

  void take(const Expr& expr, const Type& type) {
    if (isa<Op>(expr) || isa<relax::GlobalVar>(expr) || isa<Constructor>(expr) || made_.find(expr.get())) return;
    const Expr made = rebuilt(expr, resolve(type));
    if (made == expr) return;
    if (made_.size() == 0) made_.reserve(count_);  // where one is new, those that hold it are
    made_.set(expr.get(), made);
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
  /// The expressions as they are now; `changes` becomes true where one is another.
  template <class T>
  Array<Ref<T>> now(const Array<Ref<T>>& exprs, bool& changes) const {
    std::vector<Ref<T>> out;
    out.reserve(exprs.size());
    for (const Ref<T>& expr : exprs) out.push_back(now(expr, changes));
    return Array<Ref<T>>(std::move(out));
  }
  template <class T>
  Ref<T> now(const Ref<T>& expr, bool& changes) const {
    Ref<T> made = now(expr);
    changes = changes || made != expr;
    return made;
  }

  Expr rebuilt(const Expr& expr, const Type& type) {
    if (const auto* var = as<Var>(expr)) return variable(*var, type);
    if (const auto* call = as<Call>(expr)) return this->call(*call, type);
    if (const auto* let = as<Let>(expr)) return this->let(*let, type);
    if (const auto* function = as<Function>(expr)) return this->function(*function, type);
    if (const auto* match = as<Match>(expr)) return this->match(*match, type);
    if (const auto* constant = as<Constant>(expr)) return with(*constant, type, false, [](Constant&) {});
    bool changes = false;
    if (const auto* tuple = as<Tuple>(expr)) {
      Array<Expr> items = now(tuple->items, changes);
      return with(*tuple, type, changes, [&](Tuple& copy) { copy.items = std::move(items); });
    }
    if (const auto* item = as<TupleGetItem>(expr)) {
      Expr tuple = now(item->tuple, changes);
      return with(*item, type, changes, [&](TupleGetItem& copy) { copy.tuple = std::move(tuple); });
    }
    if (const auto* branch = as<If>(expr)) {
      Expr cond = now(branch->cond, changes), yes = now(branch->trueBranch, changes);
      Expr no = now(branch->falseBranch, changes);
      return with(*branch, type, changes, [&](If& copy) {
        copy.cond = std::move(cond);
        copy.trueBranch = std::move(yes);
        copy.falseBranch = std::move(no);
      });
    }
    return reference(expr, type);
  }

  Expr let(const Let& let, const Type& type) {
    bool changes = false;
    VarRef var = now(let.var, changes);
    Expr value = now(let.value, changes), body = now(let.body, changes);
    return with(let, type, changes, [&](Let& copy) {
      copy.var = std::move(var);
      copy.value = std::move(value);
      copy.body = std::move(body);
    });
  }

  Expr reference(const Expr& expr, const Type& type) {
    bool changes = false;
    if (const auto* made = as<RefCreate>(expr)) {
      Expr value = now(made->value, changes);
      return with(*made, type, changes, [&](RefCreate& copy) { copy.value = std::move(value); });
    }
    if (const auto* read = as<RefRead>(expr)) {
      Expr ref = now(read->ref, changes);
      return with(*read, type, changes, [&](RefRead& copy) { copy.ref = std::move(ref); });
    }
    const auto* write = as<RefWrite>(expr);
    Expr ref = now(write->ref, changes), value = now(write->value, changes);
    return with(*write, type, changes, [&](RefWrite& copy) {
      copy.ref = std::move(ref);
      copy.value = std::move(value);
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
    bool changes = !sameArgs;
    Expr callee = isa<Op>(call.op) ? call.op : now(call.op, changes);
    Array<Expr> operands = now(call.args, changes);
    return with(call, type, changes, [&](Call& copy) {
      copy.op = std::move(callee);
      copy.args = std::move(operands);
      copy.typeArgs = Array<Type>(std::move(found));
    });
  }

  Expr function(const Function& function, const Type& type) {
    const bool declares = declares_ && !function.retType;
    bool changes = declares;
    Array<VarRef> params = now(function.params, changes);
    Expr body = now(function.body, changes);
    return with(function, type, changes, [&](Function& copy) {
      copy.params = std::move(params);
      copy.body = std::move(body);
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
    bool changes = false;
    Expr data = now(match.data, changes);
    for (const Ref<Clause>& clause : match.clauses) {
      const auto pattern = refAs<PatternNode>(rewriteGraph(clause->pattern, pre, nullptr));
      bool differs = pattern != clause->pattern;
      Expr value = now(clause->value, differs);
      clauses.push_back(differs ? make<Clause>(pattern, std::move(value)) : clause);
      changes = changes || differs;
    }
    return with(match, type, changes, [&](Match& copy) {
      copy.data = std::move(data);
      copy.clauses = Array<Ref<Clause>>(std::move(clauses));
    });
  }

  Solver& solver_;
  const TypeArgs& typeArgs_;
  bool declares_;
  size_t count_;
  PointerMap<Node, Type> resolved_;
  /// A chain of bindings has one and the same type, which may be long.
  PointerMap<Node, std::pair<Ref<Node>, Type>> equal_;
  PointerMap<Node, Expr> made_;
};

}  // namespace

FunctionRef FunctionInference::rebuilt(const FunctionRef& function, Declare declare) {
  Rebuilder rebuilder(solver_, typeArgs_, declare, order_.size());
  for (const auto& [expr, type] : order_) rebuilder.take(expr, type);
  return rebuilder.now(function);
}

}  // namespace rx::relay
