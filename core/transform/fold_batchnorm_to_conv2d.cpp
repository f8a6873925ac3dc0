// FoldBatchnormToConv2D: a batch_norm behind a convolution, both with constant weights, as other weights and a sum.
#include "core/build/mutator.h"
#include "core/op/rules.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::Expr;

/// A convolution and the batch_norm that follows it.
struct Group {
  Ref<relax::Call> conv, norm;
};

class NormFolder : public build::Mutator {
 public:
  explicit NormFolder(build::ModuleContext& context) : Mutator("FoldBatchnormToConv2D", &context) {}

 protected:
  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    const Expr value = visit(binding->value);
    const auto* item = as<relax::TupleGetItem>(value);
    const std::optional<Group> group = item && item->index == 0 ? groupOf(item->tuple) : std::nullopt;
    const Expr now = group ? folded(*group) : nullptr;
    rebind(binding, now ? now : value);
    if (const auto call = refAs<relax::Call>(value)) calls_[as<relax::Var>(mapped(binding->var))] = call;
  }

 private:
  Ref<relax::Call> callOf(const Expr& expr, std::string_view op) const {
    auto known = calls_.find(as<relax::Var>(expr));
    return known == calls_.end() ? nullptr : transform::callOf(known->second, op);
  }
  std::optional<Group> groupOf(const Expr& normalized) const {
    const auto norm = callOf(normalized, "relax.nn.batch_norm");
    const auto conv = norm ? callOf(norm->args[0], "relax.nn.conv2d") : nullptr;
    if (!conv || !isa<relax::Constant>(conv->args[1])) return std::nullopt;
    for (size_t i = 1; i < 5; ++i) {
      if (!isa<relax::Constant>(norm->args[i])) return std::nullopt;
    }
    return Group{conv, norm};
  }

  /// Null where the layout of the weights is not known to be scaled.
  static Expr folded(const Group& group) {
    const auto& [conv, norm] = group;
    const Expr &gamma = norm->args[1], &beta = norm->args[2], &mean = norm->args[3], &variance = norm->args[4];
    auto call = [](std::string_view op, std::vector<Expr> args) { return Expr(op::makeCall(op, std::move(args))); };
    auto shaped = [&](const Expr& tensor, size_t rankAt, const Expr& like) {
      const auto* info = as<relax::TensorStructInfo>(like->sinfo);
      std::vector<tir::PrimExpr> dims(4, tir::intImm(1));
      dims[rankAt] = as<relax::ShapeExpr>(info->shape)->values[0];
      return call("relax.reshape", {tensor, make<relax::ShapeExpr>(Array<tir::PrimExpr>(std::move(dims)))});
    };
    const std::string_view layout = op::strAttr(*conv, "kernel_layout");
    if (layout != "OIHW" && layout != "IOHW") return nullptr;
    const Expr epsilon = make<relax::PrimValue>(tir::floatImm(op::floatAttr(*norm, "epsilon")));
    const Expr scale = call("relax.divide", {gamma, call("relax.sqrt", {call("relax.add", {variance, epsilon})})});
    const Expr shift = call("relax.subtract", {beta, call("relax.multiply", {mean, scale})});
    const Expr weight = call("relax.multiply", {conv->args[1], shaped(scale, layout == "OIHW" ? 0 : 1, gamma)});
    const Expr product = make<relax::Call>(conv->op, Array<Expr>{conv->args[0], weight}, conv->attrs);
    return call("relax.add", {product, shaped(shift, 1, beta)});
  }

  std::unordered_map<const relax::Var*, Ref<relax::Call>> calls_;
};

Result<relax::FunctionRef> rewritten(const relax::FunctionRef& function, build::ModuleContext& context,
                                     const ir::IRModule* module) {
  if (ir::intAttrOf(function->attrs, "Primitive", 0) != 0) return function;
  RX_TRY(folded, NormFolder(context).rewrite(function));
  if (folded == function) return function;
  RX_TRY(plain, canonicalizeBindings(folded, context));
  RX_TRY(once, eliminateCommonValues(plain, context, module, false));
  RX_TRY(aliases, canonicalizeBindings(once, context));
  return removeUnusedBindings(aliases, context, module);
}

}  // namespace

Result<ir::Module> foldBatchnormToConv2d(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return rewriteFunctions(module, context,
                          [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                            return rewritten(function, moduleContext, module.get());
                          });
}

}  // namespace rx::transform
