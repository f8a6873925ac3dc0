#include "views/panels/ir_text/call_defaults.h"

#include <cstdlib>
#include <string>
#include <unordered_map>

#include "core/op/op_table.h"
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

/// Reads the arguments of one call and notes those that are defaults.
class Call {
 public:
  Call(std::string_view line, std::string_view op, std::vector<Shortening>& found)
      : line_(line), op_(op), found_(found) {}

  /// `at` is behind the call's parenthesis.
  void read(size_t at) {
    int depth = 0;
    bool quoted = false;
    size_t begin = at;  // of the argument, with the comma before it
    for (; at < line_.size(); ++at) {
      const char c = line_[at];
      if (c == '\\' && quoted) ++at;
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      const bool closes = c == ')' || c == ']' || c == '}';
      if (depth == 0 && (c == ',' || closes)) {
        argument(begin, at);
        begin = at;
        if (closes) return;
      }
      depth += (c == '(' || c == '[' || c == '{') - closes;
    }
  }

 private:
  void argument(size_t begin, size_t end) {
    const bool first = line_[begin] != ',';
    const size_t name = line_.find_first_not_of(" ,", begin);
    if (first || name >= end) return;
    const size_t equals = line_.find('=', name);
    if (equals >= end) return;
    const auto known = defaults().find(std::string(op_) + ' ' + std::string(line_.substr(name, equals - name)));
    if (known == defaults().end()) return;
    if (saysTheSame(std::string(line_.substr(equals + 1, end - equals - 1)), known->second))
      found_.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end), {}});
  }

  std::string_view line_;
  std::string_view op_;
  std::vector<Shortening>& found_;
};

}  // namespace

std::vector<Shortening> defaultArguments(std::string_view line) {
  std::vector<Shortening> found;
  for (size_t at = line.find("R."); at != std::string_view::npos; at = line.find("R.", at + 1)) {
    if (at > 0 && inName(line[at - 1])) continue;
    const size_t name = at + 2;
    size_t end = name;
    while (end < line.size() && inName(line[end])) ++end;
    if (end < line.size() && line[end] == '(') Call(line, line.substr(name, end - name), found).read(end + 1);
  }
  return found;
}

}  // namespace rx::views
