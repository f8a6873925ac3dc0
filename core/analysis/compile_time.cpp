#include "core/analysis/compile_time.h"

#include <algorithm>

#include "core/analysis/free_vars.h"
#include "core/ir/reflect.h"
#include "core/op/lattice.h"

namespace rx::analysis {

std::unordered_set<const relax::Var*> compileTimeVars(const relax::Function& function) {
  std::unordered_set<const relax::Var*> known;
  std::unordered_set<const tir::Var*> symbols;
  auto add = [&](const relax::VarRef& var) {
    known.insert(var.get());
    if (!var->sinfo) return;
    for (const tir::VarRef& symbol : op::definableSymbolsIn(var->sinfo)) symbols.insert(symbol.get());
  };
  const auto count = static_cast<int64_t>(function.params.size());
  const int64_t inputs = std::clamp<int64_t>(ir::intAttrOf(function.attrs, "num_input", count), 0, count);
  for (int64_t i = inputs; i < count; ++i) add(function.params[static_cast<size_t>(i)]);
  auto computable = [&](const relax::Expr& value) {
    bool plain = true, here = true;
    walk(*value, Into::Parts, [&](const Node& node) {
      if (isa<relax::SeqExpr>(&node) || isa<relax::Function>(&node)) plain = false;
      if (const auto* var = as<relax::Var>(&node)) here = here && known.contains(var);
      if (const auto* symbol = as<tir::Var>(&node)) here = here && symbols.contains(symbol);
      return here && plain;
    });
    // Only in scopes of its own a value uses what it defines itself.
    if (plain || !here) return here;
    const auto vars = freeVars(value);
    const auto free = freeSymbols(value);
    return std::all_of(vars.begin(), vars.end(), [&](const auto& var) { return known.contains(var.get()); }) &&
           std::all_of(free.begin(), free.end(), [&](const auto& symbol) { return symbols.contains(symbol.get()); });
  };
  walk(*function.body, Into::Parts, [&](const Node& node) {
    const auto* plain = as<relax::VarBinding>(&node);
    const auto* cast = as<relax::MatchCast>(&node);
    if ((plain && computable(plain->value)) || (cast && computable(cast->value))) {
      add(static_cast<const relax::BindingNode&>(node).var);
    }
    return true;
  });
  return known;
}

}  // namespace rx::analysis
