#include "core/debug/breakpoint.h"

#include <algorithm>
#include <charconv>

#include "core/support/text_lines.h"

namespace rx::debug {

namespace {

constexpr std::string_view kBlanks = " ";

struct Comparison {
  std::string_view op;
  bool (*holds)(int64_t hits, int64_t count);
};
constexpr Comparison kComparisons[] = {
    {"==", [](int64_t a, int64_t b) { return a == b; }}, {">=", [](int64_t a, int64_t b) { return a >= b; }},
    {"<=", [](int64_t a, int64_t b) { return a <= b; }}, {">", [](int64_t a, int64_t b) { return a > b; }},
    {"<", [](int64_t a, int64_t b) { return a < b; }},   {"%", [](int64_t a, int64_t b) { return a % b == 0; }},
};

bool isNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Whether an expression reads a variable: its name as a word, not as a member and not in a text.
bool reads(std::string_view expression, std::string_view variable) {
  char quote = 0;
  for (size_t at = 0; at < expression.size(); ++at) {
    const char c = expression[at];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (isNameByte(c)) {
      const size_t begin = at;
      while (at + 1 < expression.size() && isNameByte(expression[at + 1])) ++at;
      const bool member = begin > 0 && expression[begin - 1] == '.';
      if (!member && expression.substr(begin, at + 1 - begin) == variable) return true;
    }
  }
  return false;
}

/// The same for the `{expressions}` of a message.
bool messageReads(std::string_view message, std::string_view variable) {
  for (size_t open = message.find('{'); open != std::string_view::npos; open = message.find('{', open + 1)) {
    const size_t close = std::min(message.find('}', open), message.size());
    if (reads(message.substr(open + 1, close - open - 1), variable)) return true;
  }
  return false;
}

}  // namespace

bool Breakpoint::sameAs(const Breakpoint& other) const {
  return kind == other.kind && instructions == other.instructions && watch == other.watch &&
         variable == other.variable && condition == other.condition && hitCondition == other.hitCondition &&
         logMessage == other.logMessage;
}

bool HitCondition::holds(int64_t hits) const {
  for (const Comparison& comparison : kComparisons)
    if (comparison.op == op) return comparison.holds(hits, count);
  return true;
}

Result<HitCondition> parseHitCondition(std::string_view text) {
  std::string_view rest = trimmed(text, kBlanks);
  HitCondition condition;
  for (const Comparison& comparison : kComparisons) {
    if (!rest.starts_with(comparison.op)) continue;
    condition.op = comparison.op;
    rest = trimmed(rest.substr(comparison.op.size()), kBlanks);
    break;
  }
  auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), condition.count);
  if (error != std::errc() || end != rest.data() + rest.size() || condition.count < 1)
    return fail("debug.hit-condition", "`" + escapedForDisplay(text) + "` is not a count such as 5, `>= 3` or `% 2`");
  return condition;
}

void setAccess(DataWatch& watch, std::string_view access) {
  watch.read = access == "read" || access == "readWrite";
  watch.write = access != "read";
}

bool Breakpoint::at(int64_t instruction) const {
  return std::binary_search(instructions.begin(), instructions.end(), instruction);
}

void setConditions(Breakpoint& breakpoint, const std::optional<std::string>& condition,
                   const std::optional<std::string>& hitCondition) {
  if (condition && !trimmed(*condition, kBlanks).empty()) {
    breakpoint.condition = *condition;
    if (auto checked = checkExpression(*condition); !checked) {
      breakpoint.problem = checked.diagnostics().front();
      breakpoint.message = breakpoint.problem->message;
    }
  }
  if (hitCondition && !trimmed(*hitCondition, kBlanks).empty()) {
    if (auto parsed = parseHitCondition(*hitCondition)) {
      breakpoint.hitCondition = *parsed;
    } else {
      breakpoint.message = parsed.diagnostics().front().message;
    }
  }
  breakpoint.after =
      breakpoint.kind == BreakKind::Binding && !breakpoint.variable.empty() &&
      (reads(breakpoint.condition, breakpoint.variable) || messageReads(breakpoint.logMessage, breakpoint.variable));
}

}  // namespace rx::debug
