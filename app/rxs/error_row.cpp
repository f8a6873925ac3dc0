#include "app/rxs/error_row.h"

#include <fmt/format.h>

#include <cmath>

namespace rx::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A number of a row, which may be a word.
std::string numberText(const Json& value) {
  return value.is_number() ? fmt::format("{:.3g}", value.get<double>()) : value.get<std::string>();
}

}  // namespace

Json numberJson(double value) { return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value)); }

Json errorRow(const debug::BindingError& error) {
  return {{"function", error.function},
          {"binding", error.binding},
          {"equal", error.error.identical()},
          {"within", error.error.within()},
          {"max_absolute", numberJson(error.error.error.maxAbsolute)},
          {"max_relative", numberJson(error.error.error.maxRelative)},
          {"max_scaled", numberJson(error.error.error.maxScaled)},
          {"limit", error.error.error.limit},
          {"off", error.error.error.off},
          {"count", error.error.error.count},
          {"what", error.error.apart}};
}

std::string errorText(const Json& row) {
  const std::string what = row["what"];
  if (!what.empty()) return what;
  std::string text =
      fmt::format("largest difference {}, in proportion {}, {} of {} elements", numberText(row["max_absolute"]),
                  numberText(row["max_relative"]), row["off"].get<int64_t>(), row["count"].get<int64_t>());
  if (row.value("cause", "") == "own" && row.contains("own_absolute"))
    text += ", of its own " + numberText(row["own_absolute"]);
  return text;
}

std::string nameText(const Json& row) {
  const std::string function = row["function"], name = row["binding"];
  return function.empty() ? "the " + name : name + " of " + function;
}

std::string rowsText(const Json& rows) {
  std::string text;
  for (const Json& each : rows) {
    const bool equal = each["equal"], within = each["within"];
    const std::string cause = within ? equal ? "equal" : "within" : each.value("cause", "off");
    text += fmt::format("  {:<24} {}", nameText(each), cause);
    // What rounding makes of a value is another on every processor: --json has it.
    text += within ? "\n" : fmt::format(", {}\n", errorText(each));
  }
  return text;
}

}  // namespace rx::cli
