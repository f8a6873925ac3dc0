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
  const QString command = QStringLiteral("debug.breakpointRule");
  connect(editor, &ConditionEditor::removed, this, [this, command, name = row.variable] {
    context_.commands->run(command, {name, QStringLiteral("remove")});
    endCondition();
  });
  connect(editor, &ConditionEditor::done, this, [this, editor, command] {
    const BreakpointRule rule = editor->rule();
    if (!context_.commands->run(command, {editor->row().variable, rule.condition, rule.hitCondition, rule.logMessage}))
      return;  // what is wrong is said and underlined
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
