#include "core/ir/origin.h"

#include <algorithm>
#include <tuple>

#include "core/ir/text_bindings.h"

namespace rx {

OriginRef mergeOrigins(const OriginRef& a, const OriginRef& b, const Str& pass) {
  std::vector<OriginSite> sites;
  for (const OriginRef& origin : {a, b}) {
    if (origin) sites.insert(sites.end(), origin->sites.begin(), origin->sites.end());
  }
  auto key = [](const OriginSite& s) { return std::tuple(s.function.view(), s.block, s.binding); };
  std::sort(sites.begin(), sites.end(), [&](const OriginSite& x, const OriginSite& y) { return key(x) < key(y); });
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  return make<Origin>(Array<OriginSite>(std::move(sites)), pass);
}

void giveOwnOrigins(const ir::IRModule& module) {
  std::vector<ir::TextFunction> functions(module.size());
  ir::relaxBindings(module, &functions);
  for (const ir::TextFunction& function : functions) {
    for (const ir::TextBinding& row : function.bindings) {
      auto* binding = const_cast<relax::BindingNode*>(static_cast<const relax::BindingNode*>(row.node));
      if (!binding->origin) binding->origin = make<Origin>(row.sites, Str());
      const auto* plain = as<relax::VarBinding>(binding);
      auto* call = const_cast<relax::Call*>(plain ? as<relax::Call>(plain->value) : nullptr);
      // Else the first pass would give it one, and by that another call.
      if (call && !call->origin) call->origin = binding->origin;
    }
  }
}

}  // namespace rx
