// Diagnostics as JSON, the one form that every program writes them in.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/support/diagnostic.h"

namespace rx {

/// [{"severity": "error"|"warning"|"note", "rule", "message", and where they are known "file", "line", "column",
/// "endLine", "endColumn" (from 1), "context", "fix", "notes": [{"message", and the same of its place}]}]
nlohmann::ordered_json diagnosticsJson(const std::vector<Diagnostic>& diagnostics, const SourceList& sources);

/// What renderDiagnostics writes of diagnostics that another process told as diagnosticsJson, without the lines of
/// their sources. A field that is missing or of another type is left out.
std::string renderDiagnosticsJson(const nlohmann::ordered_json& diagnostics);

/// Adds "file", "line", "column", "endLine" and "endColumn" of a span that is known.
void addPlace(nlohmann::ordered_json& object, const Span& span, const SourceList& sources);

}  // namespace rx
