// Findings as the views show them: diagnostics of every layer with their place resolved to file, line and column.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/support/diagnostic.h"
#include "views/models/stage_index.h"

namespace rx::views {

/// What to write in the text of the problem's file: bytes [begin, end) of its UTF-8.
struct ProblemEdit {
  int begin = 0;
  int end = 0;
  QString old;
  QString text;
};

struct ProblemRow {
  Severity severity = Severity::Error;
  QString rule;
  QString message;
  QString fix;
  std::optional<ProblemEdit> edit = {};  // where the fix says exactly what to write
  QString context;             // "main, block 2, binding lv3"
  std::vector<QString> notes;  // one sentence each, its place in front
  QString file;                // name of the source; empty when the finding has no place
  int line = 0;                // 1-based, 0 when unknown
  int column = 0;
  int endColumn = 0;  // column after the last character on that line
  int stage = 0;      // the stage whose check found it; 0 for the file itself
  QString source;     // who says so: "parser", "pass FuseOps", "engine", "weights"
};

/// Resolves the spans of diagnostics against their sources.
std::vector<ProblemRow> problemRows(const std::vector<Diagnostic>& diagnostics, const SourceList& sources,
                                    const QString& source, int stage = 0);
/// Where a finding stands in the text of a stage: lines and columns from 1.
struct ProblemPlace {
  QString function;
  QString variable;  // the binding, empty for the whole function
  int binding = -1;  // its ordinal there; -1 where the stage does not have it
  int line = 0;      // 0 when the stage does not have it
  int column = 1;
  int endColumn = 1;
};

/// The function and binding of a finding's context ("main, block 2, binding lv3") and, where the stage is given, their
/// lines in its text. The finding's own line counts in the file that it names, so it is used only for a finding
/// without a file, or where that file's text is the stage's (`sameText`); one that has no context is of the binding that
/// was written there.
ProblemPlace problemPlace(const ProblemRow& problem, const StageIndex* stage, bool sameText = false);
/// The finding as one block of text, as the command line prints it.
QString problemText(const ProblemRow& problem);

}  // namespace rx::views
