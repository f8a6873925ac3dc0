#include "views/session/built_module.h"

#include <unordered_set>

#include "core/analysis/pattern_reader.h"
#include "core/analysis/pattern_search.h"
#include "views/models/diagnostic_sentence.h"
#include "views/theme/qt_text.h"

namespace rx::views {

void BuiltModule::add(int function, std::span<const script::Anchor> bindings, const FunctionRow& row) {
  Bindings made;
  made.reserve(row.bindings.size());
  auto anchor = bindings.begin();
  for (const BindingRow& binding : row.bindings) {
    while (anchor != bindings.end() && static_cast<int>(anchor->begin) < binding.range.begin) ++anchor;
    const bool found = anchor != bindings.end() && static_cast<int>(anchor->begin) == binding.range.begin;
    made.push_back(found ? anchor->node : nullptr);
  }
  functions_[function] = std::make_shared<const Bindings>(std::move(made));
}

void BuiltModule::addSame(int function, const BuiltModule& before, int functionThen) {
  functions_[function] = before.functions_.at(functionThen);
}

std::vector<SitePlace> BuiltModule::find(const QString& pattern, const CancelToken& cancel) const {
  std::vector<SitePlace> places;
  const Result<analysis::DataflowPattern> read = analysis::readPattern(pattern.toStdString());
  if (!read) return places;
  std::unordered_set<const Node*> found;
  for (const analysis::PatternPlace& place : analysis::findPattern(*module_, *read, cancel))
    found.insert(place.binding.get());
  if (found.empty()) return places;
  for (const auto& [function, bindings] : functions_) {
    for (size_t i = 0; i < bindings->size(); ++i) {
      if (found.contains((*bindings)[i])) places.push_back({0, function, static_cast<int>(i)});
    }
  }
  return places;
}

QString BuiltModule::refusal(const QString& pattern) const {
  const Result<analysis::DataflowPattern> read = analysis::readPattern(pattern.toStdString());
  if (read) return {};
  const Diagnostic& first = read.diagnostics().front();
  return QStringLiteral("column %1: %2").arg(first.span.begin + 1).arg(sentenceOf(first));
}

}  // namespace rx::views
