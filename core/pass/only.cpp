#include "core/pass/only.h"

#include <fmt/format.h>

#include <unordered_set>

#include "core/ir/reflect.h"
#include "core/support/nearest.h"

namespace rx::pass {

const OptionSpec& onlyOption() {
  static constexpr OptionSpec kOnly = {"only", OptionKind::Text, "None", "the one function that it is applied to"};
  return kOnly;
}

const OptionSpec* optionOf(const PassRow& row, std::string_view name) {
  for (const OptionSpec& spec : row.options) {
    if (name == spec.name) return &spec;
  }
  return name == onlyOption().name ? &onlyOption() : nullptr;
}

Result<std::string_view> onlyFunction(const ir::Attrs& options, const ir::IRModule& module) {
  const std::string_view name = ir::strAttrOf(options, onlyOption().name);
  if (name.empty() || module.find(Str(name))) return name;
  Diagnostic unknown = errorAt({}, "pass.unknown-function", fmt::format("the module has no function '{}'", name));
  Nearest nearest(name);
  for (const relax::GlobalVarRef& var : module.vars) nearest.offer(var->name.view());
  unknown.fix = nearest.fix();
  return fail(std::move(unknown));
}

ir::Module onlyOn(const ir::Module& before, const ir::Module& after, std::string_view function) {
  const ir::BaseFunc now = after->find(Str(function));
  if (!now || now == before->find(Str(function))) return before;
  std::unordered_set<std::string_view> called;
  std::vector<ir::BaseFunc> open{now};
  while (!open.empty()) {
    const ir::BaseFunc reached = open.back();
    open.pop_back();
    walkOnce(*reached, Into::Parts, [&](const Node& node) {
      const auto* var = as<relax::GlobalVar>(&node);
      if (!var || before->find(var->name) || !called.insert(var->name.view()).second) return true;
      if (const ir::BaseFunc callee = after->find(var->name)) open.push_back(callee);
      return true;
    });
  }
  std::vector<ir::IRModule::Entry> entries = before->entries();
  for (auto& [var, held] : entries) {
    if (var->name.view() != function) continue;
    held = now;
    for (const relax::GlobalVarRef& renewed : after->vars) {
      if (renewed->name == var->name) var = renewed;
    }
  }
  for (const auto& entry : after->entries()) {
    if (called.contains(entry.first->name.view())) entries.push_back(entry);
  }
  return before->with(std::move(entries));
}

}  // namespace rx::pass
