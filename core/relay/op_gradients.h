// What the gradient of an operator's result is, as the gradients of its arguments.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/relay/emit.h"

namespace rx::relay {

/// The gradient that belongs to each argument. `call` has types and leaves as arguments; `grad` has its type. Empty
/// where the shapes of this call are not known well enough.
using OpGradient = std::vector<Expr> (*)(const Call& call, const Expr& self, const Expr& grad);

struct OpGradientRow {
  std::string_view op;
  OpGradient of;
};
/// All that there are, with the forms that TVM 0.18 gives them (python/tvm/relay/op/_tensor_grad.py).
std::span<const OpGradientRow> opGradients();
/// That of an operator; null where it has none.
OpGradient gradientOf(std::string_view op);

}  // namespace rx::relay
