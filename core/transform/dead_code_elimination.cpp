// DeadCodeElimination: bindings that nothing needs go, and functions that no entry function reaches.
#include <fmt/format.h>

#include "core/analysis/free_vars.h"
#include "core/analysis/purity.h"
#include "core/analysis/usage.h"
#include "core/build/mutator.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

class UnusedRemover : public build::Mutator {
 public:
  UnusedRemover(build::ModuleContext& context, const ir::IRModule* module, analysis::VarSet live)
      : Mutator("DeadCodeElimination", &context), module_(module), live_(std::move(live)) {}

 protected:
  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    const bool removed = !live_.find(binding->var.get()) &&
                         (builder.inDataflow() || !analysis::containsImpureCall(binding->value, module_));
    if (!removed) Mutator::visitVarBinding(binding);
  }

 private:
  const ir::IRModule* module_;
  analysis::VarSet live_;
};

/// Where calls start: what the options name and what the outside can call.
Result<std::vector<relax::GlobalVarRef>> entryFunctions(const ir::Module& module, const ir::Attrs& options) {
  std::vector<relax::GlobalVarRef> entries;
  const NodeRef list = ir::attrOf(options, "entry_functions");
  if (const auto* names = as<ir::ArrayAttr>(list)) {
    for (const NodeRef& item : names->items) {
      const auto* name = as<ir::StrAttr>(item);
      relax::GlobalVarRef var = name ? module->findVar(name->value.view()) : nullptr;
      if (!var) {
        return fail("pass.unknown-function",
                    fmt::format("entry_functions names {}, which is no function of the module",
                                name ? name->value.view() : std::string_view("what is no text")));
      }
      entries.push_back(std::move(var));
    }
  }
  for (size_t i = 0; i < module->size(); ++i) {
    const ir::BaseFunc& function = module->functions[i];
    if (isa<relax::ExternFunc>(function) || ir::attrOf(function->attrs, "global_symbol")) {
      entries.push_back(module->vars[i]);
    }
  }
  return entries;
}

/// The module without functions that no entry reaches; as it is where a callee is not in the module, since nobody knows
/// then who calls whom.
ir::Module withoutUnreached(const ir::Module& module, const std::vector<relax::GlobalVarRef>& entries) {
  std::unordered_set<std::string_view> reached;
  std::vector<relax::GlobalVarRef> open = entries;
  for (const relax::GlobalVarRef& entry : entries) reached.insert(entry->name.view());
  while (!open.empty()) {
    const ir::BaseFunc function = module->find(open.back().get());
    open.pop_back();
    if (!function) return module;
    for (const relax::GlobalVarRef& callee : analysis::calledGlobals(function)) {
      if (reached.insert(callee->name.view()).second) open.push_back(callee);
    }
  }
  std::vector<ir::IRModule::Entry> kept;
  for (const auto& entry : module->entries()) {
    if (reached.contains(entry.first->name.view())) kept.push_back(entry);
  }
  return kept.size() == module->size() ? module : module->with(std::move(kept));
}

}  // namespace

Result<relax::FunctionRef> removeUnusedBindings(const relax::FunctionRef& function, build::ModuleContext& context,
                                                const ir::IRModule* module) {
  return UnusedRemover(context, module, analysis::liveVars(*function, module)).rewrite(function);
}

Result<ir::Module> deadCodeElimination(const ir::Module& module, const ir::Attrs& options_,
                                       pass::PassContext& context) {
  RX_TRY(entries, entryFunctions(module, options_));
  const ir::Module reached = withoutUnreached(module, entries);
  RX_TRY(cleaned, rewriteFunctions(reached, context,
                                   [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                                     return removeUnusedBindings(function, moduleContext, reached.get());
                                   }));
  return withoutUnreached(cleaned, entries);
}

}  // namespace rx::transform
