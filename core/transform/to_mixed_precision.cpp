// ToMixedPrecision: in dataflow blocks, matrix products and convolutions compute in float16, what is fed by them
// follows where it can, and everything else gets the precision that it had. A value that is needed in float16 alone is
// kept so.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/mixed_precision.h"
#include "core/analysis/nested_layout.h"
#include "core/build/mutator.h"
#include "core/pass/options.h"
#include "core/support/stack.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/element_types.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using analysis::NestedType;
using analysis::Precision;
using relax::Expr;
using relax::VarRef;

constexpr DataType kHalf = DataType::Float(16);
constexpr DataType kSingle = DataType::Float(32);
constexpr double kHalfMax = 65504;

/// How a call with the policy Always is made again with another type of its result: by an attribute, or by what TVM
/// makes of it, which is attention without anything but its three arguments.
struct RemakeRow {
  std::string_view prefix;
  bool outDtype;
};
constexpr RemakeRow kRemakes[] = {{"relax.nn.conv", true}, {"relax.matmul", true}, {"relax.nn.attention", false}};

Ref<relax::Call> remade(const relax::Call& call, DataType out) {
  const std::string_view name = as<relax::Op>(call.op)->name.view();
  for (const RemakeRow& row : kRemakes) {
    if (!name.starts_with(row.prefix)) continue;
    if (!row.outDtype) return op::makeCall("relax.nn.attention", {call.args[0], call.args[1], call.args[2]});
    return make<relax::Call>(call.op, call.args, ir::withAttr(call.attrs, "out_dtype", ir::typeAttr(out)));
  }
  return nullptr;
}

bool fitsHalf(const relax::Constant& constant) {
  const auto& data = constant.data;
  if (!data || !data->dtype().isScalar()) return false;
  if (data->dtype() == kHalf) return true;
  const TypeCode code = data->dtype().code;
  if (code != TypeCode::Int && !(code == TypeCode::Float && data->dtype().bits >= 32)) return false;
  for (int64_t i = 0; i < data->count(); ++i) {
    if (std::abs(data->at(i)) > kHalfMax) return false;
  }
  return true;
}

bool allFitHalf(std::span<const Expr> args) {
  return std::ranges::all_of(args, [](const Expr& arg) {
    if (!analysis::isNestedTensor(arg->sinfo)) return true;
    const auto* tensor = as<relax::TensorStructInfo>(arg->sinfo);
    if (tensor && tensor->dtype == kHalf) return true;
    if (const auto* constant = as<relax::Constant>(arg)) return fitsHalf(*constant);
    const auto* tuple = as<relax::Tuple>(arg);
    return tuple && withStack([&] { return allFitHalf(tuple->items); });
  });
}

/// The tensors of an expression in other types; those that are neither float16 nor float32 stay.
Expr inTypes(const Expr& expr, const NestedType& types) {
  return transform::inTypes(expr, types, [](DataType type) { return type == kHalf || type == kSingle; });
}

/// The types that a value has, float16 where it is needed so.
NestedType lowered(const NestedType& have, const NestedType& needed) {
  if (have.isTuple) {
    std::vector<NestedType> items;
    for (size_t i = 0; i < have.items.size(); ++i) {
      items.push_back(withStack([&] { return lowered(have.items[i], needed.items[i]); }));
    }
    return NestedType::tuple(std::move(items));
  }
  return needed.type == kHalf ? needed : have;
}

class PrecisionWriter : public build::Mutator {
 public:
  PrecisionWriter(build::ModuleContext& context, const relax::Function& function, DataType out,
                  const std::unordered_set<std::string_view>& halfInputs, std::vector<pass::Remark>* remarks)
      : Mutator("ToMixedPrecision", &context),
        needed_(analysis::neededTypes(function)),
        out_(out),
        halfInputs_(halfInputs),
        remarks_(remarks) {}

 protected:
  relax::FunctionRef visitFunction(const relax::FunctionRef& function) override {
    const Array<VarRef> outer = params_, outerOwn = ownParams_;
    params_ = withHalfInputs(function->params);
    auto* renewed = new relax::Function(params_, function->body, function->retSinfo, function->isPure, function->attrs);
    renewed->span = function->span;
    const relax::FunctionRef changed(renewed);
    relax::FunctionRef result = Mutator::visitFunction(params_.same(function->params) ? function : changed);
    params_ = outer;
    ownParams_ = outerOwn;
    return result;
  }

  void visitBlock(const relax::BlockRef& block) override {
    if (!block->isDataflow()) return Mutator::visitBlock(block);
    builder.beginDataflow();
    builder.expect(block->bindings.size());
    std::vector<VarRef> before;
    for (const VarRef& param : ownParams_) {
      before.push_back(cast<relax::Var>(mapped(param)));
      keepHalf(param);
    }
    for (const relax::Binding& binding : block->bindings) visitBinding(binding);
    // Parameters in float16 are for this block.
    for (size_t i = 0; i < before.size(); ++i) mapVar(ownParams_[i], before[i]);
    builder.endDataflow();
  }

  void visitBinding(const relax::Binding& binding) override {
    Mutator::visitBinding(binding);
    if (builder.inDataflow()) keepHalf(binding->var);
  }

  /// In the type that it had, where nothing else is said.
  Expr visitVar(const VarRef& var) override {
    Expr now = mapped(var);
    if (!builder.inDataflow() || now == var || !analysis::isNestedTensor(var->sinfo)) return now;
    return inTypes(now, analysis::typesOf(var->sinfo));
  }

  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    if (!builder.inDataflow()) {
      if (isa<relax::Call>(binding->value))
        remark(binding->var, "is outside of the dataflow blocks, which alone are rewritten");
      return Mutator::visitVarBinding(binding);
    }
    if (const auto call = refAs<relax::Call>(binding->value)) {
      if (const auto precision = analysis::precisionOf(*call)) return rewriteCall(binding, *call, *precision);
    }
    const bool field = isa<relax::Tuple>(binding->value) || isa<relax::TupleGetItem>(binding->value);
    if (!field) return Mutator::visitVarBinding(binding);
    const Expr value = builder.normalize(remapped(binding->value));
    rebind(binding, isLocal(*binding->var) ? value : inTypes(value, analysis::typesOf(binding->var->sinfo)));
  }

 private:
  static bool isLocal(const relax::Var& var) { return isa<relax::DataflowVar>(&var); }

  Array<VarRef> withHalfInputs(const Array<VarRef>& params) {
    ownParams_ = params;
    std::vector<VarRef> now;
    bool same = true;
    for (const VarRef& param : params) {
      const auto* tensor = as<relax::TensorStructInfo>(param->sinfo);
      now.push_back(param);
      if (!tensor || !halfInputs_.contains(param->name.view())) continue;
      now.back() = make<relax::Var>(
          param->name, tensor->shape ? make<relax::TensorStructInfo>(tensor->shape, kHalf, tensor->vdevice)
                                     : make<relax::TensorStructInfo>(kHalf, tensor->ndim, tensor->vdevice));
      mapVar(param, now.back());
      same = false;
    }
    return same ? params : Array<VarRef>(std::move(now));
  }

  /// From here on the variable stands for its value in float16, where that is all that is needed.
  void keepHalf(const VarRef& var) {
    auto needed = needed_.find(var.get());
    if (needed == needed_.end()) return;
    const Expr now = mapped(var);
    const Expr half = inTypes(now, lowered(analysis::typesOf(now->sinfo), needed->second));
    if (half != now) mapVar(var, builder.emit(half));
  }

  /// The expression with variables as they are now, whatever their types.
  Expr remapped(const Expr& expr) {
    if (const auto var = refAs<relax::Var>(expr)) return mapped(var);
    if (const auto* item = as<relax::TupleGetItem>(expr)) {
      Expr tuple = remapped(item->tuple);
      return tuple == item->tuple ? expr : Expr(make<relax::TupleGetItem>(tuple, item->index));
    }
    const auto* tuple = as<relax::Tuple>(expr);
    if (!tuple) return expr;
    const std::vector<Expr> items = remapped(tuple->items);
    const bool same = std::equal(items.begin(), items.end(), tuple->items.begin());
    return same ? expr : builder.normalizeArgument(make<relax::Tuple>(Array<Expr>(items)));
  }
  std::vector<Expr> remapped(const Array<Expr>& exprs) {
    std::vector<Expr> now;
    for (const Expr& expr : exprs) now.push_back(withStack([&] { return remapped(expr); }));
    return now;
  }

  void rewriteCall(const Ref<relax::VarBinding>& binding, const relax::Call& call, Precision precision) {
    if (isOp(binding->value, "relax.wrap_param")) return rebind(binding, call.args[0]);
    std::vector<Expr> args = remapped(call.args);
    if (precision == Precision::Never)
      remark(binding->var,
             analysis::isListed(call) ? "keeps its precision: {} is on the list of those that do"
                                      : "keeps its precision: {} is on no list",
             &call);
    if (precision == Precision::Never) return rewriteNever(binding, call, std::move(args));
    auto now = make<relax::Call>(call.op, Array<Expr>(args), call.attrs, call.sinfoArgs);
    const bool always = precision == Precision::Always;
    if (always) now = remade(*now, out_);
    if (!now) {
      builder.report(
          errorAt(call.span, "pass.precision",
                  fmt::format("{} can not be told which type to give", as<relax::Op>(call.op)->name.view())));
      return Mutator::visitVarBinding(binding);
    }
    const DataType type = always || allFitHalf(args) ? kHalf : kSingle;
    if (type == kSingle) {
      remark(binding->var,
             "stays in float32: {} is on the list of those that follow their arguments, and not all of "
             "these are in float16",
             &call);
    }
    args.clear();
    for (const Expr& arg : now->args) {
      args.push_back(analysis::isNestedTensor(arg->sinfo) ? inTypes(arg, analysis::typesOf(arg->sinfo, type)) : arg);
    }
    const bool same = !always && std::equal(args.begin(), args.end(), call.args.begin());
    Expr value = same ? binding->value
                      : Expr(make<relax::Call>(now->op, Array<Expr>(std::move(args)), now->attrs, now->sinfoArgs));
    value = builder.normalize(value);
    if (!isLocal(*binding->var)) {
      value = inTypes(value, analysis::typesOf(binding->var->sinfo));
    } else if (always) {
      value = inTypes(value, analysis::typesOf(value->sinfo, type));
    }
    rebind(binding, value);
  }

  /// The arguments get the types that they had.
  void rewriteNever(const Ref<relax::VarBinding>& binding, const relax::Call& call, std::vector<Expr> args) {
    if (std::equal(args.begin(), args.end(), call.args.begin())) return rebind(binding, binding->value);
    for (size_t i = 0; i < args.size(); ++i) {
      if (!analysis::isNestedTensor(call.args[i]->sinfo)) {
        builder.report(errorAt(call.span, "pass.precision", "an argument beside tensors of another type is no tensor"));
        return;
      }
      args[i] = inTypes(args[i], analysis::typesOf(call.args[i]->sinfo));
    }
    rebind(binding, make<relax::Call>(call.op, Array<Expr>(std::move(args)), call.attrs, call.sinfoArgs));
  }

  /// `text` may have a place for the name of the operator.
  void remark(const VarRef& var, std::string_view text, const relax::Call* call = nullptr) {
    if (!remarks_) return;
    const auto* op = call ? as<relax::Op>(call->op) : nullptr;
    remarks_->push_back({var, fmt::format(fmt::runtime(text), op ? op->name.view() : std::string_view("the callee"))});
  }

  std::unordered_map<const relax::Var*, NestedType> needed_;
  DataType out_;
  const std::unordered_set<std::string_view>& halfInputs_;
  std::vector<pass::Remark>* remarks_;  ///< null: nobody listens
  Array<VarRef> params_;                ///< of the function, as they are now
  Array<VarRef> ownParams_;             ///< the same as they were
};

}  // namespace

Result<ir::Module> toMixedPrecision(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  const std::string_view text = ir::strAttrOf(options_, "out_dtype");
  const std::optional<DataType> out = DataType::parse(text);
  if (!out) return fail("pass.option-value", fmt::format("out_dtype is no type: {}", text));
  const std::vector<std::string_view> halves = pass::textsOf(options_, "fp16_input_names");
  const std::unordered_set<std::string_view> names(halves.begin(), halves.end());
  return rewriteFunctions(
      module, context, [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
        return PrecisionWriter(moduleContext, *function, *out, names, context.remarks).rewrite(function);
      });
}

}  // namespace rx::transform
