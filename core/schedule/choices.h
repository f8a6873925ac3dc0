// Numbers that rules for processors choose: tile sizes and the like, one row of choices.def each.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/ir/attrs.h"
#include "core/support/result.h"

namespace rx::schedule {

struct Choices {
#define RX_CHOICE(name, field, fallback, help, ...) int64_t field = fallback;
#define RX_MEASURE(name, field, fallback, least, most, help, ...) int64_t field = fallback;
#include "core/schedule/choices.def"
  bool operator==(const Choices&) const = default;
};

struct ChoiceRow {
  const char* name;  ///< of the rule, and what it chooses
  int64_t Choices::*field;
  int64_t fallback;
  const char* help;
  std::span<const int64_t> others;  ///< what tuning tries
  int64_t least, most;              ///< where any number between these will do; else most is below least

  /// The rule that chooses the number, as it is called.
  std::string_view rule() const;
  /// Whether all rules choose it.
  bool isOfAll() const;
  bool allows(int64_t number) const;
  /// What it may be, as a text.
  std::string allowed() const;
};
std::span<const ChoiceRow> choiceRows();

/// {name: number}; only those that differ from what the rules choose by themselves.
ir::Attrs asAttribute(const Choices& choices);
/// The same with those too that these rules choose, and that all rules do.
ir::Attrs asAttribute(const Choices& choices, std::span<const std::string_view> rules);
/// The other way round. Fails with schedule.choice where a name is none of the rows', or a number is none that the
/// row has.
Result<Choices> choicesOf(const NodeRef& value);

}  // namespace rx::schedule
