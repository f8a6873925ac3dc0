#include "core/relay/passes/op_gradients.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/relay/passes/op_gradients_shared.h"

namespace rx::relay {

namespace {
constexpr OpGradientRow kRows[] = {
#define RX_RELAY_GRADIENT(op, function) {op, gradients::function},
#include "core/relay/passes/op_gradients.def"
};
}  // namespace

std::span<const OpGradientRow> opGradients() { return kRows; }

OpGradient gradientOf(std::string_view op) {
  const auto* row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const OpGradientRow& r) { return r.op == op; });
  return row == std::end(kRows) ? nullptr : row->of;
}

bool hasSlope(const Type& type) {
  const auto* tensor = as<TensorType>(type);
  return !tensor || tensor->dtype.isFloat();
}

Failure noGradient(const Expr& at, std::string message) {
  return fail(errorAt(at->span, "relay.gradient", std::move(message)));
}

Result<OpGradient> gradientOfCall(const Expr& call) {
  const std::string_view op = calledOperator(call)->name;
  const OpGradient gradient = gradientOf(op);
  if (!gradient && hasSlope(typeOf(call))) return noGradient(call, fmt::format("there is no gradient of {}", op));
  return gradient;
}

Result<std::vector<Expr>> argumentGradients(OpGradient gradient, const Call& call, const Expr& self, const Expr& grad,
                                            const Expr& at) {
  std::vector<Expr> gradients = gradient(call, self, grad);
  if (gradients.size() == call.args.size()) return gradients;
  return noGradient(at, fmt::format("there is no gradient of {} with these attributes, or shapes that are not known",
                                    calledOperator(Ref<Call>(&call))->name));
}

}  // namespace rx::relay
