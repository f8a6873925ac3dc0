// The text of "Save diagnostics": versions, machine and log, for a bug report. Without being asked for, nothing of the
// user's: no paths but their last part, nothing that a program printed.
#pragma once

#include <QString>
#include <vector>

#include "views/models/debug_rows.h"

namespace rx::views {

struct DiagnosticFacts {
  QString program;        // version of this program
  QString engine;         // what `rxs --version` says: its version, LLVM, processor
  QString allocator;      // its settings
  bool withData = false;  // paths and what programs printed as they are
};
QString diagnosticsText(const DiagnosticFacts& facts, const std::vector<LogLine>& log);

/// A line of the log: "2026-03-01T12:00:00.123 error engine: …".
QString logText(const LogLine& line);
/// "note", "output" or "error".
QString logLevel(LogLine::Kind kind);
/// A text whose paths are cut to their last part.
QString withoutPaths(const QString& text);

}  // namespace rx::views
