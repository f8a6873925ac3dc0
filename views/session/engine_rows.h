// From the engine's answers to the rows that the views show.
#pragma once

#include "core/dap/rx_requests.h"
#include "views/models/debug_rows.h"
#include "views/models/timeline_rows.h"
#include "views/theme/qt_text.h"

namespace rx::views {

/// `call  vm.builtin.f  in: %1, i2  dst: %3` as `call f %1, i2 → %3`.
QString shortInstruction(const QString& full);
ValueSummary summaryOf(const dap::ValueInfo& info, const std::string& variable);
/// The sizes of a shape in brackets: "(4,)".
QString shapeText(const std::vector<int64_t>& shape);
RegisterRow rowOf(const dap::RegisterInfo& info);
HeapRow rowOf(const dap::HeapSlotInfo& info);
TraceRow rowOf(const dap::StepInfo& info);
InstructionRow rowOf(const dap::InstructionInfo& info);
TimelinePart rowOf(const dap::TimelineBarsBody& body, const QString& error);
/// Diagnostics as one text, for messages.
/// Characters of a text in front of a byte of its UTF-8.
int charactersBefore(const QString& text, int64_t byte);
QString textOf(const std::vector<Diagnostic>& diagnostics);

}  // namespace rx::views
