#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"
#include "core/relay/solver.h"

namespace rx::relay {

namespace {

/// Puts functions that call them in the place of constructors and functions of the module.
class EtaExpander {
 public:
  EtaExpander(const ir::Module& module, bool constructors, bool globals)
      : module_(module), constructors_(constructors), globals_(globals) {}

  FunctionRef run(const FunctionRef& function) const {
    return refAs<Function>(rewriteGraph(
        function, [](const NodeRef& node) { return isa<PatternNode>(node) ? node : nullptr; },
        [&](const NodeRef& before, const NodeRef& now) { return rewritten(before, now); }));
  }

 private:
  NodeRef rewritten(const NodeRef& before, const NodeRef& now) const {
    if (const auto* call = as<Call>(before); call && isa<Constructor>(call->op)) {
      std::vector<Expr> operands;
      appendOperands(*now, operands);
      operands.back() = call->op;
      return withOperands(refAs<Call>(now), operands);
    }
    const auto constructor = constructors_ ? refAs<Constructor>(before) : nullptr;
    const auto global = globals_ ? refAs<relax::GlobalVar>(before) : nullptr;
    const NodeRef made = constructor ? ofConstructor(constructor) : global ? ofGlobal(global) : nullptr;
    return made ? made : now;
  }

  static std::vector<VarRef> parameters(std::span<const Type> types) {
    std::vector<VarRef> out;
    for (const Type& type : types) out.push_back(make<Var>(Str("eta_expand_param"), type));
    return out;
  }

  NodeRef ofConstructor(const Ref<Constructor>& constructor) const {
    const NodeRef found = ir::attrOf(module_->types, constructor->belongTo->name.view());
    const auto* data = as<TypeData>(found);
    if (!data) return nullptr;
    std::unordered_map<const Node*, Type> renamed;
    std::vector<Ref<TypeVar>> own;
    for (const Ref<TypeVar>& var : data->typeVars) {
      own.push_back(make<TypeVar>(*var));
      renamed[var.get()] = own.back();
    }
    std::vector<Type> inputs;
    for (const Type& input : constructor->inputs) inputs.push_back(substitute(input, renamed));
    const std::vector<VarRef> params = parameters(inputs);
    const Expr body = make<Call>(constructor, Array<Expr>(params.begin(), params.end()));
    const Type result = make<TypeCall>(constructor->belongTo, Array<Type>(own.begin(), own.end()));
    return make<Function>(Array<VarRef>(params), body, result, Array<Ref<TypeVar>>(own));
  }

  NodeRef ofGlobal(const relax::GlobalVarRef& global) const {
    const auto function = refAs<Function>(module_->find(global.get()));
    if (!function) return nullptr;
    std::vector<Type> types;
    for (const VarRef& param : function->params) types.push_back(param->typeAnnotation);
    const std::vector<VarRef> params = parameters(types);
    Function* out = new Function(*function);
    out->params = Array<VarRef>(params);
    out->body = make<Call>(global, Array<Expr>(params.begin(), params.end()));
    return FunctionRef(out);
  }

  const ir::Module& module_;
  bool constructors_, globals_;
};

}  // namespace

Result<ir::Module> etaExpand(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  const bool constructors = ir::boolAttrOf(given, "expand_constructor", false);
  const bool globals = ir::boolAttrOf(given, "expand_global_var", false);
  if (!constructors && !globals) {
    return fail("pass.option-value", "one of expand_constructor and expand_global_var has to be True");
  }
  const EtaExpander expander(module, constructors, globals);
  return onFunctions(module, context,
                     [&](const FunctionRef& function) -> Result<FunctionRef> { return expander.run(function); });
}

}  // namespace rx::relay
