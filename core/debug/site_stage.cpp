// A stage from what the instructions of a program say of the bindings that they came from.
#include <map>
#include <tuple>

#include "core/debug/machine_history.h"

namespace rx::debug {

std::shared_ptr<const Stage> stageOfSites(const Program& program, std::string title) {
  // In text order: blocks are numbered so, and bindings in them.
  using Key = std::tuple<std::string_view, uint32_t, uint32_t>;
  struct Named {
    OriginSite site;
    bool works = false;
  };
  std::map<Key, Named> bindings;
  for (const Instruction& instruction : program.instructions) {
    for (const OriginSite& site : instruction.sites) {
      Named& named = bindings[{site.function.view(), site.block, site.binding}];
      named.site = site;
      named.works = named.works || !instruction.housekeeping;
    }
  }
  std::vector<StageFunction> functions;
  for (const auto& [key, named] : bindings) {
    if (functions.empty() || functions.back().name != named.site.function)
      functions.push_back({named.site.function, {}, {}, Span::kNone, 0, 0});
    StageFunction& function = functions.back();
    StageBinding row;
    row.ordinal = static_cast<int>(function.bindings.size());
    row.sequence = static_cast<int>(named.site.block);
    row.variable = named.site.name;
    row.sites = {named.site};
    row.works = named.works;
    row.manages = !named.works;
    function.bindings.push_back(std::move(row));
  }
  for (StageFunction& function : functions) {
    const int index = program.functionIndex(function.name.view());
    if (index < 0) continue;
    const VmFunction& compiled = program.functions[static_cast<size_t>(index)];
    for (int i = 0; i < compiled.arguments; ++i)
      function.params.push_back(Str(compiled.registerNames[static_cast<size_t>(i)]));
  }
  return std::make_shared<const Stage>(std::move(title), std::move(functions), std::vector<std::string>{});
}

}  // namespace rx::debug
