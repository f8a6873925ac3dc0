// Gradients of operators that work element by element.
#include <cmath>
#include <numbers>

#include "core/relay/passes/op_gradients_shared.h"

namespace rx::relay::gradients {

// Functions of one argument: grad times the derivative at x.

Gradients logGrad(const Call& c, const Expr&, const Expr& grad) { return {div(mul(grad, ones(c.args[0])), c.args[0])}; }
static Gradients logOf(double base, const Expr& x, const Expr& grad) {
  return {div(mul(grad, ones(x)), mul(unary("log", numberLike(base, x)), x))};
}
Gradients log2Grad(const Call& c, const Expr&, const Expr& grad) { return logOf(2, c.args[0], grad); }
Gradients log10Grad(const Call& c, const Expr&, const Expr& grad) { return logOf(10, c.args[0], grad); }
Gradients tanGrad(const Call& c, const Expr&, const Expr& grad) {
  return {div(grad, mul(unary("cos", c.args[0]), unary("cos", c.args[0])))};
}
Gradients cosGrad(const Call& c, const Expr&, const Expr& grad) {
  return {mul(grad, mul(neg(ones(c.args[0])), unary("sin", c.args[0])))};
}
Gradients sinGrad(const Call& c, const Expr&, const Expr& grad) { return {mul(grad, unary("cos", c.args[0]))}; }
Gradients coshGrad(const Call& c, const Expr&, const Expr& grad) { return {mul(grad, unary("sinh", c.args[0]))}; }
Gradients sinhGrad(const Call& c, const Expr&, const Expr& grad) { return {mul(grad, unary("cosh", c.args[0]))}; }
Gradients expGrad(const Call& c, const Expr&, const Expr& grad) { return {mul(grad, unary("exp", c.args[0]))}; }
Gradients acosGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], one = ones(x);
  return {mul(grad, div(neg(one), unary("sqrt", sub(one, mul(x, x)))))};
}
Gradients asinGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], one = ones(x);
  return {div(mul(grad, one), unary("sqrt", sub(one, mul(x, x))))};
}
Gradients acoshGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], one = ones(x);
  return {div(mul(grad, one), unary("sqrt", sub(mul(x, x), one)))};
}
Gradients asinhGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], one = ones(x);
  return {div(mul(grad, one), unary("sqrt", add(one, mul(x, x))))};
}
Gradients atanGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], one = ones(x);
  return {div(mul(grad, one), add(one, mul(x, x)))};
}
Gradients atanhGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], one = ones(x);
  return {div(mul(grad, one), sub(one, mul(x, x)))};
}
Gradients sqrtGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr& x = c.args[0];
  const Expr half = numberLike(0.5, x);
  return {mul(mul(grad, half), callOp("power", {x, neg(half)}))};
}
Gradients rsqrtGrad(const Call& c, const Expr& self, const Expr& grad) {
  return {mul(mul(grad, numberLike(-0.5, c.args[0])), div(self, c.args[0]))};
}
Gradients sigmoidGrad(const Call&, const Expr& self, const Expr& grad) {
  return {mul(mul(grad, self), sub(ones(self), self))};
}
Gradients tanhGrad(const Call&, const Expr& self, const Expr& grad) {
  return {mul(grad, sub(ones(self), mul(self, self)))};
}
Gradients erfGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr& x = c.args[0];
  return {mul(mul(numberLike(2 / std::sqrt(std::numbers::pi), x), unary("exp", neg(mul(x, x)))), grad)};
}
Gradients reluGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], zero = zeros(x);
  return {choose(callOp("less", {x, zero}), zero, mul(ones(x), grad))};
}
Gradients absGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], zero = zeros(x), one = ones(x);
  return {choose(callOp("less", {x, zero}), mul(neg(one), grad), mul(one, grad))};
}
Gradients clipGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], zero = zeros(x);
  const Expr low = broadcast(numberLike(realAttrOf(c, "a_min"), x), x);
  const Expr high = broadcast(numberLike(realAttrOf(c, "a_max"), x), x);
  return {choose(callOp("less", {x, low}), zero, choose(callOp("less", {high, x}), zero, mul(ones(x), grad)))};
}
Gradients negativeGrad(const Call&, const Expr&, const Expr& grad) { return {neg(grad)}; }
Gradients copyGrad(const Call&, const Expr&, const Expr& grad) { return {grad}; }
/// Of a function that is flat, or whose argument gives its shape alone.
Gradients flatGrad(const Call& c, const Expr&, const Expr&) { return {zeros(c.args[0])}; }

// Functions of two arguments that broadcast.

Gradients addGrad(const Call& c, const Expr&, const Expr& grad) {
  return {collapsed(grad, c.args[0]), collapsed(grad, c.args[1])};
}
Gradients subtractGrad(const Call& c, const Expr&, const Expr& grad) {
  return {collapsed(grad, c.args[0]), collapsed(neg(grad), c.args[1])};
}
Gradients multiplyGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &x = c.args[0], &y = c.args[1];
  return {collapsed(mul(grad, y), x), collapsed(mul(grad, x), y)};
}
Gradients divideGrad(const Call& c, const Expr& self, const Expr& grad) {
  const Expr &x = c.args[0], &y = c.args[1];
  return {collapsed(div(grad, y), x), collapsed(neg(div(mul(grad, self), y)), y)};
}
/// `takes`: the comparison of x and y in which the result is x.
static Gradients extremeGrad(const Call& c, const Expr& grad, const char* takes) {
  const Expr &x = c.args[0], &y = c.args[1], first = callOp(takes, {x, y}), none = zeros(grad);
  return {collapsed(choose(first, grad, none), x), collapsed(choose(first, none, grad), y)};
}
Gradients maximumGrad(const Call& c, const Expr&, const Expr& grad) { return extremeGrad(c, grad, "greater_equal"); }
Gradients minimumGrad(const Call& c, const Expr&, const Expr& grad) { return extremeGrad(c, grad, "less_equal"); }
Gradients whereGrad(const Call& c, const Expr&, const Expr& grad) {
  const Expr &condition = c.args[0], none = zeros(grad);
  return {zeros(condition), collapsed(choose(condition, grad, none), c.args[1]),
          collapsed(choose(condition, none, grad), c.args[2])};
}

}  // namespace rx::relay::gradients
