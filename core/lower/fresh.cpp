#include "core/lower/fresh.h"

#include <fmt/format.h>

#include <unordered_map>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::lower {

FunctionNames::FunctionNames(const ir::Module& module) {
  for (const relax::GlobalVarRef& var : module->vars) taken_.insert(var->name.string());
}

relax::GlobalVarRef FunctionNames::fresh(const std::string& name) {
  std::string made = name;
  uint64_t& next = next_[name];
  while (!taken_.insert(made).second) made = fmt::format("{}_{}", name, ++next);
  return make<relax::GlobalVar>(Str(made));
}

tir::PrimFuncRef freshCopy(const tir::PrimFuncRef& function) {
  std::unordered_map<const Node*, NodeRef> copies;
  auto pre = [&](const NodeRef& node) -> NodeRef {
    const auto* var = as<tir::Var>(node);
    if (!var) return isa<relax::GlobalVar>(node) ? node : nullptr;
    NodeRef& copy = copies[var];
    if (!copy) {
      copy = isa<tir::SizeVar>(node) ? NodeRef(make<tir::SizeVar>(var->name, var->dtype))
                                     : NodeRef(make<tir::Var>(var->name, var->dtype, var->annotation));
    }
    return copy;
  };
  return cast<tir::PrimFunc>(rewriteNodes(function, Into::Parts, pre, [](const NodeRef& node) { return node; }));
}

}  // namespace rx::lower
