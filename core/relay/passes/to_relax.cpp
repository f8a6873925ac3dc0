// ToRelax.
#include "core/relay/passes/to_relax.h"

#include "core/ir/reflect.h"
#include "core/relay/infer.h"
#include "core/relay/passes/normal_form.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/passes/to_relax_function.h"
#include "core/relay/passes/to_relax_rules.h"
#include "core/relay/rewrite.h"
#include "core/relay/text.h"
#include "core/support/stack.h"

namespace rx::relay {

namespace {

/// Fused functions open to the normal form, which leaves them alone as they are.
FunctionRef withoutFusion(const FunctionRef& function) {
  auto enter = [](const NodeRef& node) -> NodeRef { return isa<TypeNode>(node) ? node : nullptr; };
  return refAs<Function>(rewriteGraph(function, enter, [](const NodeRef&, const NodeRef& now) -> NodeRef {
    const auto* inner = as<Function>(now);
    if (!inner || !ir::attrOf(inner->attrs, "Primitive")) return now;
    auto* open = new Function(*inner);
    open->attrs = ir::withoutAttr(inner->attrs, "Primitive");
    return FunctionRef(open);
  }));
}

/// The function that a lone expression is, or that computes it.
FunctionRef functionOfLone(const FunctionRef& lone) {
  if (auto inner = refAs<Function>(lone->body)) return inner;
  return lone;
}

bool isQuantized(const ir::IRModule& module) {
  bool found = false;
  for (const ir::BaseFunc& function : module.functions) {
    if (!isa<Function>(function)) continue;
    walkOnce(*function, Into::Parts, [&](const Node& node) {
      const auto* op = as<Op>(&node);
      found = found || (op && op->name.view().starts_with("qnn."));
      return !found;
    });
  }
  return found;
}

/// The value as a constant or a tuple of constants, variables read by what they stand for; null where it is none.
Expr literalOf(const Expr& value, const std::unordered_map<const Node*, Expr>& by) {
  if (isa<Constant>(value)) return value;
  if (isa<Var>(value)) {
    const auto known = by.find(value.get());
    return known == by.end() ? nullptr : known->second;
  }
  const auto* tuple = as<Tuple>(value);
  if (!tuple) return nullptr;
  std::vector<Expr> items;
  for (const Expr& item : tuple->items) {
    items.push_back(withStack([&] { return literalOf(item, by); }));
    if (!items.back()) return nullptr;
  }
  return make<Tuple>(Array<Expr>(std::move(items)));
}

/// Constants, and tuples of them, where the variables are read that are bound to them, and without annotations around
/// them.
FunctionRef withConstants(const FunctionRef& function) {
  std::unordered_map<const Node*, Expr> by;
  walkOnce(*function, Into::Parts, [&](const Node& node) {
    const auto* call = as<Call>(&node);
    const auto* op = call ? as<Op>(call->op) : nullptr;
    const TranslateRow* row = op ? findTranslation(op->name.view()) : nullptr;
    if (row && row->run == translate::itself && isa<Constant>(call->args[0])) by.emplace(call, call->args[0]);
    const auto* let = as<Let>(&node);
    const Expr literal = let ? literalOf(let->value, by) : nullptr;
    if (!literal) return true;
    by.emplace(let->var.get(), literal);
    by.emplace(let, let->body);
    return true;
  });
  return by.empty() ? function : refAs<Function>(replaceExprs(function, by));
}

/// Operators of quantized tensors as those of integers, which Relax has. Their rules need scales that are constants,
/// also where a pass has bound these to variables, or made them arguments of a fused function.
Result<ir::Module> withoutQuantized(ir::Module module, const CancelToken& cancel) {
  if (!isQuantized(*module)) return module;
  pass::PassContext context;
  context.cancel = cancel;
  RX_TRY(unfused, defuseOps(module, nullptr, context));
  RX_TRY(plain, onFunctions(unfused, context, [](const FunctionRef& function) -> Result<FunctionRef> {
           return withConstants(function);
         }));
  module = std::move(plain);
  for (const char* rules : {"FTVMQnnLegalize", "FTVMQnnCanonicalize"}) {
    const ir::Attrs given = ir::withAttr(nullptr, "legalize_map_attr_name", ir::strAttr(rules));
    RX_TRY(written, legalizeCalls(module, given, context));
    module = std::move(written);
  }
  return module;
}

/// Every function in A-normal form, with types.
Result<ir::Module> prepared(const ir::Module& module, const CancelToken& cancel) {
  auto entries = module->entries();
  for (auto& [name, function] : entries) {
    auto source = refAs<Function>(function);
    if (!source) continue;
    if (ir::boolAttrOf(source->attrs, kLoneExpression, false)) source = functionOfLone(source);
    for (const VarRef& var : freeVariables(source)) {
      return fail(errorAt(var->span, "relay.free-variable", "%" + var->name.string() + " is not bound"));
    }
    function = withoutFusion(source);
  }
  RX_TRY(written, withoutQuantized(module->with(std::move(entries)), cancel));
  RX_TRY(typed, inferTypes(written, cancel));
  entries = typed->entries();
  for (auto& [name, function] : entries) {
    if (auto source = refAs<Function>(function)) function = toNormalForm(source, NormalForm::ANormal);
  }
  return inferTypes(typed->with(std::move(entries)), cancel, Declare::No);
}

/// What is no function of Relay stays.
ir::Module withoutRelay(const ir::IRModule& module) {
  std::vector<ir::IRModule::Entry> kept;
  for (const ir::IRModule::Entry& entry : module.entries()) {
    if (!isa<Function>(entry.second)) kept.push_back(entry);
  }
  auto* made = new ir::IRModule(*module.with(std::move(kept)));
  made->types = nullptr;
  return ir::Module(made);
}

}  // namespace

Result<ir::Module> toRelaxModule(const ir::Module& module, const CancelToken& cancel) {
  RX_TRY(source, prepared(module, cancel));
  build::ModuleContext target(withoutRelay(*source));
  RelaxModule around{*source, target, Effects(*source), WrittenFunctions(*source)};
  std::vector<std::pair<relax::GlobalVarRef, FunctionRef>> functions;
  for (size_t i = 0; i < source->size(); ++i) {
    const auto function = refAs<Function>(source->functions[i]);
    if (!function) continue;
    const std::string_view name = source->vars[i]->name.view();
    const bool pure = around.effects.isPure(name);
    functions.emplace_back(target.declare(name, FunctionTranslation::signatureOf(*function, pure)), function);
  }
  for (const auto& [name, function] : functions) {
    if (cancel.cancelled()) return fail("pass.cancelled", "the pass was cancelled");
    FunctionTranslation translation(around, name->name);
    RX_TRY(made, translation.run(function));
    target.update(name, made);
  }
  return target.module();
}

Result<ir::Module> toRelax(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return toRelaxModule(module, context.cancel);
}

}  // namespace rx::relay
