#include <unordered_set>

#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"
#include "core/support/nearest.h"

namespace rx::relay {

Result<ir::Module> removeUnusedFunctions(const ir::Module& module, const ir::Attrs& given, pass::PassContext&) {
  std::unordered_set<std::string_view> reached;
  std::vector<relax::GlobalVarRef> waiting;
  auto reach = [&](const relax::GlobalVarRef& var) {
    if (var && reached.insert(var->name.view()).second) waiting.push_back(var);
  };
  const NodeRef entries = ir::attrOf(given, "entry_functions");
  const auto* list = as<ir::ArrayAttr>(entries);
  for (size_t i = 0; list && i < list->items.size(); ++i) {
    const auto* name = as<ir::StrAttr>(list->items[i]);
    const relax::GlobalVarRef var = name ? module->findVar(name->value.view()) : nullptr;
    if (!var) {
      Nearest nearest(name ? name->value.view() : std::string_view());
      for (const auto& known : module->vars) nearest.offer(known->name.view());
      Diagnostic unknown = errorAt({}, "pass.option-value", "the module has no function of that name to enter by");
      unknown.fix = nearest.fix();
      return fail(std::move(unknown));
    }
    reach(var);
  }
  while (!waiting.empty()) {
    const auto function = refAs<Function>(module->find(waiting.back().get()));
    waiting.pop_back();
    if (!function) continue;
    for (const std::string_view name : globalsIn(function)) reach(module->findVar(name));
  }
  auto kept = module->entries();
  std::erase_if(kept, [&](const auto& entry) { return !reached.contains(entry.first->name.view()); });
  return kept.size() == module->size() ? module : module->with(std::move(kept));
}

}  // namespace rx::relay
