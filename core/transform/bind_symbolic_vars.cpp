// BindSymbolicVars: numbers in the place of symbolic variables.
#include <fmt/format.h>

#include "core/analysis/free_vars.h"
#include "core/ir/reflect.h"
#include "core/op/lattice.h"
#include "core/transform/bind.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

/// Symbols that parameters or match_casts of the function define, each once.
std::vector<tir::VarRef> definedSymbols(const relax::Function& function) {
  std::vector<tir::VarRef> symbols;
  std::unordered_set<const tir::Var*> seen;
  auto add = [&](const relax::StructInfo& info) {
    if (!info) return;
    for (const tir::VarRef& symbol : op::definableSymbolsIn(info)) {
      if (seen.insert(symbol.get()).second) symbols.push_back(symbol);
    }
  };
  for (const relax::VarRef& param : function.params) add(param->sinfo);
  walk(*function.body, Into::Parts, [&](const Node& node) {
    if (const auto* cast = as<relax::MatchCast>(&node)) add(cast->structInfo);
    return true;
  });
  return symbols;
}

/// What the names of the map mean in one function; names that it does not have are left out, and noted in `used`.
Result<Binding> bindingOf(const relax::Function& function, const ir::DictAttrs& map,
                          std::unordered_set<std::string_view>& used) {
  Binding binding;
  for (const tir::VarRef& symbol : definedSymbols(function)) {
    const NodeRef value = map.get(symbol->name.view());
    if (!value) continue;
    const auto* number = as<ir::IntAttr>(value);
    if (!number) return fail("pass.option-value", fmt::format("{} is bound to an integer", symbol->name.view()));
    for (const auto& [other, bound] : binding.symbols) {
      if (other->name == symbol->name) {
        return fail("pass.symbol", fmt::format("the function has two symbolic variables {}", symbol->name.view()));
      }
    }
    used.insert(symbol->name.view());
    binding.symbols[symbol.get()] = make<tir::IntImm>(symbol->dtype, number->value);
  }
  return binding;
}

}  // namespace

Result<ir::Module> bindSymbolicVars(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  const NodeRef given = ir::attrOf(options_, "binding_map");
  const auto* map = as<ir::DictAttrs>(given);
  if (!map) return module;
  const std::string_view only = ir::strAttrOf(options_, "func_name");
  if (!only.empty() && !isa<relax::Function>(module->find(only))) {
    return fail("pass.unknown-function",
                fmt::format("func_name names {}, which is no Relax function of the module", only));
  }
  std::unordered_set<std::string_view> used;
  build::ModuleContext moduleContext(module);
  moduleContext.setCancel(context.cancel);
  for (const auto& [var, function] : module->entries()) {
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    auto relaxFunction = refAs<relax::Function>(function);
    if (!relaxFunction || (!only.empty() && var->name.view() != only)) continue;
    RX_TRY(binding, bindingOf(*relaxFunction, *map, used));
    RX_TRY(bound, bindVars(relaxFunction, binding, "BindSymbolicVars", moduleContext));
    moduleContext.update(var, bound);
  }
  for (const Str& name : map->keys) {
    if (!used.contains(name.view())) {
      return fail("pass.symbol", fmt::format("there is no symbolic variable {} to bind", name.view()));
    }
  }
  return moduleContext.module();
}

}  // namespace rx::transform
