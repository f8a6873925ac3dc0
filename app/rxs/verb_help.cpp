#include <fmt/format.h>

#include "app/rxs/input.h"
#include "app/rxs/standard_output.h"
#include "app/rxs/verbs.h"
#include "core/support/nearest.h"
#include "core/support/rule_help.h"

namespace rx::cli {

namespace {

int listRules() {
  for (const RuleHelp& row : allRuleHelp()) {
    const std::string_view first = row.meaning.substr(0, row.meaning.find_first_of(".:;"));
    say("{:<32} {}\n", std::string(row.name) + (row.isFamily() ? "*" : ""), first);
  }
  return kYes;
}

int explain(const std::string& rule) {
  if (const RuleHelp* help = ruleHelp(rule)) return writeText("-", ruleHelpText(rule, *help));
  Nearest nearest(rule);
  for (const RuleHelp& row : allRuleHelp()) nearest.offer(row.name);
  Diagnostic d = errorAt({}, "help.unknown-rule", fmt::format("there is no rule '{}'", rule));
  d.fix = nearest.fix();
  if (d.fix.empty()) d.fix = "rxs help without a rule lists all of them";
  return refuse({d});
}

}  // namespace

std::function<int()> setupHelp(CLI::App& command) {
  auto rule = std::make_shared<std::string>();
  command.add_option("rule", *rule, "the rule, as it stands in brackets behind 'error'; without it all are listed");
  return [rule] { return rule->empty() ? listRules() : explain(*rule); };
}

}  // namespace rx::cli
