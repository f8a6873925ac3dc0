#include "core/schedule/rule_helps.h"

#include <algorithm>

#include "core/schedule/host_rules.h"
#include "core/schedule/rules.h"

namespace rx::schedule {

std::vector<std::pair<std::string, std::string>> ruleHelps(const std::vector<std::string>& made) {
  std::vector<std::pair<std::string, std::string>> helps;
  const auto add = [&](const auto& row) {
    const auto names = [&](const std::string& text) { return text.find(row.name) != std::string::npos; };
    if (std::any_of(made.begin(), made.end(), names)) helps.emplace_back(row.name, row.help);
  };
  for (const HostRuleRow& row : hostRuleRows()) add(row);
  for (const RuleRow& row : ruleRows()) add(row);
  return helps;
}

}  // namespace rx::schedule
