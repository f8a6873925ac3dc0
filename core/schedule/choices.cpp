#include "core/schedule/choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/support/nearest.h"

namespace rx::schedule {

namespace {

#define RX_CHOICE(name, field, fallback, help, ...) constexpr int64_t field##Others[] = {__VA_ARGS__};
#include "core/schedule/choices.def"

constexpr ChoiceRow kRows[] = {
#define RX_CHOICE(name, field, fallback, help, ...) {name, &Choices::field, fallback, help, field##Others},
#include "core/schedule/choices.def"
};

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
  const bool known = number && (number->value == row->fallback ||
                                std::find(row->others.begin(), row->others.end(), number->value) != row->others.end());
  if (!known) {
    return fail("schedule.choice",
                fmt::format("{} is {} or one of {}", name, row->fallback, fmt::join(row->others, ", ")));
  }
  choices.*row->field = number->value;
  return Unit{};
}

}  // namespace

std::span<const ChoiceRow> choiceRows() { return kRows; }

ir::Attrs asAttribute(const Choices& choices) {
  std::vector<std::pair<Str, NodeRef>> entries;
  for (const ChoiceRow& row : kRows) {
    if (choices.*row.field != row.fallback) entries.emplace_back(Str(row.name), ir::intAttr(choices.*row.field));
  }
  return make<ir::DictAttrs>(entries);
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
