// What the rules of diagnostics mean: one row a rule, with an example that breaks it and the same mended.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rx {

struct RuleHelp {
  std::string_view name;  ///< "relax.if-in-dataflow"; one that ends in '.' stands for all rules that begin with it
  std::string_view meaning;
  std::string_view wrong;  ///< empty where there is no example to give
  std::string_view right;
  bool isFamily() const { return name.ends_with('.'); }
};

/// All rows, by subject.
std::span<const RuleHelp> allRuleHelp();
/// The row of a rule, or that of its family; null for what is no rule.
const RuleHelp* ruleHelp(std::string_view rule);
/// The row as text: the rule, its meaning in lines of at most so many columns (0: as one line), the examples indented.
std::string ruleHelpText(std::string_view rule, const RuleHelp& help, size_t columns = 80);

}  // namespace rx
