#include "core/schedule/host_rules.h"

#include <algorithm>

#include "core/schedule/coupled_sums.h"
#include "core/schedule/lines_beside.h"
#include "core/schedule/store_nests.h"

namespace rx::schedule {

namespace {

constexpr HostRuleRow kRows[] = {
#define RX_HOST_RULE(name, function, help) {name, help, function, nullptr},
#define RX_HOST_STATEMENT_RULE(name, function, help) {name, help, nullptr, function},
#include "core/schedule/host_rules.def"
};

}  // namespace

std::span<const HostRuleRow> hostRuleRows() { return kRows; }

const HostRuleRow* findHostRule(std::string_view name) {
  const auto row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const HostRuleRow& r) { return r.name == name; });
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace rx::schedule
