#include "core/analysis/free_vars.h"

#include <unordered_set>

#include "core/ir/reflect.h"
#include "core/op/lattice.h"

namespace rx::analysis {

namespace {

/// Variables by first use, and the ones that something in the expression defines. A variable has one definition, so
/// "used and not defined anywhere inside" is the same as free.
template <class V>
struct Found {
  std::vector<Ref<V>> used;
  std::unordered_set<const V*> seen, defined;
  bool wanted = false;
  void use(const V* var) {
    if (wanted && seen.insert(var).second) used.push_back(Ref<V>(var));
  }
  void define(const V* var) {
    if (wanted) defined.insert(var);
  }
  std::vector<Ref<V>> free() {
    std::vector<Ref<V>> out;
    for (const Ref<V>& var : used) {
      if (!defined.contains(var.get())) out.push_back(var);
    }
    return out;
  }
};

struct Collector {
  Found<relax::Var> vars;
  Found<tir::Var> symbols;

  void defineSymbols(const relax::StructInfo& info) {
    if (!info || !symbols.wanted) return;
    for (const tir::VarRef& var : op::definableSymbolsIn(info)) symbols.define(var.get());
  }
  void inInfo(const relax::StructInfo& info) {
    if (!info) return;
    walk(*info, Into::Parts, [&](const Node& node) {
      if (const auto* var = as<tir::Var>(&node)) symbols.use(var);
      if (const auto* var = as<relax::Var>(&node)) vars.use(var);
      if (const auto* func = as<relax::FuncStructInfo>(&node)) {
        for (const auto& param : func->params) defineSymbols(param);
      }
      return true;
    });
  }
  void run(const relax::Expr& expr) {
    walk(*expr, Into::Parts, [&](const Node& node) {
      if (const auto* function = as<relax::Function>(&node)) {
        for (const auto& param : function->params) {
          vars.define(param.get());
          inInfo(param->sinfo);
          defineSymbols(param->sinfo);
        }
      } else if (const auto* binding = as<relax::BindingNode>(&node)) {
        vars.define(binding->var.get());
        inInfo(binding->var->sinfo);
        if (const auto* cast = as<relax::MatchCast>(&node)) {
          inInfo(cast->structInfo);
          defineSymbols(cast->structInfo);
        }
      } else if (const auto* var = as<relax::Var>(&node)) {
        vars.use(var);
      } else if (const auto* symbol = as<tir::Var>(&node)) {
        symbols.use(symbol);
      } else if (isa<tir::PrimFunc>(&node)) {
        return false;
      }
      return true;
    });
  }
};

}  // namespace

std::vector<relax::VarRef> freeVars(const relax::Expr& expr) {
  Collector c;
  c.vars.wanted = true;
  c.run(expr);
  return c.vars.free();
}

std::vector<tir::VarRef> freeSymbols(const relax::Expr& expr) {
  Collector c;
  c.symbols.wanted = true;
  c.run(expr);
  return c.symbols.free();
}

std::vector<relax::GlobalVarRef> calledGlobals(const relax::Expr& expr) {
  std::vector<relax::GlobalVarRef> out;
  std::unordered_set<std::string_view> seen;
  walk(*expr, Into::Parts, [&](const Node& node) {
    const auto* var = as<relax::GlobalVar>(&node);
    if (var && seen.insert(var->name.view()).second) out.push_back(relax::GlobalVarRef(var));
    return true;
  });
  return out;
}

}  // namespace rx::analysis
