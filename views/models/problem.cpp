#include "views/models/problem.h"

#include <QStringList>
#include <algorithm>

#include "core/support/fix.h"

namespace rx::views {
namespace {

QString safe(const std::string& text) { return QString::fromStdString(escapedForDisplay(text)); }

const SourceFile* fileOf(const Span& span, const SourceList& sources) {
  return span.known() && span.file < sources.size() ? sources[span.file].get() : nullptr;
}

QString placeText(const Span& span, const SourceList& sources) {
  const SourceFile* file = fileOf(span, sources);
  if (!file) return {};
  const LineColumn at = file->lineColumn(span.begin);
  return QStringLiteral("%1:%2:%3: ").arg(safe(file->name()), QString::number(at.line), QString::number(at.column));
}

size_t codePoints(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (static_cast<uint8_t>(byte) & 0xc0) != 0x80; }));
}

void setPlace(ProblemRow* row, const Span& span, const SourceList& sources) {
  const SourceFile* file = fileOf(span, sources);
  if (!file) return;
  const LineColumn begin = file->lineColumn(span.begin);
  const LineColumn end = file->lineColumn(span.end);
  row->file = safe(file->name());
  row->line = static_cast<int>(begin.line);
  row->column = static_cast<int>(begin.column);
  // Of what goes on in other lines the first one is marked, to its end.
  const std::string_view line = file->line(begin.line);
  const uint32_t last = begin.line == end.line ? end.column : 1 + static_cast<uint32_t>(codePoints(line));
  row->endColumn = static_cast<int>(std::max(last, begin.column + 1));
}

void setEdit(ProblemRow* row, const Diagnostic& diagnostic, const SourceList& sources) {
  const SourceFile* file = fileOf(diagnostic.span, sources);
  const std::optional<Edit> edit = file ? editOf(diagnostic, *file) : std::nullopt;
  if (!edit) return;
  const std::string_view old = file->text().substr(edit->span.begin, edit->span.end - edit->span.begin);
  row->edit = {static_cast<int>(edit->span.begin), static_cast<int>(edit->span.end), safe(std::string(old)),
               QString::fromStdString(edit->text)};
}

/// Gives a finding that names no function the binding that was written on its line: the last that begins there or above
/// it, in a function that goes on at least as far. What a function gives may be written in more lines than any binding
/// begins on; where no function goes on that far, it is the one that goes on furthest.
void placeByOrigin(const ProblemRow& problem, const StageIndex& stage, ProblemPlace* place) {
  int furthest = 0;
  for (const FunctionRow& function : stage.functions) {
    const BindingRow* nearest = nullptr;
    int from = 0, last = 0;
    for (const BindingRow& binding : function.bindings) {
      if (binding.origins.empty() || binding.origins.front().file != problem.file) continue;
      const int line = binding.origins.front().line;
      last = std::max(last, line);
      if (line < 1 || line > problem.line || line <= from) continue;
      nearest = &binding;
      from = line;
    }
    const bool goesOn = last >= problem.line;
    if (goesOn && !nearest) {  // it begins behind: what lies between may be its head
      furthest = last;
      *place = {};
    }
    if (!nearest || (!goesOn && last <= furthest)) continue;
    furthest = last;
    place->function = function.name;
    place->variable = nearest->name;
    place->binding = nearest->ordinal;
    if (goesOn) return;
  }
}

}  // namespace

std::vector<ProblemRow> problemRows(const std::vector<Diagnostic>& diagnostics, const SourceList& sources,
                                    const QString& source, int stage) {
  std::vector<ProblemRow> rows;
  rows.reserve(diagnostics.size());
  for (const Diagnostic& diagnostic : diagnostics) {
    ProblemRow row;
    row.severity = diagnostic.severity;
    row.rule = safe(diagnostic.rule);
    row.message = safe(diagnostic.message);
    row.fix = safe(diagnostic.fix);
    row.context = safe(diagnostic.context);
    row.source = source;
    row.stage = stage;
    setPlace(&row, diagnostic.span, sources);
    setEdit(&row, diagnostic, sources);
    for (const DiagnosticNote& note : diagnostic.notes)
      row.notes.push_back(placeText(note.span, sources) + safe(note.message));
    rows.push_back(std::move(row));
  }
  return rows;
}

ProblemPlace problemPlace(const ProblemRow& problem, const StageIndex* stage, bool sameText) {
  ProblemPlace place;
  const QStringList parts = problem.context.split(QStringLiteral(", "));
  static const QString kBinding = QStringLiteral("binding ");
  if (!problem.context.isEmpty()) place.function = parts.front();
  if (parts.back().startsWith(kBinding)) place.variable = parts.back().mid(kBinding.size());
  if (!stage) return place;
  if (problem.context.isEmpty() && !problem.file.isEmpty() && problem.line > 0) placeByOrigin(problem, *stage, &place);
  const FunctionRow* function = stage->function(place.function);
  const BindingRow* binding = !function            ? nullptr
                              : place.binding >= 0 ? function->binding(place.binding)
                                                   : function->bindingNamed(place.variable);
  if (binding) place.binding = binding->ordinal;
  if (problem.line > 0 && problem.line <= stage->lineCount() && (problem.file.isEmpty() || sameText)) {
    place.line = problem.line;
    place.column = problem.column;
    place.endColumn = problem.endColumn;
    // A finding of a run knows only the line: its text is meant, not what it is indented by.
    const QByteArray text = stage->line(problem.line);
    qsizetype indent = 0;
    while (indent < text.size() && text[indent] == ' ') ++indent;
    if (place.column < 1) place.column = static_cast<int>(indent) + 1;
  } else if (binding && binding->line > 0) {
    const int start = stage->lineStarts[static_cast<size_t>(binding->line - 1)];
    const QString line = QString::fromUtf8(stage->line(binding->line));
    place.line = binding->line;
    place.column = 1 + static_cast<int>(QString::fromUtf8(stage->text.mid(start, binding->range.begin - start)).size());
    place.endColumn = 1 + static_cast<int>(line.size());
  } else if (function) {
    place.line = function->headLine;
    const NameRow* own = function->names.empty() ? nullptr : &function->names.front();
    // Of a function as such its name is meant: what is in its head can have findings of its own.
    if (own && own->defines && place.line > 0 && stage->lineOf(own->range.begin) == place.line) {
      const int start = stage->lineStarts[static_cast<size_t>(place.line - 1)];
      const auto column = [&](int offset) {
        return 1 + static_cast<int>(QString::fromUtf8(stage->text.mid(start, offset - start)).size());
      };
      place.column = column(own->range.begin);
      place.endColumn = column(own->range.end);
    }
  }
  if (place.line < 1) return place;
  const int length = static_cast<int>(QString::fromUtf8(stage->line(place.line)).size());
  if (place.endColumn <= place.column) place.endColumn = std::max(place.column + 1, length + 1);
  return place;
}

QString problemText(const ProblemRow& problem) {
  static const char* const kWords[] = {"note", "warning", "error"};
  QString text;
  if (problem.line > 0 && problem.file.isEmpty()) {
    text += QStringLiteral("line %1 of stage %2: ").arg(problem.line).arg(problem.stage);
  } else if (problem.line > 0) {
    text +=
        QStringLiteral("%1:%2:%3: ").arg(problem.file, QString::number(problem.line), QString::number(problem.column));
  }
  text += QString::fromLatin1(kWords[static_cast<int>(problem.severity)]);
  if (!problem.rule.isEmpty()) text += '[' + problem.rule + ']';
  text += ": " + problem.message;
  if (!problem.context.isEmpty()) text += "\n  in " + problem.context;
  for (const QString& note : problem.notes) text += "\n  note: " + note;
  if (!problem.fix.isEmpty()) text += "\n  fix: " + problem.fix;
  return text;
}

}  // namespace rx::views
