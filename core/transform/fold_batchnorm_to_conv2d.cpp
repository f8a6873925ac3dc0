// FoldBatchnormToConv2D: a batch_norm behind a convolution, both with constant weights, as other weights and a sum.
#include <algorithm>
#include <array>

#include "core/build/mutator.h"
#include "core/op/rules.h"
#include "core/pass/context_pass.h"
#include "core/pass/literal.h"
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
  NormFolder(build::ModuleContext& context, const relax::Function& function, std::vector<pass::Remark>* remarks)
      : Mutator("FoldBatchnormToConv2D", &context), function_(function), remarks_(remarks) {}

  /// How many were left for weights that a file could give.
  size_t unbound() const { return unbound_; }

 protected:
  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    const Expr value = visit(binding->value);
    const auto* item = as<relax::TupleGetItem>(value);
    const std::optional<Group> group = item && item->index == 0 ? groupOf(item->tuple) : std::nullopt;
    const Expr now = group ? folded(*group) : nullptr;
    remarkOn(binding, value);
    rebind(binding, now ? now : value);
    if (const auto call = refAs<relax::Call>(value)) calls_[as<relax::Var>(mapped(binding->var))] = call;
  }

 private:
  Ref<relax::Call> callOf(const Expr& expr, std::string_view op) const {
    auto known = calls_.find(as<relax::Var>(expr));
    return known == calls_.end() ? nullptr : transform::callOf(known->second, op);
  }
  /// The convolution whose result a batch_norm is given, null for none.
  Ref<relax::Call> convOf(const relax::Call& norm) const { return callOf(norm.args[0], "relax.nn.conv2d"); }
  /// The weights of both, in their order; those of a convolution are one.
  static std::array<Expr, 5> weightsOf(const Group& group) {
    const auto& norm = group.norm->args;
    return {group.conv->args[1], norm[1], norm[2], norm[3], norm[4]};
  }
  std::optional<Group> groupOf(const Expr& normalized) const {
    const auto norm = callOf(normalized, "relax.nn.batch_norm");
    const auto conv = norm ? convOf(*norm) : nullptr;
    if (!conv) return std::nullopt;
    const Group group{conv, norm};
    for (const Expr& weight : weightsOf(group))
      if (!isa<relax::Constant>(weight)) return std::nullopt;
    return group;
  }
  static bool hasKnownLayout(const relax::Call& conv) {
    const std::string_view layout = op::strAttr(conv, "kernel_layout");
    return layout == "OIHW" || layout == "IOHW";
  }
  /// Says of a batch_norm that stays why it does.
  void remarkOn(const Ref<relax::VarBinding>& binding, const Expr& value) {
    const auto norm = remarks_ ? transform::callOf(refAs<relax::Call>(value), "relax.nn.batch_norm") : nullptr;
    if (!norm) return;
    const auto conv = convOf(*norm);
    if (!conv) {
      remarks_->push_back({binding->var, "its data is no result of a conv2d: there is nothing to fold it into"});
      return;
    }
    std::string variable;
    bool given = true;
    for (const Expr& weight : weightsOf({conv, norm})) {
      const auto* var = as<relax::Var>(weight);
      if (!var) continue;
      variable += (variable.empty() ? "" : ", ") + var->name.string();
      given = given && isParameter(*var);
    }
    if (!variable.empty()) {
      const char* why = given ? "): BindParams before this pass makes them so" : "): some are computed";
      remarks_->push_back({binding->var, "its weights are no constants (" + variable + why});
      unbound_ += given;
    } else if (!hasKnownLayout(*conv)) {
      remarks_->push_back({binding->var, "the weights of its conv2d have a layout of which no channel is known"});
    }
  }

  bool isParameter(const relax::Var& var) const {
    return std::any_of(function_.params.begin(), function_.params.end(),
                       [&](const relax::VarRef& param) { return mapped(param).get() == &var; });
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
    if (!hasKnownLayout(*conv)) return nullptr;
    const std::string_view layout = op::strAttr(*conv, "kernel_layout");
    const Expr epsilon = make<relax::PrimValue>(tir::floatImm(op::floatAttr(*norm, "epsilon")));
    const Expr scale = call("relax.divide", {gamma, call("relax.sqrt", {call("relax.add", {variance, epsilon})})});
    const Expr shift = call("relax.subtract", {beta, call("relax.multiply", {mean, scale})});
    const Expr weight = call("relax.multiply", {conv->args[1], shaped(scale, layout == "OIHW" ? 0 : 1, gamma)});
    const Expr product = make<relax::Call>(conv->op, Array<Expr>{conv->args[0], weight}, conv->attrs);
    return call("relax.add", {product, shaped(shift, 1, beta)});
  }

  std::unordered_map<const relax::Var*, Ref<relax::Call>> calls_;
  const relax::Function& function_;
  std::vector<pass::Remark>* remarks_;  ///< null: nobody listens
  size_t unbound_ = 0;
};

/// Weights of a file instead of the parameters. A function that the outside can not name is called by one that can.
pass::WayForward bindingWay(const relax::Function& function) {
  const std::string_view name = ir::strAttrOf(function.attrs, "global_symbol");
  if (name.empty()) return {};
  return {.before = "BindParams(func_name=" + pass::literalText(ir::strAttr(Str(name))) + ", file=\"FILE\")"};
}

Result<relax::FunctionRef> rewritten(const relax::FunctionRef& function, build::ModuleContext& context,
                                     const ir::IRModule* module, pass::PassContext& pass) {
  if (ir::intAttrOf(function->attrs, "Primitive", 0) != 0) return function;
  NormFolder folder(context, *function, pass.remarks);
  RX_TRY(folded, folder.rewrite(function));
  const pass::WayForward way = bindingWay(*function);
  if (folder.unbound() > 0 && !way.before.empty()) sayWay(pass, folder.unbound(), way);
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
                            return rewritten(function, moduleContext, module.get(), context);
                          });
}

}  // namespace rx::transform
