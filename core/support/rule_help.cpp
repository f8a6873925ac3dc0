#include "core/support/rule_help.h"

#include <algorithm>

namespace rx {

namespace {

constexpr RuleHelp kRows[] = {
#define RX_RULE(name, meaning, wrong, right) {name, meaning, wrong, right},
#include "core/support/rules_lower.def"
#include "core/support/rules_relax.def"
#include "core/support/rules_relay.def"
#include "core/support/rules_script.def"
#include "core/support/rules_tir.def"
#include "core/support/rules_work.def"
#undef RX_RULE
};

void addFilled(std::string& out, std::string_view text, size_t columns) {
  while (columns > 0 && text.size() > columns) {
    size_t cut = text.rfind(' ', columns);
    if (cut == std::string_view::npos) cut = std::min(text.find(' '), text.size());
    out.append(text.substr(0, cut)).append("\n");
    text.remove_prefix(std::min(cut + 1, text.size()));
  }
  out.append(text).append("\n");
}

void addExample(std::string& out, std::string_view title, std::string_view text) {
  if (text.empty()) return;
  out.append("\n").append(title).append("\n");
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out.append("    ").append(text.substr(0, end)).append("\n");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

std::span<const RuleHelp> allRuleHelp() { return kRows; }

const RuleHelp* ruleHelp(std::string_view rule) {
  const RuleHelp* family = nullptr;
  for (const RuleHelp& row : kRows) {
    if (row.name == rule) return &row;
    if (row.isFamily() && rule.starts_with(row.name)) family = &row;
  }
  return family;
}

std::string ruleHelpText(std::string_view rule, const RuleHelp& help, size_t columns) {
  std::string out(rule);
  out.append("\n\n");
  addFilled(out, help.meaning, columns);
  addExample(out, "Wrong:", help.wrong);
  addExample(out, "Right:", help.right);
  return out;
}

}  // namespace rx
