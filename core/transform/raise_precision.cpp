// RaisePrecision: named bindings, and all that operators make of them, compute in a wider float type. Their results go
// back to the type that they had where something else than such an operator takes them: a kernel, another function, a
// match_cast, or who called the function.
#include <fmt/format.h>

#include "core/analysis/mixed_precision.h"
#include "core/analysis/nested_layout.h"
#include "core/pass/options.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/element_types.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using analysis::typesOf;
using relax::Expr;
using relax::VarRef;
using Names = std::unordered_set<std::string_view>;

/// Whether an operator of its own makes the value of what it takes: no kernel, function from outside or allocation.
bool computes(const relax::Call& call) {
  const auto calls = [](const Expr& arg) { return isa<relax::GlobalVar>(arg) || isa<relax::ExternFunc>(arg); };
  return isa<relax::Op>(call.op) && call.sinfoArgs.empty() && analysis::isNestedTensor(call.sinfo) &&
         std::ranges::none_of(call.args, calls);
}

class PrecisionRaiser : public build::Mutator {
 public:
  PrecisionRaiser(build::ModuleContext& context, DataType wide, const std::vector<std::string_view>& names,
                  Names& found)
      : Mutator("RaisePrecision", &context), wide_(wide), names_(names), found_(found) {}

 protected:
  /// In the type that it had: who asks for a variable here is no operator that takes a wider one.
  Expr visitVar(const VarRef& var) override {
    const Expr now = mapped(var);
    return isRaised(var) ? inTypes(now, typesOf(var->sinfo), [&](DataType type) { return type == wide_; }) : now;
  }

  /// What is bound in a block is not visible behind it.
  void visitBlock(const relax::BlockRef& block) override {
    auto around = std::exchange(wider_, {});
    Mutator::visitBlock(block);
    wider_ = std::move(around);
  }

  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    const std::string_view name = binding->var->name.view();
    const bool named = std::ranges::find(names_, name) != names_.end();
    const auto call = refAs<relax::Call>(binding->value);
    const bool made = call && computes(*call);
    if (named) found_.insert(name);
    if (named && !made) {
      builder.report(errorAt(binding->span, "pass.raise-precision",
                             fmt::format("{} is not made by an operator that computes: only such can be given another "
                                         "precision, so before LegalizeOps",
                                         name)));
      return Mutator::visitVarBinding(binding);
    }
    if (made && (named || takesRaised(*call))) return rebind(binding, builder.normalize(raised(*call)));
    // Another name, or a field, of what is raised.
    if (const auto var = refAs<relax::Var>(binding->value); var && isRaised(var)) return rebind(binding, mapped(var));
    const auto* field = as<relax::TupleGetItem>(binding->value);
    const auto tuple = field ? refAs<relax::Var>(field->tuple) : nullptr;
    if (tuple && isRaised(tuple))
      return rebind(binding, builder.normalize(make<relax::TupleGetItem>(mapped(tuple), field->index)));
    Mutator::visitVarBinding(binding);
  }

 private:
  bool isRaised(const VarRef& var) const {
    const Expr now = mapped(var);
    return now != var && now->sinfo && var->sinfo && !(typesOf(now->sinfo) == typesOf(var->sinfo));
  }
  /// Arguments of operators are leaves, or tuples of them.
  bool takesRaised(const relax::Call& call) const {
    const auto leaf = [&](const Expr& expr) {
      const auto var = refAs<relax::Var>(expr);
      return var && isRaised(var);
    };
    return std::ranges::any_of(call.args, [&](const Expr& arg) {
      const auto* tuple = as<relax::Tuple>(arg);
      return tuple ? std::ranges::any_of(tuple->items, leaf) : leaf(arg);
    });
  }

  /// Of what it takes now, each narrower float wider.
  Expr widened(const Expr& expr) {
    const auto narrower = [&](DataType type) { return type.isFloat() && type.isScalar() && type.bits < wide_.bits; };
    if (const auto* tuple = as<relax::Tuple>(expr)) {
      std::vector<Expr> items;
      for (const Expr& item : tuple->items) items.push_back(widenedLeaf(item, narrower));
      return make<relax::Tuple>(Array<Expr>(std::move(items)));
    }
    return widenedLeaf(expr, narrower);
  }
  Expr widenedLeaf(const Expr& leaf, const std::function<bool(DataType)>& narrower) {
    const auto var = refAs<relax::Var>(leaf);
    const Expr now = var ? mapped(var) : leaf;
    if (!analysis::isNestedTensor(now->sinfo)) return now;
    if (const auto known = wider_.find(now); known != wider_.end()) return known->second;
    const Expr wider = inTypes(now, typesOf(now->sinfo, wide_), narrower);
    if (wider == now || isa<relax::Tuple>(wider)) return wider;
    return wider_.emplace(now, builder.emit(wider)).first->second;
  }

  Expr raised(const relax::Call& call) {
    std::vector<Expr> args;
    for (const Expr& arg : call.args) args.push_back(widened(arg));
    ir::Attrs attrs = call.attrs;
    const NodeRef out = ir::attrOf(attrs, "out_dtype");
    const auto* type = as<ir::TypeAttr>(out);
    if (type && type->value.isFloat() && type->value.bits < wide_.bits)
      attrs = ir::withAttr(attrs, "out_dtype", ir::typeAttr(wide_));
    return make<relax::Call>(call.op, Array<Expr>(std::move(args)), attrs, call.sinfoArgs);
  }

  DataType wide_;
  const std::vector<std::string_view>& names_;
  Names& found_;
  /// Values of this block in the wider type: bound once for all that take them.
  std::unordered_map<Expr, Expr> wider_;
};

}  // namespace

Result<ir::Module> raisePrecision(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  const std::string_view text = ir::strAttrOf(options_, "dtype");
  const std::optional<DataType> wide = DataType::parse(text);
  if (!wide || !wide->isFloat() || !wide->isScalar() || wide->bits < 32)
    return fail("pass.option-value", fmt::format("dtype is float32 or float64, not {}", text));
  const std::vector<std::string_view> names = pass::textsOf(options_, "bindings");
  Names found;
  RX_TRY(made, rewriteFunctions(module, context,
                                [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                                  return PrecisionRaiser(moduleContext, *wide, names, found).rewrite(function);
                                }));
  for (const std::string_view name : names)
    if (!found.contains(name)) return fail("pass.unknown-binding", fmt::format("there is no binding {}", name));
  return made;
}

}  // namespace rx::transform
