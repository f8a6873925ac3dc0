// What a run adds to the text of its stage: values at the ends of lines, breakpoints, the current line.
#pragma once

#include <optional>
#include <vector>

#include "views/models/debug_session.h"
#include "views/models/problem.h"
#include "views/models/stage_index.h"
#include "views/text/decorations.h"

namespace rx::views {

/// Shape, type and range of a value, what is bad about it first in words: "2 Inf" "of 289 · first at [4, 11]".
std::vector<NotePiece> valuePieces(const ValueSummary& value);
/// The same of a run that is past: "was", and all of it grey.
std::vector<NotePiece> asPast(std::vector<NotePiece> pieces);
/// The whole of it, a line a fact.
QString valueTip(const ValueSummary& value);

/// Notes of all functions of the stage that have values, each read from the session (which outlives them) when it is
/// looked at; none when the run is of another stage.
LineNotes runNotes(const StageIndexPtr& stage, const DebugSession& debug);
/// Notes of calls that write into planned memory, without a run: "writes storage4".
LineNotes writtenNotes(const StageIndexPtr& stage);
/// Notes of the bindings that a comparison of runs found to differ, which stand before those that are there already.
LineNotes withDifferences(LineNotes notes, const StageIndex& stage, const std::vector<ProblemRow>& problems);
std::vector<GutterMark> breakpointMarks(const StageIndex& stage, const DebugSession& debug);
/// Zero-based line of the binding that the machine stands at.
std::optional<uint32_t> currentLine(const StageIndex& stage, const DebugSession& debug);

}  // namespace rx::views
