// Rows of the pass history, made from what the core recorded or read from a folder.
#pragma once

#include "core/import/phase_dumps.h"
#include "views/models/document.h"

namespace rx::views {

/// What stands between the parentheses of a call text.
QString optionsOf(const std::string& call);
/// The row of a stage that was read from a folder; its lamp comes with `setVerdict`.
StepRow dumpedRow(const import::DumpedStage& stage, int number);
/// Views of a stage that could not be read: the text of its file, and where its first error is.
StageIndexPtr refusedIndex(const import::DumpedStage& stage, int number);
/// Puts what a pass did into its row.
void setResult(StepRow* row, const pass::StepRecord& record);
/// Puts what the well-formedness check found into a row.
void setVerdict(StepRow* row, const std::vector<Diagnostic>& findings);
/// What is new in a list of findings beside an earlier one.
std::vector<Diagnostic> newFindings(const std::vector<Diagnostic>& before, const std::vector<Diagnostic>& now);

}  // namespace rx::views
