#include "core/relay/exhaustive.h"

#include <algorithm>
#include <deque>

namespace rx::relay {

namespace {

constexpr size_t kMostCases = 10'000;

enum class Fit : uint8_t { Yes, No, Perhaps };

/// Whether a pattern fits all values of a case, none, or it depends on parts that the case leaves open.
Fit fits(const PatternNode& pattern, const PatternNode& value) {
  if (isa<PatternWildcard>(&pattern) || isa<PatternVar>(&pattern)) return Fit::Yes;
  const auto* wanted = as<PatternConstructor>(&pattern);
  const auto* found = as<PatternConstructor>(&value);
  const auto* wantedTuple = as<PatternTuple>(&pattern);
  const auto* foundTuple = as<PatternTuple>(&value);
  if ((wanted && !found) || (wantedTuple && !foundTuple)) return Fit::Perhaps;
  if (wanted && !(wanted->constructor->name == found->constructor->name)) return Fit::No;
  const Array<Pattern>& parts = wanted ? wanted->patterns : wantedTuple->patterns;
  const Array<Pattern>& given = wanted ? found->patterns : foundTuple->patterns;
  Fit all = Fit::Yes;
  for (size_t i = 0; i < std::min(parts.size(), given.size()); ++i) {
    const Fit part = fits(*parts[i], *given[i]);
    if (part == Fit::No) return Fit::No;
    if (part == Fit::Perhaps) all = Fit::Perhaps;
  }
  return all;
}

/// The case split at the first open part where the pattern wants more than it says; every constructor a case of its
/// own.
std::vector<Pattern> split(const PatternNode& pattern, const Pattern& value, const Surroundings& around) {
  auto wildcards = [](size_t count) { return Array<Pattern>(std::vector<Pattern>(count, make<PatternWildcard>())); };
  const auto* wanted = as<PatternConstructor>(&pattern);
  const auto* tuple = as<PatternTuple>(&pattern);
  if (isa<PatternWildcard>(value)) {
    if (tuple) return {make<PatternTuple>(wildcards(tuple->patterns.size()))};
    std::vector<Pattern> out;
    const TypeData* data = around.typeOf(*wanted->constructor->belongTo);
    for (size_t i = 0; data && i < data->constructors.size(); ++i) {
      const Ref<Constructor>& each = data->constructors[i];
      out.push_back(make<PatternConstructor>(each, wildcards(each->inputs.size())));
    }
    return out;
  }
  const Array<Pattern>& parts = wanted ? wanted->patterns : tuple->patterns;
  const auto* found = as<PatternConstructor>(value);
  const Array<Pattern>& given = found ? found->patterns : as<PatternTuple>(value)->patterns;
  std::vector<Pattern> out;
  for (size_t i = 0; i < std::min(parts.size(), given.size()); ++i) {
    if (fits(*parts[i], *given[i]) != Fit::Perhaps) continue;
    for (const Pattern& each : split(*parts[i], given[i], around)) {
      std::vector<Pattern> replaced = given.vector();
      replaced[i] = each;
      const Array<Pattern> made(std::move(replaced));
      out.push_back(found ? Pattern(make<PatternConstructor>(found->constructor, made)) : make<PatternTuple>(made));
    }
    break;
  }
  return out;
}

std::string shown(const PatternNode& value) {
  const auto* made = as<PatternConstructor>(&value);
  const auto* tuple = as<PatternTuple>(&value);
  if (!made && !tuple) return "_";
  std::string parts;
  for (const Pattern& part : made ? made->patterns : tuple->patterns)
    parts += (parts.empty() ? "" : ", ") + shown(*part);
  const std::string name = made ? made->constructor->name.string() : "";
  return made && parts.empty() ? name : name + "(" + parts + ")";
}

}  // namespace

std::string unmatchedCase(const Match& match, const Surroundings& around) {
  std::deque<Pattern> cases{make<PatternWildcard>()};
  for (size_t tried = 0; !cases.empty() && tried < kMostCases; ++tried) {
    const Pattern value = cases.front();
    cases.pop_front();
    bool settled = false;
    for (const Ref<Clause>& clause : match.clauses) {
      const Fit fit = fits(*clause->pattern, *value);
      if (fit == Fit::No) continue;
      if (fit == Fit::Perhaps) {
        for (Pattern& each : split(*clause->pattern, value, around)) cases.push_back(std::move(each));
      }
      settled = true;
      break;
    }
    if (!settled) return shown(*value);
  }
  return {};
}

}  // namespace rx::relay
