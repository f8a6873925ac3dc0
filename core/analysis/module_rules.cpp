#include "core/analysis/module_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/ir/reflect.h"

namespace rx::analysis {

namespace {

struct Site {
  size_t callee;
  const relax::Call* call;
  bool dataflow;
};

/// The calls of module functions in one function, with whether a dataflow block holds them.
std::vector<Site> callsOf(const relax::Function& function, const std::unordered_map<std::string_view, size_t>& index) {
  std::vector<Site> sites;
  const auto collect = [&](const Node& root, bool dataflow) {
    walk(root, Into::Parts, [&](const Node& node) {
      if (!dataflow && isa<relax::DataflowBlock>(&node)) return false;
      const auto* call = as<relax::Call>(&node);
      const auto* callee = call ? as<relax::GlobalVar>(call->op) : nullptr;
      if (callee) {
        auto hit = index.find(callee->name.view());
        if (hit != index.end()) sites.push_back({hit->second, call, dataflow});
      }
      return true;
    });
  };
  collect(*function.body, false);
  walk(*function.body, Into::Parts, [&](const Node& node) {
    if (!isa<relax::DataflowBlock>(&node)) return true;
    collect(node, true);
    return false;
  });
  return sites;
}

/// Whether `from` reaches `to` by calls.
bool reaches(const std::vector<std::vector<Site>>& calls, size_t from, size_t to) {
  std::vector<bool> seen(calls.size());
  std::vector<size_t> stack{from};
  while (!stack.empty()) {
    const size_t at = stack.back();
    stack.pop_back();
    if (at == to) return true;
    if (seen[at]) continue;
    seen[at] = true;
    for (const Site& site : calls[at]) stack.push_back(site.callee);
  }
  return false;
}

}  // namespace

void checkModuleRules(const ir::IRModule& module, Findings& findings) {
  std::unordered_map<std::string_view, size_t> index;
  bool entry = false, relaxSeen = false;
  for (size_t k = 0; k < module.size(); ++k) {
    entry |= ir::attrOf(module.functions[k]->attrs, "global_symbol") != nullptr;
    if (!isa<relax::Function>(module.functions[k])) continue;
    relaxSeen = true;
    index.emplace(module.vars[k]->name.view(), k);
  }
  if (module.size() > 1 && relaxSeen && !entry) {
    findings.function = {};
    findings.warning(module.functions[0]->span, "relax.no-entry",
                     "no function of the module has a global_symbol: nothing can be called from outside");
  }
  if (index.size() < 2) return;
  std::vector<std::vector<Site>> calls(module.size());
  for (const auto& [name, k] : index) calls[k] = callsOf(*as<relax::Function>(module.functions[k]), index);
  for (size_t k = 0; k < calls.size(); ++k) {
    for (const Site& site : calls[k]) {
      // A call of itself is reported where it stands.
      if (!site.dataflow || site.callee == k || !reaches(calls, site.callee, k)) continue;
      findings.function = module.vars[k]->name.view();
      findings.warning(site.call->span, "relax.recursion-in-dataflow",
                       fmt::format("'{}' calls '{}' inside a dataflow block, which calls it back", findings.function,
                                   module.vars[site.callee]->name.view()));
    }
  }
}

}  // namespace rx::analysis
