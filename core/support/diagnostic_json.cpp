#include "core/support/diagnostic_json.h"

#include <nlohmann/json.hpp>

namespace rx {

namespace {

using Json = nlohmann::ordered_json;

const char* severityName(Severity severity) {
  static constexpr const char* kNames[] = {"note", "warning", "error"};
  return kNames[static_cast<size_t>(severity)];
}

void addText(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

Json diagnosticJson(const Diagnostic& diagnostic, const SourceList& sources) {
  Json object = {
      {"severity", severityName(diagnostic.severity)}, {"rule", diagnostic.rule}, {"message", diagnostic.message}};
  addPlace(object, diagnostic.span, sources);
  addText(object, "context", diagnostic.context);
  addText(object, "fix", diagnostic.fix);
  for (const DiagnosticNote& note : diagnostic.notes) {
    Json made = {{"message", note.message}};
    addPlace(made, note.span, sources);
    object["notes"].push_back(std::move(made));
  }
  return object;
}

}  // namespace

void addPlace(Json& object, const Span& span, const SourceList& sources) {
  if (!span.known() || span.file >= sources.size()) return;
  const SourceFile& source = *sources[span.file];
  const LineColumn begin = source.lineColumn(span.begin), end = source.lineColumn(span.end);
  object["file"] = source.name();
  object["line"] = begin.line;
  object["column"] = begin.column;
  object["endLine"] = end.line;
  object["endColumn"] = end.column;
}

Json diagnosticsJson(const std::vector<Diagnostic>& diagnostics, const SourceList& sources) {
  Json list = Json::array();
  for (const Diagnostic& diagnostic : diagnostics) list.push_back(diagnosticJson(diagnostic, sources));
  return list;
}

}  // namespace rx
