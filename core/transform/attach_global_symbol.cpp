// AttachGlobalSymbol: compiled code is found by the function's name (with the module's system_lib_prefix for kernels).
#include <unordered_map>

#include "core/ir/reflect.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

ir::BaseFunc withSymbol(const ir::BaseFunc& function, const Str& symbol) {
  return ir::withFunctionAttr(function, "global_symbol", ir::strAttr(symbol));
}

/// The module with global variables replaced where they are called.
ir::Module renamed(const ir::Module& module, const std::unordered_map<const Node*, NodeRef>& names) {
  NodeRef result = rewriteNodes(
      module, Into::Parts,
      [&](const NodeRef& node) -> NodeRef {
        auto hit = names.find(node.get());
        return hit == names.end() ? nullptr : hit->second;
      },
      nullptr);
  return cast<ir::IRModule>(result);
}

}  // namespace

Result<ir::Module> attachGlobalSymbol(const ir::Module& module, const ir::Attrs&, pass::PassContext&) {
  std::string prefix(ir::strAttrOf(module->attrs, "system_lib_prefix"));
  std::unordered_map<const Node*, NodeRef> names;
  std::vector<ir::IRModule::Entry> entries = module->entries();
  bool changed = false;
  for (auto& [var, function] : entries) {
    bool isKernel = isa<tir::PrimFunc>(function);
    if (!isKernel && !isa<relax::Function>(function)) continue;
    Str symbol = isKernel ? Str(prefix + var->name.string()) : var->name;
    if (ir::strAttrOf(function->attrs, "global_symbol") == symbol.view()) continue;
    changed = true;
    function = withSymbol(function, symbol);
    if (!(symbol == var->name)) names[var.get()] = make<relax::GlobalVar>(symbol, var->sinfo);
  }
  if (!changed) return module;
  ir::Module result = module->with(std::move(entries));
  return names.empty() ? result : renamed(result, names);
}

}  // namespace rx::transform
