// Passes that take weights in another form: functions get parameters for it, named after those that they replace.
#include <algorithm>
#include <map>

#include "core/relay/emit.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// The weights of a pass by name, and the numbers that are stated of each.
using Weights = std::map<std::string, std::vector<int64_t>, std::less<>>;

/// Makes the call that takes new parameters instead of a weight, or gives null; appends those parameters.
using TakeInstead = std::function<Expr(const Call& call, const Var& weight, std::vector<VarRef>& params)>;

VarRef parameter(const Var& weight, const char* suffix, std::span<const int64_t> shape, DataType dtype) {
  Dims dims;
  for (const int64_t extent : shape) dims.push_back(dim(extent));
  return make<Var>(Str(weight.name.string() + suffix), tensorType(dims, dtype));
}

/// Functions in which calls take new parameters; what is no longer used is no parameter.
Result<ir::Module> replaceWeights(const ir::Module& module, pass::PassContext& context, std::string_view op,
                                  const std::function<const Var*(const Expr&)>& weightOf, const TakeInstead& take) {
  return onTypedFunctions(module, context, [&](const FunctionRef& function) -> Result<FunctionRef> {
    std::vector<VarRef> added;
    auto rewrite = [&](const Call& before, const Ref<Call>& now, const OpRow& row) -> Expr {
      const Var* weight = row.name == op ? weightOf(before.args[1]) : nullptr;
      return weight ? take(*now, *weight, added) : nullptr;
    };
    const Expr body = rewriteCalls(function->body, rewrite);
    if (body == function->body) return function;
    std::vector<VarRef> params = freeVariables(body);
    std::erase_if(params, [&](const VarRef& var) { return std::find(added.begin(), added.end(), var) != added.end(); });
    params.insert(params.end(), added.begin(), added.end());
    Function* out = new Function(*function);
    out->params = Array<VarRef>(std::move(params));
    out->body = body;
    return FunctionRef(out);
  });
}

Result<Weights> weightsOf(const ir::Attrs& given) {
  Weights out;
  const auto* names = as<ir::ArrayAttr>(ir::attrOf(given, "weight_name"));
  const auto* shapes = as<ir::ArrayAttr>(ir::attrOf(given, "weight_shape"));
  for (size_t i = 0; names && shapes && i < names->items.size() && i < shapes->items.size(); ++i) {
    const auto* name = as<ir::StrAttr>(names->items[i]);
    const auto shape = intsOf(shapes->items[i]);
    if (name && shape && (shape->size() == 4 || shape->size() == 5)) out.emplace(name->value.string(), *shape);
  }
  const size_t count = names ? names->items.size() : 0;
  if (!shapes || shapes->items.size() != count || out.size() != count) {
    return fail("pass.option-value", "weight_shape has to state 4 or 5 numbers of each weight of weight_name");
  }
  return out;
}

const Var* variable(const Expr& expr) { return as<Var>(expr); }

/// A call of `sparse` that takes the blocks of a weight, their columns, and where rows begin.
Expr sparseCall(const char* sparse, const Call& call, const Var& weight, const Weights& weights, NamedAttrs attrs,
                std::vector<VarRef>& params) {
  const auto stated = weights.find(weight.name.view());
  if (stated == weights.end()) return nullptr;
  const std::span<const int64_t> shape(stated->second);
  const size_t rank = shape.size() - 2;
  const std::vector<VarRef> made{parameter(weight, ".data", shape.first(rank), DataType::Float(32)),
                                 parameter(weight, ".indices", shape.subspan(rank, 1), DataType::Int(32)),
                                 parameter(weight, ".indptr", shape.subspan(rank + 1, 1), DataType::Int(32))};
  params.insert(params.end(), made.begin(), made.end());
  return callOp(sparse, {call.args[0], made[0], made[1], made[2]}, attrs);
}

}  // namespace

Result<ir::Module> denseToSparse(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  RX_TRY(weights, weightsOf(given));
  return replaceWeights(module, context, "nn.dense", variable,
                        [&](const Call& call, const Var& weight, std::vector<VarRef>& params) {
                          return sparseCall("nn.sparse_dense", call, weight, weights, {}, params);
                        });
}

Result<ir::Module> conv2dToSparse(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  RX_TRY(weights, weightsOf(given));
  const NodeRef size = ir::intAttr(ir::intAttrOf(given, "kernel_size", 1));
  const NodeRef layout = ir::attrOf(given, "layout"), kernel = ir::arrayAttr({size, size});
  return replaceWeights(module, context, "nn.conv2d", variable,
                        [&](const Call& call, const Var& weight, std::vector<VarRef>& params) {
                          return sparseCall("nn.sparse_conv2d", call, weight, weights,
                                            {{"layout", layout}, {"kernel_size", kernel}}, params);
                        });
}

Result<ir::Module> simplifyFcTranspose(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  const auto* names = as<ir::ArrayAttr>(ir::attrOf(given, "target_weight_name"));
  auto isTarget = [&](const Var& var) {
    return names && std::any_of(names->items.begin(), names->items.end(), [&](const NodeRef& item) {
             const auto* name = as<ir::StrAttr>(item);
             return name && name->value == var.name;
           });
  };
  auto transposed = [](const Expr& expr) {
    return isCallOf(expr, "transpose") ? as<Var>(as<Call>(expr)->args[0]) : nullptr;
  };
  return replaceWeights(
      module, context, "nn.dense", transposed,
      [&](const Call& call, const Var& weight, std::vector<VarRef>& params) -> Expr {
        const auto* type = as<TensorType>(weight.typeAnnotation);
        if (!isTarget(weight) || !type || type->shape.size() != 2) return nullptr;
        const Dims turned{type->shape[1], type->shape[0]};
        params.push_back(make<Var>(Str(weight.name.string() + ".T"), tensorType(turned, type->dtype)));
        return callAgain(call, {call.args[0], params.back()}, call.attrs);
      });
}

}  // namespace rx::relay
