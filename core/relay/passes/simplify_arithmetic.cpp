// Rules of SimplifyExpr for sums, products and quotients.
#include <cmath>

#include "core/ir/structural_equal.h"
#include "core/relay/passes/fold.h"
#include "core/relay/passes/simplify_rules.h"

namespace rx::relay {

namespace {

PatternRef sum(PatternRef a, PatternRef b) { return callOf({"add"}, {std::move(a), std::move(b)}); }
PatternRef product(PatternRef a, PatternRef b) { return callOf({"multiply"}, {std::move(a), std::move(b)}); }

/// Whether an operand has the type of the result, so that it may stand in its place.
bool isWhole(const Expr& operand, const Call& root) { return structuralEqual(operand->sinfo, root.sinfo); }

bool isNumber(const Expr& constant, double value) {
  const Ref<HostTensor> data = constantData(constant);
  return data && data->rank() == 0 && data->at(0) == value;
}

/// c * x^2, in the forms that it is written in.
PatternRef square(const PatternRef& factor, const PatternRef& x) {
  return either({product(factor, product(x, x)), product(x, product(factor, x)), product(x, x)});
}

/// The coefficients of a x^2 + b x y + c y^2 and what x and y are.
struct Binomial {
  Expr x, y;
  double a, b, c;
};

Expr factored(Binomial form, DataType dtype) {
  if (form.c == 1 && form.a > 1) {
    std::swap(form.x, form.y);
    std::swap(form.a, form.c);
  }
  const double square = form.b * form.b - 4 * form.a * form.c;
  if (square < 0) return nullptr;
  auto factor = [&](double root) {
    const Expr scaled = callOp("multiply", {form.y, number((form.b + root) / (2 * form.a), dtype)});
    return callOp("add", {form.x, scaled});
  };
  constexpr double kNearlyNone = 10e-5;
  const Expr first = factor(std::sqrt(square));
  const Expr second = square < kNearlyNone ? first : factor(-std::sqrt(square));
  return callOp("multiply", {number(form.a, dtype), callOp("multiply", {first, second})});
}

}  // namespace

PatternRule sumOfSameRule() {
  const PatternRef x = anyExpr();
  return ruleOf(sum(x, x), [=](const Call& root, const PatternMatch& match) -> Expr {
    const auto* type = as<TensorType>(root.sinfo);
    return type ? callOp("multiply", {match[x], number(2, type->dtype)}) : nullptr;
  });
}

PatternRule reciprocalRootRule() {
  const PatternRef x = anyExpr(), numerator = anyExpr();
  return ruleOf(callOf({"divide"}, {numerator, callOf({"sqrt"}, {x})}), [=](const Call&, const PatternMatch& match) {
    return callOp("multiply", {match[numerator], callOp("rsqrt", {match[x]})});
  });
}

PatternRule identityRule() {
  const PatternRef x = anyExpr(), constant = anyConstant();
  const PatternRef zeros = either({callOf({"zeros"}, {}), callOf({"zeros_like"}, {anyExpr()}), constant});
  const PatternRef ones = either({callOf({"ones"}, {}), callOf({"ones_like"}, {anyExpr()}), constant});
  const PatternRef pattern =
      either({sum(x, zeros), product(x, ones), callOf({"subtract"}, {x, zeros}), callOf({"divide"}, {x, ones})});
  return ruleOf(pattern, [=](const Call& root, const PatternMatch& match) -> Expr {
    const std::string_view op = calledOperator(Ref<Call>(&root))->name;
    const double neutral = op == "add" || op == "subtract" ? 0 : 1;
    if (match[constant] && !isNumber(match[constant], neutral)) return nullptr;
    return isWhole(match[x], root) ? match[x] : nullptr;
  });
}

PatternRule fullOperandRule() {
  const PatternRef x = anyExpr(), value = anyConstant();
  const PatternRef full = either({callOf({"full"}, {value}), callOf({"full_like"}, {anyExpr(), value})});
  const PatternRef ones = either({callOf({"ones"}, {}), callOf({"ones_like"}, {anyExpr()})});
  const PatternRef zeros = either({callOf({"zeros"}, {}), callOf({"zeros_like"}, {anyExpr()})});
  const PatternRef any = either({full, ones, zeros});
  auto broadcasts = [](const OpRow& row) { return row.pattern == OpPattern::Broadcast; };
  const PatternRef pattern = either({callWhere(broadcasts, {any, x}), callWhere(broadcasts, {x, any})});
  return ruleOf(pattern, [=](const Call& root, const PatternMatch& match) -> Expr {
    const auto* type = as<TensorType>(root.sinfo);
    if (!type || !isWhole(match[x], root)) return nullptr;
    const Expr number = match[full] ? match[value] : relay::number(match[ones] ? 1 : 0, type->dtype);
    const bool isLeft = root.args[1] == match[x];
    return callAgain(root, isLeft ? std::vector{number, match[x]} : std::vector{match[x], number}, root.attrs);
  });
}

std::vector<PatternRule> constantRules(const ir::Module& module) {
  const PatternRef x = anyExpr(), c1 = anyConstant(), c2 = anyConstant();
  const PatternRule distributed = ruleOf(product(sum(x, c1), c2), [=](const Call&, const PatternMatch& match) -> Expr {
    if (isa<Constant>(match[x])) return nullptr;
    const Expr offset = foldedCall(module, callOp("multiply", {match[c1], match[c2]}));
    return callOp("add", {callOp("multiply", {match[x], match[c2]}), offset});
  });
  const PatternRule joined = ruleOf(either({product(product(x, c1), c2), sum(sum(x, c1), c2)}),
                                    [=](const Call& root, const PatternMatch& match) -> Expr {
                                      if (isa<Constant>(match[x])) return nullptr;
                                      const Expr both = callAgain(root, {match[c1], match[c2]}, root.attrs);
                                      return callAgain(root, {match[x], foldedCall(module, both)}, root.attrs);
                                    });
  return {distributed, joined};
}

PatternRule binomialRule() {
  const PatternRef x = anyExpr(), y = anyExpr(), a = anyConstant(), b = anyConstant(), c = anyConstant();
  const PatternRef xx = square(a, x), yy = square(c, y);
  const PatternRef xy =
      either({product(b, product(x, y)), product(x, product(b, y)), product(y, product(b, x)), product(x, y)});
  const PatternRef pattern = either({sum(sum(xy, xx), yy), sum(sum(xy, yy), xx), sum(sum(xx, yy), xy)});
  return ruleOf(pattern, [=](const Call& root, const PatternMatch& match) -> Expr {
    const auto* type = as<TensorType>(root.sinfo);
    auto coefficient = [&](const PatternRef& factor) {
      const Ref<HostTensor> data = match[factor] ? constantData(match[factor]) : nullptr;
      return data && data->count() > 0 ? data->at(0) : 1.0;
    };
    return type ? factored({match[x], match[y], coefficient(a), coefficient(b), coefficient(c)}, type->dtype) : nullptr;
  });
}

}  // namespace rx::relay
