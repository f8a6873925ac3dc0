// DecomposeOpsForInference and DecomposeOpsForTraining: normalizations as arithmetic, which other passes know how to
// fuse and fold. For training batch_norm also gives the moving averages that it updates.
#include "core/build/mutator.h"
#include "core/ir/constant.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::Expr;

Expr callOp(std::string_view name, std::vector<Expr> args) { return op::makeCall(name, std::move(args)); }

/// What the rewritings know of a call: its first argument is a tensor of a known type.
struct Operands {
  const relax::Call& call;
  const relax::TensorStructInfo& data;

  Expr scalar(double value) const { return relax::constantOf(HostTensor::scalar(data.dtype, value)); }
  Expr attrScalar(const char* name) const { return scalar(attr(name)); }
  double attr(const char* name) const {
    const NodeRef value = ir::attrOf(call.attrs, name);
    const auto* real = as<ir::FloatAttr>(value);
    return real ? real->value : static_cast<double>(ir::intAttrOf(call.attrs, name, 0));
  }
  bool flag(const char* name) const { return ir::boolAttrOf(call.attrs, name, true); }
  int64_t axis() const {
    const int64_t axis = ir::intAttrOf(call.attrs, "axis", 1);
    return axis < 0 ? axis + data.ndim : axis;
  }
  std::vector<int64_t> otherAxes() const {
    std::vector<int64_t> axes;
    for (int64_t i = 0; i < data.ndim; ++i) {
      if (i != axis()) axes.push_back(i);
    }
    return axes;
  }
  /// A vector along the axis, with the data's rank.
  Expr expanded(const Expr& vector) const {
    return op::makeCall("relax.expand_dims", {vector}, {{"axis", ir::intArrayAttr(otherAxes())}});
  }
  Expr reduced(std::string_view name, NodeRef axes, bool keep) const {
    return op::makeCall(name, {call.args[0]}, {{"axis", std::move(axes)}, {"keepdims", ir::boolAttr(keep)}});
  }
  /// (x - mean) / sqrt(variance + epsilon)
  Expr normalized(const Expr& mean, const Expr& variance) const {
    Expr deviation = callOp("relax.sqrt", {callOp("relax.add", {variance, attrScalar("epsilon")})});
    return callOp("relax.divide", {callOp("relax.subtract", {call.args[0], mean}), deviation});
  }
  Expr scaled(Expr value, const Expr& gamma, const Expr& beta) const {
    if (flag("scale")) value = callOp("relax.multiply", {value, gamma});
    if (flag("center")) value = callOp("relax.add", {value, beta});
    return value;
  }
};

Expr tupleOf(std::vector<Expr> items) { return make<relax::Tuple>(Array<Expr>(std::move(items))); }

Expr batchNorm(const Operands& in, build::BlockBuilder& builder) {
  const Array<Expr>& args = in.call.args;
  Expr mean = builder.emit(in.expanded(args[3]));
  Expr variance = in.expanded(args[4]);
  Expr value = in.normalized(mean, variance);
  if (in.flag("scale")) value = callOp("relax.multiply", {value, in.expanded(args[1])});
  if (in.flag("center")) value = callOp("relax.add", {value, in.expanded(args[2])});
  return tupleOf({value, args[3], args[4]});
}

/// A shape that only a run knows: the builtin gives it, a match_cast gives its sizes symbols.
Expr tensorToShape(const relax::Call& call, build::BlockBuilder& builder) {
  const auto* info = as<relax::ShapeStructInfo>(call.sinfo);
  if (!info || info->ndim < 0) return nullptr;
  auto asked =
      op::makeCall("relax.call_pure_packed", {make<relax::ExternFunc>(Str("vm.builtin.tensor_to_shape")), call.args[0]},
                   {}, {call.sinfo});
  Expr shape = builder.emit(asked);
  std::vector<tir::PrimExpr> dims;
  for (int64_t i = 0; i < info->ndim; ++i) dims.push_back(make<tir::Var>(Str("x"), DataType::Int(64)));
  const Array<tir::PrimExpr> values(std::move(dims));
  builder.emitMatchCast(shape, make<relax::ShapeStructInfo>(values), "y", {}, true);
  return make<relax::ShapeExpr>(values);
}

/// batch_norm over the statistics of this batch, and the moving averages after it.
Expr batchNormForTraining(const Operands& in, build::BlockBuilder& builder) {
  const Array<Expr>& args = in.call.args;
  const NodeRef axes = ir::intArrayAttr(in.otherAxes());
  Expr mean = builder.emit(in.reduced("relax.mean", axes, false));
  Expr variance = builder.emit(in.reduced("relax.variance", axes, false));
  auto normalized =
      make<relax::Call>(in.call.op, Array<Expr>{args[0], args[1], args[2], mean, variance}, in.call.attrs);
  Expr value = builder.emit(make<relax::TupleGetItem>(normalized, 0));
  auto moved = [&](const Expr& before, const Expr& now) {
    Expr kept = callOp("relax.multiply", {in.scalar(1 - in.attr("momentum")), before});
    return callOp("relax.add", {kept, callOp("relax.multiply", {in.attrScalar("momentum"), now})});
  };
  return tupleOf({value, moved(args[3], mean), moved(args[4], variance)});
}

Expr layerNormForTraining(const Operands& in, build::BlockBuilder&) {
  const NodeRef axes = ir::attrOf(in.call.attrs, "axes");
  Expr mean = in.reduced("relax.mean", axes, true);
  Expr variance = in.reduced("relax.variance", axes, true);
  return in.scaled(in.normalized(mean, variance), in.call.args[1], in.call.args[2]);
}

struct Rewriting {
  std::string_view op;
  Expr (*rewrite)(const Operands&, build::BlockBuilder&);
};
constexpr Rewriting kForTraining[] = {{"relax.nn.batch_norm", batchNormForTraining},
                                      {"relax.nn.layer_norm", layerNormForTraining}};
constexpr Rewriting kDecompose[] = {{"relax.nn.batch_norm", batchNorm}};

class Decomposer : public build::Mutator {
 public:
  Decomposer(build::ModuleContext& context, std::span<const Rewriting> rewritings, bool shapes,
             bool keepsTraining = false)
      : Mutator("DecomposeOps", &context), rewritings_(rewritings), shapes_(shapes), keepsTraining_(keepsTraining) {}

 protected:
  Expr visitCall(const Ref<relax::Call>& node) override {
    Expr visited = Mutator::visitCall(node);
    auto call = refAs<relax::Call>(visited);
    const auto* callee = call ? as<relax::Op>(call->op) : nullptr;
    if (!callee || call->args.empty()) return visited;
    call = callWithInfo(call, builder);
    if (!call) return visited;
    if (shapes_ && callee->name == "relax.tensor_to_shape") {
      Expr shape = tensorToShape(*call, builder);
      return shape ? shape : visited;
    }
    if (keepsTraining_ && ir::boolAttrOf(call->attrs, "training", false)) return visited;
    const auto* data = as<relax::TensorStructInfo>(call->args[0]->sinfo);
    for (const Rewriting& row : rewritings_) {
      if (data && data->ndim >= 0 && callee->name == row.op) return row.rewrite({*call, *data}, builder);
    }
    return visited;
  }

 private:
  std::span<const Rewriting> rewritings_;
  bool shapes_;
  bool keepsTraining_;
};

Result<ir::Module> decompose(const ir::Module& module, const ir::Attrs& options, pass::PassContext& context,
                             bool training) {
  const std::string_view only = ir::strAttrOf(options, "func_name");
  const bool keepsTraining = !training && ir::boolAttrOf(options, "keep_training", false);
  std::unordered_set<const relax::Function*> chosen;
  for (size_t i = 0; i < module->size(); ++i) {
    const auto* function = as<relax::Function>(module->functions[i]);
    if (function && (only.empty() || module->vars[i]->name == only)) chosen.insert(function);
  }
  return rewriteFunctions(
      module, context,
      [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) -> Result<relax::FunctionRef> {
        if (!chosen.contains(function.get())) return function;
        relax::FunctionRef now = function;
        if (training) {
          RX_TRY(trained, Decomposer(moduleContext, kForTraining, false).rewrite(now));
          now = trained;
        }
        return Decomposer(moduleContext, kDecompose, true, keepsTraining).rewrite(now);
      });
}

}  // namespace

Result<ir::Module> decomposeOpsForInference(const ir::Module& module, const ir::Attrs& options_,
                                            pass::PassContext& context) {
  return decompose(module, options_, context, false);
}

Result<ir::Module> decomposeOpsForTraining(const ir::Module& module, const ir::Attrs& options_,
                                           pass::PassContext& context) {
  return decompose(module, options_, context, true);
}

}  // namespace rx::transform
