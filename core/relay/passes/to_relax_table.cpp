#include <unordered_map>

#include "core/relay/passes/to_relax_rules.h"

namespace rx::relay {

namespace {
constexpr TranslateRow kRows[] = {
#define RX_TO_RELAX(op, function, counterpart, attrs) {op, translate::function, counterpart, attrs},
#include "core/relay/passes/to_relax.def"
};
}  // namespace

std::span<const TranslateRow> allTranslations() { return kRows; }

const TranslateRow* findTranslation(std::string_view op) {
  static const std::unordered_map<std::string_view, const TranslateRow*> kByName = [] {
    std::unordered_map<std::string_view, const TranslateRow*> rows;
    for (const TranslateRow& row : kRows) rows.emplace(row.op, &row);
    return rows;
  }();
  const auto hit = kByName.find(op);
  return hit == kByName.end() ? nullptr : hit->second;
}

}  // namespace rx::relay
