// Passes that put other operators in the place of some: FastMath, DivToMul.
#include <array>

#include "core/relay/op_table.h"
#include "core/relay/passes/pass_functions.h"

namespace rx::relay {

namespace {

struct Replacement {
  std::string_view name;
  const char* by;
};
constexpr std::array kFast = {
    Replacement{"exp", "fast_exp"},
    Replacement{"erf", "fast_erf"},
    Replacement{"tanh", "fast_tanh"},
    Replacement{"nn.softmax", "nn.fast_softmax"},
};

}  // namespace

Result<ir::Module> fastMath(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return onCalls(module, context, [](const Call&, const Ref<Call>& call, const OpRow& row) -> Expr {
    for (const Replacement& each : kFast) {
      if (row.name == each.name) return make<Call>(operatorNamed(each.by), call->args, call->attrs);
    }
    return nullptr;
  });
}

Result<ir::Module> divToMul(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return onCalls(module, context, [](const Call&, const Ref<Call>& call, const OpRow& row) -> Expr {
    const auto* divisor = row.name == "divide" ? as<Constant>(call->args[1]) : nullptr;
    if (!divisor || !divisor->data || !divisor->data->dtype().isFloat() || divisor->data->count() != 1) return nullptr;
    const auto reciprocal = HostTensor::scalar(divisor->data->dtype(), 1.0 / divisor->data->at(0));
    const auto shaped = reciprocal->reshaped(divisor->data->shape());
    if (!shaped) return nullptr;
    return make<Call>(operatorNamed("multiply"), Array<Expr>{call->args[0], make<Constant>(*shaped)});
  });
}

}  // namespace rx::relay
