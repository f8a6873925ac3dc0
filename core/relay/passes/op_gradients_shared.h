// The functions of the rows of op_gradients.def, and what several of them say. Private to the gradients of operators.
#pragma once

#include "core/relay/passes/op_gradients.h"

namespace rx::relay::gradients {

using Gradients = std::vector<Expr>;

#define RX_RELAY_GRADIENT(op, function) Gradients function(const Call& c, const Expr& self, const Expr& grad);
#include "core/relay/passes/op_gradients.def"

inline Expr add(const Expr& a, const Expr& b) { return callOp("add", {a, b}); }
inline Expr sub(const Expr& a, const Expr& b) { return callOp("subtract", {a, b}); }
inline Expr mul(const Expr& a, const Expr& b) { return callOp("multiply", {a, b}); }
inline Expr div(const Expr& a, const Expr& b) { return callOp("divide", {a, b}); }
inline Expr neg(const Expr& a) { return callOp("negative", {a}); }
inline Expr ones(const Expr& like) { return callOp("ones_like", {like}); }
inline Expr zeros(const Expr& like) { return callOp("zeros_like", {like}); }
inline Expr unary(const char* op, const Expr& a) { return callOp(op, {a}); }
inline Expr choose(const Expr& condition, const Expr& yes, const Expr& no) {
  return callOp("where", {condition, yes, no});
}
/// Summed over what broadcasting repeated.
inline Expr collapsed(const Expr& grad, const Expr& like) { return callOp("collapse_sum_like", {grad, like}); }
inline Expr broadcast(const Expr& grad, const Expr& like) { return callOp("broadcast_to_like", {grad, like}); }

inline Expr numberLike(double value, const Expr& like) {
  const TensorType* type = tensorOf(like);
  return number(value, type ? type->dtype : DataType::Float(32));
}

}  // namespace rx::relay::gradients
