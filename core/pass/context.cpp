#include <fmt/format.h>

#include <algorithm>

#include "core/pass/names.h"

namespace rx::pass {

namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result<Unit> checkName(const PassTable& table, std::string& name) {
  const PassRow* row = table.find(name);
  for (const PassRow& each : table.rows()) {
    if (!row && each.name == name) row = &each;  // of whatever language
  }
  if (row && !*row->expandsTo) {
    name = row->name;
    return Unit{};
  }
  if (row) {
    Diagnostic pipeline = errorAt({}, "pass.pipeline-name", fmt::format("'{}' is a pipeline, not a pass", name));
    pipeline.fix = "name its passes: " + std::string(row->expandsTo);
    return fail(std::move(pipeline));
  }
  Diagnostic unknown = errorAt({}, "pass.unknown-name", fmt::format("no pass is named '{}'", name));
  unknown.fix = nearPass(table, name);
  return fail(std::move(unknown));
}

}  // namespace

std::string whyLeftOut(const PassRow& row, const PassContext& context) {
  if (contains(context.disabled, row.name)) return fmt::format("{} is left out: it is disabled", row.name);
  const int level = static_cast<int>(row.level);
  if (contains(context.required, row.name) || context.optLevel >= level) return {};
  return fmt::format("{} is left out: it runs at level {}, and the level is {}", row.name, level, context.optLevel);
}

Result<Unit> checkContext(const PassTable& table, PassContext& context) {
  std::vector<Diagnostic> problems;
  for (std::vector<std::string>* names : {&context.disabled, &context.required}) {
    for (std::string& name : *names) {
      Result<Unit> known = checkName(table, name);
      if (!known) problems.insert(problems.end(), known.diagnostics().begin(), known.diagnostics().end());
    }
  }
  if (!problems.empty()) return fail(std::move(problems));
  return Unit{};
}

}  // namespace rx::pass
