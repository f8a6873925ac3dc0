#include "views/session/module_patterns.h"

#include <unordered_set>

#include "core/analysis/pattern_reader.h"
#include "core/analysis/pattern_search.h"
#include "views/theme/qt_text.h"

namespace rx::views {

void ModulePatterns::add(int function, std::span<const script::Anchor> bindings, const FunctionRow& row) {
  Bindings& made = functions_.emplace_back(Bindings{function, {}});
  made.byOrdinal.reserve(row.bindings.size());
  auto anchor = bindings.begin();
  for (const BindingRow& binding : row.bindings) {
    while (anchor != bindings.end() && static_cast<int>(anchor->begin) < binding.range.begin) ++anchor;
    const bool found = anchor != bindings.end() && static_cast<int>(anchor->begin) == binding.range.begin;
    made.byOrdinal.push_back(found ? anchor->node : nullptr);
  }
}

std::vector<SitePlace> ModulePatterns::find(const QString& pattern, const CancelToken& cancel) const {
  std::vector<SitePlace> places;
  const Result<analysis::DataflowPattern> read = analysis::readPattern(pattern.toStdString());
  if (!read) return places;
  std::unordered_set<const Node*> found;
  for (const analysis::PatternPlace& place : analysis::findPattern(*module_, *read, cancel))
    found.insert(place.binding.get());
  if (found.empty()) return places;
  for (const Bindings& function : functions_) {
    for (size_t i = 0; i < function.byOrdinal.size(); ++i) {
      if (found.contains(function.byOrdinal[i])) places.push_back({0, function.function, static_cast<int>(i)});
    }
  }
  return places;
}

QString ModulePatterns::refusal(const QString& pattern) const {
  const Result<analysis::DataflowPattern> read = analysis::readPattern(pattern.toStdString());
  if (read) return {};
  const Diagnostic& first = read.diagnostics().front();
  const QString said = QStringLiteral("column %1: %2").arg(first.span.begin + 1).arg(qtText(first.message));
  return first.fix.empty() ? said : QStringLiteral("%1; %2").arg(said, qtText(first.fix));
}

}  // namespace rx::views
