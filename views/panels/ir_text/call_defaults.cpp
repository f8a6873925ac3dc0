#include "views/panels/ir_text/call_defaults.h"

#include <cstdlib>
#include <string>
#include <unordered_map>

#include "core/op/op_table.h"
#include "views/models/list_parts.h"
#include "views/panels/operator_words.h"
#include "views/theme/qt_text.h"

namespace rx::views {
namespace {

constexpr std::string_view kSpace = "relax.";

/// The default of each parameter as texts write it, by operator and name: "nn.conv2d groups".
const std::unordered_map<std::string, std::string>& defaults() {
  static const std::unordered_map<std::string, std::string> kDefaults = [] {
    std::unordered_map<std::string, std::string> all;
    for (const op::OpRow& row : op::allOps()) {
      if (!row.name().starts_with(kSpace)) continue;
      const std::string name(row.name().substr(kSpace.size()));
      for (const OperatorParameter& parameter : operatorParameters(qtText(row.spec.signature)))
        if (!parameter.fallback.isEmpty())
          all[name + ' ' + parameter.name.toStdString()] =
              QString(parameter.fallback).replace(QLatin1Char('\''), QLatin1Char('"')).toStdString();
    }
    return all;
  }();
  return kDefaults;
}

bool isNumber(const std::string& text, double* value) {
  char* end = nullptr;
  *value = std::strtod(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size();
}

/// Equal as texts, or as numbers: the printer writes all digits of 1e-05.
bool saysTheSame(const std::string& value, const std::string& fallback) {
  double a = 0, b = 0;
  return value == fallback || (isNumber(value, &a) && isNumber(fallback, &b) && a == b);
}

bool inName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/// Notes those arguments of a call of an operator that are defaults; they begin at `at`, behind the parenthesis.
void noteDefaults(std::string_view line, std::string_view op, size_t at, std::vector<Shortening>& found) {
  const ListParts list = listParts(line, at);
  const size_t whole = list.parts.size() - (list.closed ? 0 : 1);  // the line may end within the last
  for (size_t i = 1; i < whole; ++i) {
    const auto& [begin, end] = list.parts[i];
    const size_t name = line.find_first_not_of(' ', begin);
    const size_t equals = line.find('=', begin);
    if (name >= end || equals >= end) continue;
    const auto known = defaults().find(std::string(op) + ' ' + std::string(line.substr(name, equals - name)));
    if (known == defaults().end()) continue;
    if (saysTheSame(std::string(line.substr(equals + 1, end - equals - 1)), known->second))
      found.push_back({static_cast<uint32_t>(begin - 1), static_cast<uint32_t>(end), {}});  // with the comma before it
  }
}

}  // namespace

std::vector<Shortening> defaultArguments(std::string_view line) {
  std::vector<Shortening> found;
  for (size_t at = line.find("R."); at != std::string_view::npos; at = line.find("R.", at + 1)) {
    if (at > 0 && inName(line[at - 1])) continue;
    const size_t name = at + 2;
    size_t end = name;
    while (end < line.size() && inName(line[end])) ++end;
    if (end < line.size() && line[end] == '(') noteDefaults(line, line.substr(name, end - name), end + 1, found);
  }
  return found;
}

}  // namespace rx::views
