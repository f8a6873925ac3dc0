// FirstOrderGradient: a function returns its result and the gradients of its parameters. Every value of the dataflow
// gets an adjoint that starts at zero; from the last value back, each adds to the adjoints of what it was made of.
#include <functional>

#include "core/relay/passes/let_list.h"
#include "core/relay/passes/op_gradients.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"
#include "core/support/stack.h"

namespace rx::relay {

namespace {

/// Zero of a type without functions and references; null where it has them, or where an extent is not known.
Expr zeroOf(const Type& type) {
  if (const auto* tensor = as<TensorType>(type)) {
    for (const Dim& dim : tensor->shape)
      if (!tir::asInt(dim)) return nullptr;
    return callOp("zeros", {}, {{"shape", shapeAttr(tensor->shape.vector())}, {"dtype", dtypeAttr(tensor->dtype)}});
  }
  const auto* tuple = as<TupleType>(type);
  if (!tuple) return nullptr;
  std::vector<Expr> items;  // tuples of tuples have no adjoint in TVM
  for (const Type& item : tuple->items) {
    items.push_back(isa<TensorType>(item) ? zeroOf(item) : nullptr);
    if (!items.back()) return nullptr;
  }
  return tupleOf(std::move(items));
}

class ReverseMode {
 public:
  Result<FunctionRef> run(const Function& function) {
    if (!function.typeParams.empty()) return noGradient(function.body, "a function of any types has no gradient");
    std::vector<Adjoint*> params;
    for (const VarRef& param : function.params) {
      RX_TRY(adjoint, adjointOf(param, param));
      params.push_back(adjoint);
    }
    for (const Expr& expr : postOrder(function.body)) RX_CHECK(visit(expr));
    RX_TRY(result, known(function.body));
    if (!isa<TensorType>(result->forward->sinfo))
      return noGradient(function.body, "the gradient is that of one tensor, and this function returns another value");
    result->reverse = callOp("ones_like", {result->forward});
    LetList backward;
    for (size_t i = steps_.size(); i-- > 0;) RX_CHECK(steps_[i](backward));
    std::vector<Expr> gradients;
    for (const Adjoint* param : params) gradients.push_back(param->reverse);
    const Expr both = tupleOf({result->forward, backward.wrap(tupleOf(std::move(gradients)))});
    const Expr body = forward_.wrap(both);
    return make<Function>(function.params, body, refAs<TypeNode>(both->sinfo), function.typeParams, function.attrs);
  }

 private:
  struct Adjoint {
    Expr forward, reverse;
  };
  using Step = std::function<Result<Unit>(LetList&)>;

  /// The sum of two adjoints of a type.
  static Expr sumOf(const Type& type, const Expr& a, const Expr& b, LetList& list) {
    const auto* tuple = as<TupleType>(type);
    if (!tuple) return list.push(callOp("add", {a, b}));
    std::vector<Expr> items;
    for (size_t i = 0; i < tuple->items.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      const Expr x = list.push(itemOf(a, at)), y = list.push(itemOf(b, at));
      items.push_back(withStack([&] { return sumOf(tuple->items[i], x, y, list); }));
    }
    return list.push(tupleOf(std::move(items)));
  }

  /// Binds a value and its adjoint, which is zero.
  Result<Adjoint*> adjointOf(const Expr& original, const Expr& value) {
    Adjoint adjoint;
    adjoint.forward = forward_.push(value);
    const auto type = refAs<TypeNode>(value->sinfo);
    const Expr zero = isa<TensorType>(type) ? callOp("zeros_like", {adjoint.forward}) : type ? zeroOf(type) : nullptr;
    if (!zero) return noGradient(original, "of this value the type is not known, or one that has no gradient");
    adjoint.reverse = forward_.push(zero);
    auto& kept = adjoints_[original.get()];
    kept = std::make_unique<Adjoint>(std::move(adjoint));
    return kept.get();
  }

  /// That of a value that was visited, which operators as values are not.
  Result<Adjoint*> known(const Expr& expr) const {
    const auto found = adjoints_.find(expr.get());
    if (found == adjoints_.end()) return noGradient(expr, "an operator has no gradient where it is not called");
    return found->second.get();
  }

  /// Those of the parts of a value, and what these are.
  struct Parts {
    std::vector<Adjoint*> adjoints;
    std::vector<Expr> forwards;
  };
  Result<Parts> partsOf(const Array<Expr>& values) const {
    Parts parts;
    for (const Expr& value : values) {
      RX_TRY(adjoint, known(value));
      parts.adjoints.push_back(adjoint);
      parts.forwards.push_back(adjoint->forward);
    }
    return parts;
  }

  Result<Unit> visit(const Expr& expr) {
    if (adjoints_.contains(expr.get()) || isa<Op>(expr)) return Unit{};
    if (const auto call = refAs<Call>(expr); call && isa<Op>(call->op)) return visitCall(call);
    if (const auto tuple = refAs<Tuple>(expr)) return visitTuple(tuple);
    if (const auto item = refAs<TupleGetItem>(expr)) return visitItem(item);
    if (isa<Constant>(expr)) {
      RX_CHECK(adjointOf(expr, expr));
      return Unit{};
    }
    return noGradient(expr, "only functions of operators and tuples have a gradient of first order");
  }

  Result<Unit> visitCall(const Ref<Call>& call) {
    RX_TRY(gradient, gradientOfCall(call));
    RX_TRY(args, partsOf(call->args));
    const Expr again = callAgain(*call, std::move(args.forwards), call->attrs);
    RX_TRY(made, adjointOf(call, again));
    if (!gradient) return Unit{};
    steps_.push_back([=, args = std::move(args.adjoints)](LetList& backward) -> Result<Unit> {
      RX_TRY(gradients, argumentGradients(gradient, *as<Call>(again), again, made->reverse, call));
      for (size_t i = 0; i < args.size(); ++i) {
        const Type type = typeOf(args[i]->forward);
        if (hasSlope(type)) args[i]->reverse = sumOf(type, args[i]->reverse, gradients[i], backward);
      }
      return Unit{};
    });
    return Unit{};
  }

  Result<Unit> visitTuple(const Ref<Tuple>& tuple) {
    RX_TRY(items, partsOf(tuple->items));
    RX_TRY(made, adjointOf(tuple, tupleOf(std::move(items.forwards))));
    steps_.push_back([=, items = std::move(items.adjoints)](LetList& backward) -> Result<Unit> {
      for (size_t i = 0; i < items.size(); ++i) {
        const Expr part = itemOf(made->reverse, static_cast<int64_t>(i));
        items[i]->reverse = backward.push(callOp("add", {items[i]->reverse, part}));
      }
      return Unit{};
    });
    return Unit{};
  }

  Result<Unit> visitItem(const Ref<TupleGetItem>& item) {
    RX_TRY(tuple, known(item->tuple));
    RX_TRY(made, adjointOf(item, itemOf(tuple->forward, item->index)));
    steps_.push_back([=](LetList& backward) -> Result<Unit> {
      const auto* type = as<TupleType>(tuple->forward->sinfo);
      const Expr sum = backward.push(callOp("add", {itemOf(tuple->reverse, item->index), made->reverse}));
      std::vector<Expr> items;
      for (int64_t i = 0; i < static_cast<int64_t>(type->items.size()); ++i)
        items.push_back(i == item->index ? sum : itemOf(tuple->reverse, i));
      tuple->reverse = backward.push(tupleOf(std::move(items)));
      return Unit{};
    });
    return Unit{};
  }

  LetList forward_;
  std::unordered_map<const Node*, std::unique_ptr<Adjoint>> adjoints_;  ///< by the value of the function
  std::vector<Step> steps_;                                             ///< back from the last value
};

}  // namespace

Result<ir::Module> firstOrderGradient(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return onFunctions(module, context, [](const FunctionRef& function) { return ReverseMode().run(*function); });
}

}  // namespace rx::relay
