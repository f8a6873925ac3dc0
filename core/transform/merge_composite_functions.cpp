// MergeCompositeFunctions: neighbouring calls of composite functions for one compiler become one function for it, where
// no value would have to leave it and come back.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/build/mutator.h"
#include "core/ir/reflect.h"
#include "core/transform/bind.h"
#include "core/transform/cleanup.h"
#include "core/transform/composite_functions.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using analysis::FusionGroups;

class CompositeGrouper {
 public:
  explicit CompositeGrouper(const ir::IRModule& module) : module_(module) {}

  Result<Unit> run(const relax::Function& function) {
    for (const relax::VarRef& param : function.params) addOwn(param.get());
    for (const relax::BlockRef& block : function.body->blocks) {
      for (const relax::Binding& binding : block->bindings) RX_CHECK(addBinding(*binding));
    }
    return Unit{};
  }

  FusionGroups groups;

 private:
  uint32_t addOwn(const relax::Var* var) {
    const uint32_t own = groups.add(var);
    codegen_.emplace_back();
    needs_.emplace_back();
    extent_.emplace_back(own, own);
    return own;
  }

  Result<Unit> addBinding(const relax::BindingNode& binding) {
    const relax::Var* var = binding.var.get();
    const auto* bound = as<relax::VarBinding>(&binding);
    const uint32_t own = addOwn(var);
    const auto* call = bound ? as<relax::Call>(bound->value) : nullptr;
    if (!call) {
      if (bound) addNeeds(own, *bound->value);
      return Unit{};
    }
    const auto* callee = as<relax::GlobalVar>(call->op);
    const std::string_view composite = callee ? compositeOf(module_.find(callee)) : std::string_view();
    if (!composite.empty()) {
      RX_TRY(codegen, codegenOf(composite));
      codegen_[own] = codegen;
      groups[own].attrs = ir::withAttr(nullptr, Str("Codegen"), ir::strAttr(codegen));
      joinArguments(own, *call);
    }
    for (const relax::Expr& arg : call->args) addNeeds(own, *arg);
    return Unit{};
  }

  /// Joins the groups of the arguments for the same compiler that no other argument depends on.
  void joinArguments(uint32_t own, const relax::Call& call) {
    std::vector<uint32_t> before;
    for (const relax::Expr& arg : call.args) {
      const auto group = groupOf(*arg);
      if (group) before.insert(before.end(), needs_[*group].begin(), needs_[*group].end());
    }
    for (const relax::Expr& arg : call.args) {
      const auto group = groupOf(*arg);
      if (group && codegen_[*group] == codegen_[own] && !depend(before, *group)) merge(own, *group);
    }
  }

  std::optional<uint32_t> groupOf(const Node& node) {
    const auto* var = as<relax::Var>(&node);
    return var ? groups.find(var) : std::nullopt;
  }

  /// Whether one of the groups is the target or depends on it, through others, too. What ends before the target begins
  /// does not.
  bool depend(std::vector<uint32_t> open, uint32_t target) {
    std::unordered_set<uint32_t> seen;
    while (!open.empty()) {
      const uint32_t group = groups.root(open.back());
      open.pop_back();
      if (group == target) return true;
      if (extent_[group].second < extent_[target].first || !seen.insert(group).second) continue;
      open.insert(open.end(), needs_[group].begin(), needs_[group].end());
    }
    return false;
  }

  void merge(uint32_t from, uint32_t to) {
    from = groups.root(from);
    to = groups.root(to);
    if (from == to) return;
    groups.join(from, to);
    needs_[to].insert(needs_[to].end(), needs_[from].begin(), needs_[from].end());
    needs_[from].clear();
    extent_[to] = {std::min(extent_[to].first, extent_[from].first),
                   std::max(extent_[to].second, extent_[from].second)};
  }

  void addNeeds(uint32_t user, const relax::ExprNode& value) {
    user = groups.root(user);
    walk(value, Into::Parts, [&](const Node& node) {
      const auto group = groupOf(node);
      if (group && *group != user) needs_[user].push_back(*group);
      return !isa<tir::ExprNode>(&node);
    });
  }

  const ir::IRModule& module_;
  std::vector<Str> codegen_;                           ///< by group; empty where it is for no compiler
  std::vector<std::vector<uint32_t>> needs_;           ///< by root: the groups whose values it uses
  std::vector<std::pair<uint32_t, uint32_t>> extent_;  ///< by root: its first and its last variable
};

/// Puts the composite functions into the function that calls them, which a compiler gets alone.
class CompositeInliner : public build::Mutator {
 public:
  CompositeInliner(build::ModuleContext& module, const ir::IRModule& composites)
      : Mutator("MergeCompositeFunctions", &module), composites_(composites) {}

 protected:
  relax::Expr visitCall(const Ref<relax::Call>& call) override {
    const auto* callee = as<relax::GlobalVar>(call->op);
    auto function = callee ? refAs<relax::Function>(composites_.find(callee)) : nullptr;
    if (compositeOf(function).empty()) return Mutator::visitCall(call);
    std::vector<relax::Expr> args;
    for (const relax::Expr& arg : call->args) args.push_back(visit(arg));
    relax::VarRef& local = local_[callee->name.string()];
    if (!local) {
      const auto plain = ir::withFunctionAttrs(function, ir::withoutAttr(function->attrs, "Primitive"));
      local = builder.emit(withFreshVars(cast<relax::Function>(plain)));
    }
    return make<relax::Call>(local, Array<relax::Expr>(std::move(args)));
  }

 private:
  const ir::IRModule& composites_;
  std::unordered_map<std::string, relax::VarRef> local_;  ///< what the composite functions are bound to, by name
};

/// Calls of functions for a compiler, by the name that the compiler knows them by.
class CompilerCalls : public build::Mutator {
 public:
  CompilerCalls(build::ModuleContext& module, const ir::IRModule& composites)
      : Mutator("MergeCompositeFunctions", &module), module_(module), composites_(composites) {}

 protected:
  relax::Expr visitCall(const Ref<relax::Call>& call) override {
    const auto* callee = as<relax::GlobalVar>(call->op);
    auto function = callee ? refAs<relax::Function>(module_.functionOf(callee)) : nullptr;
    const std::string_view codegen = function ? ir::strAttrOf(function->attrs, "Codegen") : std::string_view();
    const bool renamed = callee && made_.contains(callee->name.string());
    if (codegen.empty() && !renamed) return Mutator::visitCall(call);
    if (!renamed) {
      relax::GlobalVarRef var = forCompiler(*callee, function, codegen);
      if (!var) return call;
      made_.emplace(callee->name.string(), std::move(var));
    }
    std::vector<relax::Expr> args;
    for (const relax::Expr& arg : call->args) args.push_back(visit(arg));
    return make<relax::Call>(made_.at(callee->name.string()), Array<relax::Expr>(std::move(args)), call->attrs);
  }

 private:
  relax::GlobalVarRef forCompiler(const relax::GlobalVar& var, const relax::FunctionRef& function,
                                  std::string_view codegen) {
    const Str symbol(fmt::format("{}_{}", var.name.view(), codegen));
    Result<relax::FunctionRef> inlined = withoutDataflow(function, module_);
    if (inlined) inlined = CompositeInliner(module_, composites_).rewrite(*inlined);
    if (!inlined) {
      for (const Diagnostic& problem : inlined.diagnostics()) builder.report(problem);
      return nullptr;
    }
    const ir::Attrs attrs =
        ir::withAttr(ir::withoutAttr((*inlined)->attrs, "Primitive"), Str("global_symbol"), ir::strAttr(symbol));
    module_.remove(var.name.view());
    return module_.add(ir::withFunctionAttrs(*inlined, attrs), symbol.view(), true);
  }

  build::ModuleContext& module_;
  const ir::IRModule& composites_;
  std::unordered_map<std::string, relax::GlobalVarRef> made_;
};

}  // namespace

Result<ir::Module> mergeCompositeFunctions(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  const relax::GlobalVarRef main = module->findVar("main");
  const auto* function = main ? as<relax::Function>(module->find(main.get())) : nullptr;
  if (!function) return fail("pass.unknown-function", "the module has no Relax function main");
  CompositeGrouper grouper(*module);
  RX_CHECK(grouper.run(*function));
  RX_TRY(grouped,
         makeGroupedFunctions(module, grouper.groups,
                              {.pass = "MergeCompositeFunctions", .liftConstants = true, .entries = {}}, context));
  build::ModuleContext named(grouped);
  const relax::GlobalVarRef entry = grouped->findVar("main");
  RX_TRY(calls, CompilerCalls(named, *module).rewrite(cast<relax::Function>(grouped->find(entry.get()))));
  named.update(entry, calls);
  const ir::Attrs entries = ir::withAttr(nullptr, Str("entry_functions"), ir::arrayAttr({ir::strAttr(Str("main"))}));
  return deadCodeElimination(named.module(), entries, context);
}

}  // namespace rx::transform
