#include "core/analysis/pattern_arguments.h"

#include <fmt/format.h>

#include <algorithm>

namespace rx::analysis {

namespace {

struct Parameter {
  std::string_view name;
  bool optional;
};

std::vector<Parameter> parametersOf(std::string_view text) {
  std::vector<Parameter> out;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(", "), text.size());
    std::string_view name = text.substr(0, comma);
    const bool optional = name.ends_with('?');
    if (optional) name.remove_suffix(1);
    out.push_back({name, optional});
    text.remove_prefix(std::min(comma + 2, text.size()));
  }
  return out;
}

}  // namespace

Result<PatternArguments> assignArguments(const PatternForm& form, const std::vector<PatternArgument>& given,
                                         Span place) {
  const std::vector<Parameter> params = parametersOf(form.params);
  auto refused = [&](Span at, std::string_view what) {
    return fail(errorAt(at, "pattern.argument", fmt::format("{}({}): {}", form.name, form.params, what)));
  };
  PatternArguments out(params.size());
  for (size_t i = 0; i < given.size(); ++i) {
    size_t target = i;
    if (!given[i].keyword.empty()) {
      const auto named = std::find_if(params.begin(), params.end(),
                                      [&](const Parameter& param) { return param.name == given[i].keyword; });
      target = static_cast<size_t>(named - params.begin());
    }
    if (target >= params.size()) return refused(given[i].span, "takes no such argument");
    if (out[target]) return refused(given[i].span, "this argument is given twice");
    out[target] = &given[i];
  }
  for (size_t i = 0; i < params.size(); ++i) {
    if (!out[i] && !params[i].optional) return refused(place, fmt::format("{} is missing", params[i].name));
  }
  return out;
}

}  // namespace rx::analysis
