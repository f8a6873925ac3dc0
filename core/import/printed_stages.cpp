#include "core/import/printed_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "core/import/stage_choice.h"
#include "core/script/outline.h"

namespace rx::import {

namespace {

/// A heading longer than this is a message of a log, not what somebody calls a stage.
constexpr size_t kMostName = 48;

/// Where lines that announce a module name the pass: what stands behind `before`, up to one of `until`.
struct Announcement {
  std::string_view before, until;
};
constexpr std::array kAnnouncements = {
    Announcement{"pass name: ", ",\n"},  // After Running Pass: The meta data of the pass - pass name: X, opt_level: 0,
                                         // …
    Announcement{"PassInfo(", ""},       // the same since v0.23: PassInfo(opt_level=0, name="X", …)
    Announcement{"Print IR after: ", "\n"},
    Announcement{"Print IR before: ", "\n"},
    Announcement{"PrintIR(", ")\n"},
};

std::string_view trimmed(std::string_view text, std::string_view what) {
  const size_t begin = text.find_first_not_of(what);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(what) - begin + 1);
}

std::string_view between(std::string_view text, size_t begin, std::string_view until) {
  return trimmed(text.substr(begin, text.find_first_of(until, begin) - begin), " \t\r\"'");
}

std::string nameBy(std::string_view heading, size_t number) {
  for (const Announcement& one : kAnnouncements) {
    size_t at = heading.find(one.before);
    if (at == std::string_view::npos) continue;
    at += one.before.size();
    std::string_view until = one.until;
    if (until.empty()) {
      constexpr std::string_view kName = "name=";
      at = heading.find(kName, at);
      if (at == std::string_view::npos) continue;
      at += kName.size();
      until = ",)\n";
    }
    if (const std::string_view name = between(heading, at, until); !name.empty()) return std::string(name);
  }
  const std::string_view line = trimmed(heading, " \t\r\n=-#*:");
  // A message of a log begins with a time, or with something in brackets.
  const bool isName = !line.empty() && std::isalpha(static_cast<unsigned char>(line[0])) && line.size() <= kMostName &&
                      line.find('\n') == std::string_view::npos;
  return isName ? std::string(line) : fmt::format("module {}", number);
}

bool repeatsModule(const script::Outline& outline) {
  std::vector<std::string_view> names;
  for (const script::OutlineUnit& unit : outline.units) {
    if (unit.kind != script::OutlineUnit::Kind::Module || !unit.function.empty()) continue;
    if (std::find(names.begin(), names.end(), unit.name) != names.end()) return true;
    names.push_back(unit.name);
  }
  return false;
}

}  // namespace

bool holdsPrintedStages(std::string_view text) {
  constexpr std::string_view kModule = "ir_module";
  const size_t first = text.find(kModule);  // most texts hold one: no outline for them
  if (first == std::string_view::npos || text.find(kModule, first + kModule.size()) == std::string_view::npos)
    return false;
  if (text.size() >= UINT32_MAX - 16) return false;
  return repeatsModule(script::outlineOf(text));
}

std::vector<PrintedStage> printedStages(const Ref<SourceFile>& source, const CancelToken& cancel) {
  script::ParseOptions options;
  options.cancel = cancel;
  script::ParsedFile file = script::parseSource(source, options);
  const script::Outline outline = script::outlineOf(source->text());
  std::vector<PrintedStage> stages;
  for (size_t i = 0; i < file.units.size(); ++i) {
    if (!file.units[i].isModule || !file.units[i].function.empty()) continue;
    std::string name = nameBy(outline.units[i].heading, stages.size());
    stages.push_back({std::move(name), std::move(file.units[i])});
  }
  return stages;
}

Result<script::ParsedUnit> printedStage(const Ref<SourceFile>& source, const std::string& stage) {
  std::vector<PrintedStage> stages = printedStages(source);
  const std::optional<size_t> number = stageNumber(stage);
  std::string names;
  PrintedStage* found = nullptr;
  for (size_t i = 0; i < stages.size(); ++i) {
    if (number ? *number == i : stages[i].name == stage) found = &stages[i];
    names += fmt::format("{}{} {}", i ? ", " : "", i, stages[i].name);
  }
  if (!found) return fail(noStage(source->name(), stage, names));
  if (!found->unit.module) return fail(std::move(found->unit.diagnostics));
  return std::move(found->unit);
}

}  // namespace rx::import
