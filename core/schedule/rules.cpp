#include "core/schedule/rules.h"

#include <algorithm>

namespace rx::schedule {

namespace {

bool isAny(const target::Target&) { return true; }
bool isCpu(const target::Target& target) { return target.kind() == "llvm"; }
bool isGpu(const target::Target& target) { return target.isGpu(); }

constexpr RuleRow kRows[] = {
#define RX_RULE(name, function, takes, option, fallback, help) {name, help, takes, function, option, fallback},
#include "core/schedule/rules.def"
};

}  // namespace

std::span<const RuleRow> ruleRows() { return kRows; }

const RuleRow* findRule(std::string_view name) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const RuleRow& r) { return r.name == name; });
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace rx::schedule
