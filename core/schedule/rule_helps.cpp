#include "core/schedule/rule_helps.h"

#include "core/schedule/apply_schedules.h"
#include "core/schedule/host_rules.h"

namespace rx::schedule {

std::vector<std::pair<std::string, std::string>> ruleHelps(std::span<const std::string> made) {
  std::vector<std::pair<std::string, std::string>> helps;
  for (const HostRuleRow& row : hostRuleRows())
    if (namesRule(made, row.name)) helps.emplace_back(row.name, row.help);
  return helps;
}

}  // namespace rx::schedule
