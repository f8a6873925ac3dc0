// NormalizeGlobalVar: a function that the outside knows by a global_symbol has that name in the module, too; private
// functions that would take such a name get another.
#include <fmt/format.h>

#include "core/build/mutator.h"
#include "core/ir/reflect.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using Names = std::unordered_map<std::string_view, Str>;  ///< name before -> name after

/// Fails where two functions have one symbol.
Result<Names> newNames(const ir::IRModule& module) {
  Names names;
  build::NameSupply supply;
  for (size_t i = 0; i < module.size(); ++i) {
    const std::string_view symbol = ir::strAttrOf(module.functions[i]->attrs, "global_symbol");
    if (symbol.empty()) continue;
    if (supply.taken(symbol)) {
      return fail("pass.duplicate-symbol", fmt::format("two functions have the global_symbol {}", symbol));
    }
    supply.reserve(symbol);
    names[module.vars[i]->name.view()] = Str(symbol);
  }
  for (const relax::GlobalVarRef& var : module.vars) {
    if (!names.contains(var->name.view())) names[var->name.view()] = supply.fresh(var->name.view());
  }
  return names;
}

/// The variables of renamed functions, made at their first use.
class Renamed {
 public:
  explicit Renamed(Names names) : names_(std::move(names)) {}
  relax::GlobalVarRef of(const relax::GlobalVarRef& var) {
    auto name = names_.find(var->name.view());
    if (name == names_.end() || name->second == var->name) return var;
    relax::GlobalVarRef& now = made_[name->first];
    if (!now) now = make<relax::GlobalVar>(name->second, var->sinfo);
    return now;
  }

 private:
  Names names_;
  std::unordered_map<std::string_view, relax::GlobalVarRef> made_;
};

/// Calls of renamed functions are made anew, so that their StructInfo is deduced anew.
class Renamer : public build::Mutator {
 public:
  explicit Renamer(Renamed& renamed) : Mutator("NormalizeGlobalVar"), renamed_(renamed) {}

 protected:
  relax::Expr visitGlobalVar(const relax::GlobalVarRef& node) override { return renamed_.of(node); }

 private:
  Renamed& renamed_;
};

/// Kernels call functions by name, too.
ir::BaseFunc renamedKernel(const ir::BaseFunc& function, Renamed& renamed) {
  auto renew = [&](const NodeRef& node) -> NodeRef {
    auto var = refAs<relax::GlobalVar>(node);
    return var ? NodeRef(renamed.of(var)) : node;
  };
  return cast<ir::BaseFuncNode>(rewriteNodes(function, Into::Parts, nullptr, renew));
}

}  // namespace

Result<ir::Module> normalizeGlobalVar(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  bool renames = false;
  for (size_t i = 0; i < module->size(); ++i) {
    const std::string_view symbol = ir::strAttrOf(module->functions[i]->attrs, "global_symbol");
    renames = renames || (!symbol.empty() && symbol != module->vars[i]->name.view());
  }
  if (!renames) return module;
  RX_TRY(names, newNames(*module));
  Renamed renamed(std::move(names));
  std::vector<ir::IRModule::Entry> entries;
  for (const auto& [var, function] : module->entries()) {
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    ir::BaseFunc now;
    if (auto relaxFunction = refAs<relax::Function>(function)) {
      RX_TRY(rewritten, Renamer(renamed).rewrite(relaxFunction));
      now = rewritten;
    } else {
      now = renamedKernel(function, renamed);
    }
    entries.emplace_back(renamed.of(var), std::move(now));
  }
  return module->with(std::move(entries));
}

}  // namespace rx::transform
