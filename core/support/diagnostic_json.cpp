#include "core/support/diagnostic_json.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/support/diagnostic_text.h"

namespace rx {

namespace {

using Json = nlohmann::ordered_json;

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

std::string_view textIn(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get_ref<const std::string&>() : std::string_view();
}

std::vector<Json> objectsIn(const Json& list) {
  std::vector<Json> objects;
  if (list.is_array())
    std::copy_if(list.begin(), list.end(), std::back_inserter(objects),
                 [](const Json& each) { return each.is_object(); });
  return objects;
}

std::string placeIn(const Json& object) {
  const std::string_view file = textIn(object, "file");
  const auto line = object.find("line"), column = object.find("column");
  if (file.empty() || line == object.end() || column == object.end()) return {};
  if (!line->is_number_integer() || !column->is_number_integer()) return {};
  return placeText(file, line->get<int64_t>(), column->get<int64_t>());
}

}  // namespace

std::string renderDiagnosticsJson(const Json& diagnostics) {
  std::string out;
  for (const Json& each : objectsIn(diagnostics)) {
    DiagnosticText text{.place = placeIn(each),
                        .severity = textIn(each, "severity"),
                        .rule = textIn(each, "rule"),
                        .message = textIn(each, "message"),
                        .context = textIn(each, "context"),
                        .fix = textIn(each, "fix")};
    if (const auto notes = each.find("notes"); notes != each.end())
      for (const Json& note : objectsIn(*notes))
        text.notes.push_back({placeIn(note), std::string(textIn(note, "message")), {}});
    out += text.text();
  }
  return out;
}

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
