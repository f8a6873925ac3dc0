#include "core/schedule/choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "core/support/nearest.h"

namespace rx::schedule {

namespace {

#define RX_CHOICE(name, field, fallback, help, ...) constexpr int64_t field##Others[] = {__VA_ARGS__};
#define RX_MEASURE(name, field, fallback, least, most, help, ...) constexpr int64_t field##Others[] = {__VA_ARGS__};
#include "core/schedule/choices.def"

constexpr ChoiceRow kRows[] = {
#define RX_CHOICE(name, field, fallback, help, ...) {name, &Choices::field, fallback, help, field##Others, 1, 0},
#define RX_MEASURE(name, field, fallback, least, most, help, ...) \
  {name, &Choices::field, fallback, help, field##Others, least, most},
#include "core/schedule/choices.def"
};

/// In the place of a rule, where all of them choose the number.
constexpr std::string_view kOfAll = "threads";

/// The numbers that differ from what the rules choose, and all of those that are shown by their rule.
ir::Attrs entriesOf(const Choices& choices, const std::function<bool(const ChoiceRow&)>& shown) {
  std::vector<std::pair<Str, NodeRef>> entries;
  for (const ChoiceRow& row : kRows) {
    if (choices.*row.field != row.fallback || shown(row))
      entries.emplace_back(Str(row.name), ir::intAttr(choices.*row.field));
  }
  return make<ir::DictAttrs>(entries);
}

Result<Unit> set(Choices& choices, std::string_view name, const NodeRef& value) {
  const auto row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const ChoiceRow& each) { return each.name == name; });
  if (row == std::end(kRows)) {
    Nearest nearest(name);
    for (const ChoiceRow& each : kRows) nearest.offer(each.name);
    Diagnostic said = errorAt({}, "schedule.choice", fmt::format("no rule chooses '{}'", name));
    said.fix = nearest.fix();
    return fail(std::move(said));
  }
  const auto* number = as<ir::IntAttr>(value);
  if (!number || !row->allows(number->value))
    return fail("schedule.choice", fmt::format("{} is {}", name, row->allowed()));
  choices.*row->field = number->value;
  return Unit{};
}

}  // namespace

std::string_view ChoiceRow::rule() const {
  const std::string_view all(name);
  return all.substr(0, all.rfind('.'));
}

bool ChoiceRow::isOfAll() const { return rule() == kOfAll; }

bool ChoiceRow::allows(int64_t number) const {
  return number == fallback || (least <= number && number <= most) ||
         std::find(others.begin(), others.end(), number) != others.end();
}

std::string ChoiceRow::allowed() const {
  if (least <= most) return fmt::format("a number from {} to {}", least, most);
  return fmt::format("{} or one of {}", fallback, fmt::join(others, ", "));
}

std::span<const ChoiceRow> choiceRows() { return kRows; }

ir::Attrs asAttribute(const Choices& choices) {
  return entriesOf(choices, [](const ChoiceRow&) { return false; });
}

ir::Attrs asAttribute(const Choices& choices, std::span<const std::string_view> rules) {
  return entriesOf(choices, [&](const ChoiceRow& row) {
    return row.isOfAll() || std::find(rules.begin(), rules.end(), row.rule()) != rules.end();
  });
}

Result<Choices> choicesOf(const NodeRef& value) {
  const auto* entries = as<ir::DictAttrs>(value);
  if (!entries) return fail("schedule.choice", "choices are {name: number}");
  Choices choices;
  for (size_t i = 0; i < entries->size(); ++i) {
    RX_CHECK(set(choices, entries->keys[i].view(), entries->values[i]));
  }
  return choices;
}

}  // namespace rx::schedule
