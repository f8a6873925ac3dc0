#include <array>

#include "core/relay/emit.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// A normalisation taken apart: what is known of its data.
struct Normalized {
  const Call& call;
  DataType dtype;
  size_t rank;
  size_t axis;  ///< of the channels

  Expr epsilon(const char* name) const {
    return number(static_cast<double>(static_cast<float>(realAttrOf(call, name, 1e-5))), dtype);
  }
  /// A vector over the channels, as far as the attribute asks for it: `op` of what there is and it.
  Expr apply(const char* op, const char* flag, const Expr& data, const Expr& vector) const {
    return intAttrOf(call, flag) != 0 ? callOp(op, {data, expandBias(vector, rank, axis)}) : data;
  }
  /// (data - mean) / sqrt(variance + epsilon) over some axes.
  Expr standardized(const Expr& data, std::span<const int64_t> axes) const {
    const NodeRef over = ir::intArrayAttr(axes), keep = ir::boolAttr(true);
    const Expr mean = callOp("mean", {data}, {{"axis", over}, {"keepdims", keep}});
    const Expr variance = callOp("variance", {data, mean}, {{"axis", over}, {"keepdims", keep}});
    const Expr deviation = callOp("sqrt", {callOp("add", {variance, epsilon("epsilon")})});
    return callOp("divide", {callOp("subtract", {data, mean}), deviation});
  }
  Expr scaledAndShifted(const Expr& data) const {
    return apply("add", "center", apply("multiply", "scale", data, call.args[1]), call.args[2]);
  }
};

Expr batchNorm(const Normalized& n) {
  const Expr deviation = callOp("sqrt", {callOp("add", {n.call.args[4], n.epsilon("epsilon")})});
  Expr scale = callOp("divide", {number(1, n.dtype), deviation});
  if (intAttrOf(n.call, "scale") != 0) scale = callOp("multiply", {scale, n.call.args[1]});
  Expr shift = callOp("multiply", {callOp("negative", {n.call.args[3]}), scale});
  if (intAttrOf(n.call, "center") != 0) shift = callOp("add", {shift, n.call.args[2]});
  const Expr scaled = callOp("multiply", {n.call.args[0], expandBias(scale, n.rank, n.axis)});
  return callOp("add", {scaled, expandBias(shift, n.rank, n.axis)});
}

Expr layerNorm(const Normalized& n) {
  const int64_t axes[] = {intAttrOf(n.call, "axis")};
  return n.scaledAndShifted(n.standardized(n.call.args[0], axes));
}

Expr instanceNorm(const Normalized& n) {
  std::vector<int64_t> axes;
  for (size_t i = 1; i < n.rank; ++i) {
    if (i != n.axis) axes.push_back(static_cast<int64_t>(i));
  }
  return n.scaledAndShifted(n.standardized(n.call.args[0], axes));
}

Expr groupNorm(const Normalized& n) {
  const auto shape = extentsOf(n.call.args[0]);
  const int64_t groups = intAttrOf(n.call, "num_groups", 1);
  if (!shape || groups <= 0) return nullptr;
  std::vector<int64_t> grouped, axes;
  for (size_t i = 0; i < n.rank; ++i) {
    if (i >= n.axis) axes.push_back(static_cast<int64_t>(i) + 1);
    if (i == n.axis) grouped.push_back(groups);
    grouped.push_back(i == n.axis ? (*shape)[i] / groups : (*shape)[i]);
  }
  const Expr out = n.standardized(reshape(n.call.args[0], std::move(grouped)), axes);
  return n.scaledAndShifted(reshape(out, *shape));
}

Expr l2Normalize(const Normalized& n) {
  const Expr& data = n.call.args[0];
  const Expr sum = callOp("sum", {callOp("multiply", {data, data})},
                          {{"axis", attrOf(n.call, "axis")}, {"keepdims", ir::boolAttr(true)}});
  const Expr epsilon = number(static_cast<double>(static_cast<float>(realAttrOf(n.call, "eps"))), DataType::Float(32));
  return callOp("divide", {data, callOp("sqrt", {callOp("maximum", {sum, epsilon})})});
}

struct Rule {
  std::string_view op;
  Expr (*apply)(const Normalized&);
  bool givesTuple;  ///< its first item is what is taken apart
};
constexpr std::array kRules = {
    Rule{"nn.batch_norm", batchNorm, true},
    Rule{"nn.layer_norm", layerNorm, false},
    Rule{"nn.group_norm", groupNorm, false},
    Rule{"nn.instance_norm", instanceNorm, false},
    Rule{"nn.l2_normalize", l2Normalize, false},
    Rule{"nn.dropout", [](const Normalized& n) { return n.call.args[0]; }, true},
};

/// What a call, or the first item of one, is in terms of simpler operators; null where it stays.
Expr simplified(const Expr& expr) {
  const auto* item = as<TupleGetItem>(expr);
  if (item && item->index != 0) return nullptr;
  const Expr& called = item ? item->tuple : expr;
  const OpRow* row = calledOperator(called);
  if (!row) return nullptr;
  for (const Rule& rule : kRules) {
    if (rule.op != row->name || rule.givesTuple != (item != nullptr)) continue;
    const auto* call = as<Call>(called);
    const TensorType* data = tensorOf(call->args[0]);
    if (!data) return nullptr;
    const size_t rank = data->shape.size();
    const Expr out = rule.apply({*call, data->dtype, rank, positiveAxis(intAttrOf(*call, "axis", 0), rank)});
    return out;
  }
  return nullptr;
}

}  // namespace

Result<ir::Module> simplifyInference(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return onTypedFunctions(module, context, [](const FunctionRef& function) -> Result<FunctionRef> {
    return refAs<Function>(rewriteGraph(function, nullptr, [](const NodeRef&, const NodeRef& now) -> NodeRef {
      const bool may = isa<Call>(now) || isa<TupleGetItem>(now);
      const Expr made = may ? simplified(refAs<relax::ExprNode>(now)) : nullptr;
      return made ? NodeRef(made) : now;
    }));
  });
}

/// nn.bias_add is an addition.
Result<ir::Module> canonicalizeOps(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return onCalls(module, context, [](const Call&, const Ref<Call>& call, const OpRow& row) -> Expr {
    const TensorType* data = row.name == "nn.bias_add" ? tensorOf(call->args[0]) : nullptr;
    if (!data) return nullptr;
    const size_t rank = data->shape.size();
    const size_t axis = positiveAxis(intAttrOf(*call, "axis"), rank);
    return axis < rank ? callOp("add", {call->args[0], expandBias(call->args[1], rank, axis)}) : nullptr;
  });
}

}  // namespace rx::relay
