// What the gradient of an operator's result is, as the gradients of its arguments.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/relay/emit.h"
#include "core/support/result.h"

namespace rx::relay {

/// The gradient that belongs to each argument, a tuple of them where that is a tuple. `call` has types and leaves as
/// arguments; `self` is what stands for it, `grad` has its type. Empty where the shapes of this call are not known well
/// enough, or its attributes ask for what has no gradient here.
using OpGradient = std::vector<Expr> (*)(const Call& call, const Expr& self, const Expr& grad);

struct OpGradientRow {
  std::string_view op;
  OpGradient of;
};
/// All that there are (op_gradients.def), with the meaning that TVM 0.18 gives them.
std::span<const OpGradientRow> opGradients();
/// That of an operator; null where it has none.
OpGradient gradientOf(std::string_view op);
/// Whether gradients go through a value of the type: conditions and indices have no slopes.
bool hasSlope(const Type& type);

/// Refuses an expression by relay.gradient.
Failure noGradient(const Expr& at, std::string message);
/// The gradient of the operator that a call with types calls; null where there is none and none is needed, as the
/// result has no slope.
Result<OpGradient> gradientOfCall(const Expr& call);
/// What a gradient gives for the arguments of a call, which stands at `at`.
Result<std::vector<Expr>> argumentGradients(OpGradient gradient, const Call& call, const Expr& self, const Expr& grad,
                                            const Expr& at);

}  // namespace rx::relay
