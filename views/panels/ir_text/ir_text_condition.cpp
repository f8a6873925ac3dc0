// The part of the IR panel that edits the breakpoint of a line in the text.
#include "views/models/debug_session.h"
#include "views/models/selection.h"
#include "views/panels/ir_text/condition_editor.h"
#include "views/panels/ir_text/ir_text_panel.h"
#include "views/text/text_view.h"

namespace rx::views {

bool IrTextPanel::editCondition(const QString& field) {
  const Place& place = context_.selection->place();
  const FunctionRow* function = stage_ && stage_->stage == place.stage ? stage_->function(place.function) : nullptr;
  const BindingRow* binding = function ? function->binding(place.binding) : nullptr;
  if (!binding || binding->line < 1) return false;
  BreakpointRow row;
  row.stage = place.stage;
  row.function = function->name;
  row.binding = binding->ordinal;
  row.variable = binding->name;
  if (const BreakpointRow* set = context_.debug->breakpointAt(row.stage, row.function, row.binding)) row = *set;
  auto* editor = new ConditionEditor(context_, row, view_->viewport());
  connect(editor, &ConditionEditor::cancelled, this, &IrTextPanel::endCondition);
  connect(editor, &ConditionEditor::removed, this, [this, row] {
    if (row.id > 0) context_.debug->removeBreakpoint(row.id);
    endCondition();
  });
  connect(editor, &ConditionEditor::done, this, [this, editor, line = binding->line] {
    BreakpointRow changed = editor->row();
    static_cast<BreakpointRule&>(changed) = editor->rule();
    changed.id > 0 ? context_.debug->setBreakpointRule(changed.id, changed)
                   : static_cast<void>(context_.debug->addBreakpoint(changed));
    Q_EMIT message(tr("%1 at line %2.").arg(changed.plain()                  ? tr("Breakpoint")
                                           : !changed.logMessage.isEmpty() ? tr("Log point")
                                                                            : tr("Condition"))
                       .arg(line));
    endCondition();
  });
  view_->setInset(static_cast<uint32_t>(binding->line - 1), editor);
  editor->focusField(field.isEmpty() ? QStringLiteral("condition") : field);
  return true;
}

void IrTextPanel::endCondition() {
  view_->setInset(0, nullptr);
  view_->setFocus();
}

}  // namespace rx::views
