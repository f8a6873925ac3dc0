#include "core/support/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/diagnostic_text.h"

namespace rx {

Diagnostic errorAt(Span span, std::string rule, std::string message) {
  return Diagnostic{Severity::Error, std::move(rule), std::move(message), span};
}

Diagnostic warningAt(Span span, std::string rule, std::string message) {
  return Diagnostic{Severity::Warning, std::move(rule), std::move(message), span};
}

bool hasErrors(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

namespace {

const SourceFile* fileOf(Span span, const SourceList& sources) {
  return span.known() && span.file < sources.size() ? sources[span.file].get() : nullptr;
}

std::string placeOf(Span span, const SourceList& sources) {
  const SourceFile* file = fileOf(span, sources);
  if (!file) return {};
  LineColumn at = file->lineColumn(span.begin);
  return placeText(file->name(), at.line, at.column);
}

/// Longest piece of a source line that is shown; a longer line is cut around the place.
constexpr size_t kShownColumns = 160;

std::string caretLines(Span span, const SourceList& sources) {
  const SourceFile* file = fileOf(span, sources);
  if (!file) return {};
  LineColumn at = file->lineColumn(span.begin);
  std::string_view line = file->line(at.line);
  size_t begin = span.begin - file->lineStart(at.line);
  size_t end = std::max<size_t>(begin + 1, std::min<size_t>(span.end - file->lineStart(at.line), line.size()));
  size_t from = 0;
  if (line.size() > kShownColumns && begin > kShownColumns / 2) from = begin - kShownColumns / 2;
  std::string_view shown = line.substr(std::min(from, line.size()), kShownColumns);
  std::string before = escapedForDisplay(shown.substr(0, std::min(begin - from, shown.size())));
  std::string marked = escapedForDisplay(line.substr(std::min(begin, line.size()), end - begin));
  size_t width = std::clamp<size_t>(marked.size(), 1, kShownColumns);
  return fmt::format("  {}\n  {}^{}\n", escapedForDisplay(shown), std::string(before.size(), ' '),
                     std::string(width - 1, '~'));
}

bool isBidiControl(uint32_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F;
}

}  // namespace

const char* severityName(Severity severity) {
  static constexpr const char* kNames[] = {"note", "warning", "error"};
  return kNames[static_cast<size_t>(severity)];
}

std::string escapedForDisplay(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    unsigned char c = static_cast<unsigned char>(text[i]);
    size_t length = c < 0x80 ? 1 : (c >> 5) == 6 ? 2 : (c >> 4) == 14 ? 3 : (c >> 3) == 30 ? 4 : 0;
    bool whole = length != 0 && i + length <= text.size();
    uint32_t code = c & (length == 1 ? 0x7F : 0xFF >> (length + 1));
    for (size_t k = 1; whole && k < length; ++k) {
      unsigned char next = static_cast<unsigned char>(text[i + k]);
      whole = (next & 0xC0) == 0x80;
      code = (code << 6) | (next & 0x3F);
    }
    if (!whole) {
      out += fmt::format("\\x{:02x}", c);
      ++i;
      continue;
    }
    if ((code < 0x20 && code != '\t') || code == 0x7F || (code >= 0x80 && code < 0xA0)) {
      out += fmt::format("\\x{:02x}", code);
    } else if (isBidiControl(code)) {
      out += fmt::format("\\u{{{:x}}}", code);
    } else {
      out.append(text.substr(i, length));
    }
    i += length;
  }
  return out;
}

std::string placeText(std::string_view file, int64_t line, int64_t column) {
  return fmt::format("{}:{}:{}: ", escapedForDisplay(file), line, column);
}

std::string DiagnosticText::text() const {
  std::string out = fmt::format("{}{}[{}]: {}\n{}", place, escapedForDisplay(severity), escapedForDisplay(rule),
                                escapedForDisplay(message), lines);
  if (!context.empty()) out += fmt::format("  in {}\n", escapedForDisplay(context));
  for (const Note& note : notes)
    out += fmt::format("{}note: {}\n{}", note.place, escapedForDisplay(note.message), note.lines);
  if (!fix.empty()) out += fmt::format("  fix: {}\n", escapedForDisplay(fix));
  return out;
}

std::string renderDiagnostic(const Diagnostic& d, const SourceList& sources) {
  DiagnosticText text{.place = placeOf(d.span, sources),
                      .severity = severityName(d.severity),
                      .rule = d.rule,
                      .message = d.message,
                      .lines = caretLines(d.span, sources),
                      .context = d.context,
                      .fix = d.fix};
  for (const DiagnosticNote& note : d.notes)
    text.notes.push_back({placeOf(note.span, sources), note.message, caretLines(note.span, sources)});
  return text.text();
}

std::string renderDiagnostics(const std::vector<Diagnostic>& diagnostics, const SourceList& sources) {
  std::string out;
  for (const Diagnostic& d : diagnostics) out += renderDiagnostic(d, sources);
  return out;
}

}  // namespace rx
