// Rows of the menu Run about breakpoints with conditions, data breakpoints and watches.
#include <QRegularExpression>
#include <algorithm>
#include <optional>

#include "views/models/expression_words.h"
#include "views/panels/panel.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"
#include "views/shell/panel_command.h"

namespace rx::views {
namespace {

const QString kNone = QStringLiteral("none");

constexpr const char* kRule = "debug.breakpointRule";
const QString kRemove = QStringLiteral("remove");

QString saidOf(const BreakpointRule& rule, bool added) {
  const QString what = !rule.logMessage.isEmpty()  ? QStringLiteral("Log point")
                       : !rule.condition.isEmpty() ? QStringLiteral("Condition")
                                                   : QStringLiteral("Breakpoint");
  return what + (added ? QStringLiteral(" added") : QStringLiteral(" changed"));
}

/// Gives the breakpoint at a binding of the selected function a rule, or takes it away; the toast can undo it.
void applyRule(Desk& desk, const BindingRow& binding, const std::optional<BreakpointRule>& rule) {
  const Place& place = desk.selection.place();
  const BreakpointRow* set = desk.debug.breakpointAt(place.stage, place.function, binding.ordinal);
  if (!set && !rule) return;
  QStringList undo{QString::fromLatin1(kRule), binding.name};
  undo << (set ? QStringList{set->condition, set->hitCondition, set->logMessage} : QStringList{kRemove});
  QString said = QStringLiteral("Breakpoint removed");
  if (rule) said = saidOf(*rule, !set);
  if (!rule) {
    desk.debug.removeBreakpoint(set->id);
  } else if (set) {
    desk.debug.setBreakpointRule(set->id, *rule);
  } else {
    BreakpointRow row;
    static_cast<BreakpointRule&>(row) = *rule;
    row.stage = place.stage;
    row.function = place.function;
    row.binding = binding.ordinal;
    row.variable = binding.name;
    desk.debug.addBreakpoint(row);
  }
  desk.window.say(QStringLiteral("%1 at line %2.").arg(said, QString::number(binding.line)), undo);
}

/// Changes a part of the rule of the breakpoint at the selected binding, which is added where there is none.
QString setRule(Desk& desk, const std::function<void(BreakpointRule&)>& change) {
  const Place& place = desk.selection.place();
  const BindingRow* binding = selectedBinding(desk);
  BreakpointRule rule;
  if (const BreakpointRow* set = desk.debug.breakpointAt(place.stage, place.function, binding->ordinal)) rule = *set;
  change(rule);
  applyRule(desk, *binding, rule);
  return {};
}

QString breakpointRule(Desk& desk, const QStringList& arguments) {
  const FunctionRow* function = selectedFunction(desk);
  const BindingRow* binding = function ? function->bindingNamed(arguments.value(0)) : nullptr;
  if (!binding) return QStringLiteral("the function has no binding %1").arg(arguments.value(0));
  if (arguments.size() == 2 && arguments[1] == kRemove) return applyRule(desk, *binding, {}), QString();
  const BreakpointRule rule{arguments.value(1), arguments.value(2), arguments.value(3)};
  const QString fault = rule.condition.isEmpty() ? QString() : expressionFault(rule.condition);
  if (!fault.isEmpty()) return fault;
  if (const QString wrong = logMessageFault(rule.logMessage); !wrong.isEmpty()) return wrong;
  applyRule(desk, *binding, rule);
  return {};
}

/// Asks the panel of instructions, which is raised for it.
QString onBytecode(Desk& desk, const char* name, const QStringList& arguments, const QString& refused) {
  return onPanel(desk, "bytecode", QString::fromLatin1(name), arguments, refused);
}

QString toggleInstruction(Desk& desk, const QStringList& arguments) {
  return onBytecode(desk, "toggleBreakpoint", arguments,
                    QStringLiteral("select an instruction of the program first, or give its number"));
}

QString instructionCondition(Desk& desk, const QStringList& arguments) {
  const QString text = arguments.join(' ');
  const QString fault = text.isEmpty() || text == kNone ? QString() : expressionFault(text);
  if (!fault.isEmpty()) return fault;
  return onBytecode(desk, "condition", arguments, QStringLiteral("select an instruction of the program first"));
}

QString goToInstruction(Desk& desk, const QStringList& arguments) {
  return onBytecode(desk, "goTo", arguments, QStringLiteral("a run has no such instruction now"));
}

QString editBreakpoint(Desk& desk, const QStringList& arguments) {
  return onPanel(desk, "breakpoints", "edit", arguments, QStringLiteral("select a breakpoint first"));
}

/// Whether the keys of breakpoints are about instructions: the panel of instructions has the focus.
bool onInstructions(Desk& desk) {
  Panel* focused = desk.window.focusedPanel();
  return focused && focused == desk.window.panel(QStringLiteral("bytecode")) && when::hasInstructions(desk);
}

/// Opens the editor under the line of the selected binding, at one of its fields.
QString openEditor(Desk& desk, const char* field) {
  return onPanel(desk, "ir", "condition", {QString::fromLatin1(field)},
                 QStringLiteral("the text of the stage is not there yet"));
}

QString condition(Desk& desk, const QStringList& arguments) {
  if (onInstructions(desk)) return instructionCondition(desk, arguments);
  if (arguments.isEmpty()) return openEditor(desk, "condition");
  const QString text = arguments.join(' ') == kNone ? QString() : arguments.join(' ');
  if (const QString fault = text.isEmpty() ? QString() : expressionFault(text); !fault.isEmpty()) return fault;
  return setRule(desk, [&](BreakpointRule& rule) { rule.condition = text; });
}

QString hitCount(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return openEditor(desk, "hits");
  const QString text = arguments.join(' ') == kNone ? QString() : arguments.join(' ');
  static const QRegularExpression form(QStringLiteral("^((==|>=|<=|>|<|%) *)?[1-9][0-9]{0,17}$"));
  if (!text.isEmpty() && !form.match(text).hasMatch())
    return QStringLiteral("%1 is not a count such as 5, >= 3 or % 2").arg(text);
  return setRule(desk, [&](BreakpointRule& rule) { rule.hitCondition = text; });
}

QString logPoint(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return openEditor(desk, "log");
  const QString text = arguments.join(' ') == kNone ? QString() : arguments.join(' ');
  if (const QString fault = logMessageFault(text); !fault.isEmpty()) return fault;
  return setRule(desk, [&](BreakpointRule& rule) { rule.logMessage = text; });
}

/// Of a binding or of a register of the frame that is shown; asked again it is taken away.
QString breakWhenWritten(Desk& desk, const QStringList& arguments) {
  const FunctionRow* function = selectedFunction(desk);
  const QString name = arguments.value(0);
  BreakpointRow row;
  row.kind = BreakpointKind::Data;
  row.stage = desk.selection.place().stage;
  if (name.startsWith('%')) {
    bool number = false;
    row.reg = name.mid(1).toInt(&number);
    if (!number || desk.debug.frames().empty()) return QStringLiteral("%1 is no register of a frame").arg(name);
    row.function = desk.debug.frames().front().function;
    row.variable = name;
  } else {
    const BindingRow* binding = name.isEmpty() ? selectedBinding(desk)
                                : function     ? function->bindingNamed(name)
                                               : nullptr;
    if (!binding) return QStringLiteral("select a binding first, or name one: its memory is watched");
    row.function = function->name;
    row.binding = binding->ordinal;
    row.variable = binding->name;
  }
  for (const BreakpointRow& set : desk.debug.breakpoints()) {
    if (set.kind != row.kind || set.stage != row.stage || set.function != row.function || set.reg != row.reg ||
        set.binding != row.binding)
      continue;
    desk.debug.removeBreakpoint(set.id);
    desk.window.say(QStringLiteral("A run no longer stops when %1 is written.").arg(row.variable));
    return {};
  }
  desk.debug.addBreakpoint(row);
  desk.window.say(QStringLiteral("A run stops when %1 is written.").arg(row.variable));
  return {};
}

QString addWatch(Desk& desk, const QStringList& arguments) {
  const QString text = arguments.isEmpty() ? desk.selection.place().variable : arguments.join(' ');
  if (text.isEmpty()) return QStringLiteral("select a binding or a parameter first, or name an expression");
  if (const QString fault = expressionFault(text); !fault.isEmpty()) return fault;
  desk.debug.addWatch(text);
  desk.window.showPanel("watch");
  return {};
}

QString removeWatch(Desk& desk, const QStringList& arguments) {
  const QString text = arguments.join(' ');
  Panel* panel = desk.window.panel("watch");
  if (text.isEmpty())
    return panel && panel->command("remove", {}) ? QString() : QStringLiteral("select a watch first, or name it");
  const std::vector<WatchRow>& rows = desk.debug.watches();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const WatchRow& r) { return r.expression == text; });
  if (found == rows.end()) return QStringLiteral("there is no watch %1").arg(text);
  desk.debug.removeWatch(found->id);
  return {};
}

QString editWatch(Desk& desk, const QStringList&) {
  return onPanel(desk, "watch", "edit", {}, QStringLiteral("select a watch first"));
}

QString clearWatches(Desk& desk, const QStringList&) {
  desk.debug.clearWatches();
  return {};
}

QString goToBinding(Desk& desk, const QStringList&) {
  const Place& place = desk.selection.place();
  desk.debug.fetchStepOf(place.function, place.binding, &desk.selection, [&desk](int step) {
    if (step < 0) return desk.window.sayFailed(QStringLiteral("no recorded step worked for the selected binding"));
    desk.debug.goToStep(step + 1);
  });
  return {};
}

QString equalSteps(Desk& desk, const QStringList& arguments) {
  const bool now = when::equalSteps(desk);
  if (!arguments.isEmpty() && arguments[0] != "on" && arguments[0] != "off") return QStringLiteral("on or off");
  desk.settings.setValue("equalSteps", arguments.isEmpty() ? !now : arguments[0] == "on");
  desk.window.applyLook();
  return {};
}

QString onMemory(Desk& desk, const char* what, const QStringList& arguments, const char* otherwise) {
  return onPanel(desk, "memory", QString::fromLatin1(what), arguments, QString::fromLatin1(otherwise));
}

QString memoryPeak(Desk& desk, const QStringList&) { return onMemory(desk, "peak", {}, "what was alive is not known"); }
QString memoryPlanned(Desk& desk, const QStringList& arguments) {
  return onMemory(desk, "planned", arguments, "after or before, or run where there is one");
}
QString memoryTop(Desk& desk, const QStringList& arguments) {
  return onMemory(desk, "top", arguments, "no plan is shown that says what is alive there");
}
QString memoryWriter(Desk& desk, const QStringList&) {
  return onMemory(desk, "writer", {}, "nothing is known to write it");
}
QString memoryReader(Desk& desk, const QStringList&) { return onMemory(desk, "reader", {}, "nothing reads it"); }
QString memorySize(Desk& desk, const QStringList& arguments) {
  return onMemory(desk, "size", arguments, "a symbol and its size, a whole number above zero");
}

QString fitTimeline(Desk& desk, const QStringList&) {
  Panel* panel = desk.window.panel("timeline");
  return panel && panel->command("fit", {}) ? QString() : QStringLiteral("there is no timeline");
}

constexpr Command kRows[] = {
    {"debug.condition", "Breakpoint Condition…",
     "Stops at the selected binding only where an expression is true, such as nan(weights) > 0.", "Ctrl+F9", "Run", 5,
     "[EXPRESSION|none]", "conditional when if", nullptr, when::hasBinding, condition, nullptr},
    {"debug.hitCount", "Breakpoint Hit Count…", "Stops at the selected binding only at some of its hits.", "", "Run", 5,
     "[N|>= N|% N|none]", "times every after", nullptr, when::hasBinding, hitCount, nullptr},
    {"debug.logPoint", "Log Point…", "Writes a message to the log at the selected binding instead of stopping.",
     "Ctrl+Shift+F10", "Run", 5, "[MESSAGE|none]", "trace print message tracepoint", nullptr, when::hasBinding,
     logPoint, nullptr},
    {kRule, "Set Breakpoint Rule", "Sets all of a breakpoint at once: where, at which hits, what it logs.", "", "", 5,
     "NAME (remove | CONDITION HITS MESSAGE)", "condition hit log", nullptr, when::hasFunction, breakpointRule,
     nullptr},
    {"debug.breakWhenWritten", "Break When Written",
     "Stops after what writes the memory of the selected binding's value.", "", "Run", 5, "[NAME|%REGISTER]",
     "data breakpoint watchpoint memory", nullptr, when::hasFunction, breakWhenWritten, nullptr},
    {"debug.toggleInstruction", "Toggle Instruction Breakpoint",
     "Sets or removes a breakpoint before the current instruction of the bytecode (F9 there).", "", "Run", 5, "[PC]",
     "bytecode vm stop", nullptr, when::hasInstructions, toggleInstruction, nullptr},
    {"debug.instructionCondition", "Instruction Breakpoint Condition…",
     "Stops before the current instruction of the bytecode only where an expression is true.", "", "Run", 5,
     "[EXPRESSION|none]", "bytecode vm conditional", nullptr, when::hasInstructions, instructionCondition, nullptr},
    {"debug.goToInstruction", "Go to Instruction",
     "Shows an instruction of the program by its function and place in it.", "", "", 5, "FUNCTION OFFSET",
     "bytecode vm pc", nullptr, when::hasInstructions, goToInstruction, nullptr},
    {"debug.editBreakpoint", "Edit Breakpoint…", "Changes when the selected breakpoint of the list stops.", "", "", 5,
     "[ID]", "condition", nullptr, when::hasBreakpoints, editBreakpoint, nullptr},
    {"debug.goToBinding", "Go to Step of Binding", "Shows the recorded step that made the selected binding's value.",
     "Ctrl+Alt+F10", "Run", 5, "", "timeline history when", nullptr, when::hasTrace, goToBinding, nullptr},
    {"watch.add", "Add to Watch", "Adds the selected binding, or an expression, to the watches.", "Shift+F9", "Run", 6,
     "[EXPRESSION]", "expression inspect", nullptr, when::open, addWatch, nullptr},
    {"watch.edit", "Edit Watch", "Changes the expression of the selected watch.", "", "Run", 6, "", "expression",
     nullptr, when::hasWatches, editWatch, nullptr},
    {"watch.remove", "Remove Watch", "Removes the selected watch, or the one that is named.", "", "Run", 6,
     "[EXPRESSION]", "delete", nullptr, when::hasWatches, removeWatch, nullptr},
    {"watch.clear", "Remove All Watches", "Removes every watch.", "", "Run", 6, "", "delete", nullptr, when::hasWatches,
     clearWatches, nullptr},
    {"timeline.equalSteps", "Equal Steps in Timeline",
     "Whether all steps are equally wide in the timeline, instead of as wide as they took.", "", "Run", 7, "[on|off]",
     "width time", nullptr, when::always, equalSteps, nullptr, when::equalSteps},
    {"timeline.fit", "Whole Run in Timeline", "Shows all recorded steps in the timeline.", "", "Run", 7, "", "zoom fit",
     nullptr, when::hasTrace, fitTimeline, nullptr},
    {"memory.peak", "Go to Peak of Memory",
     "Shows the step at which a run held most, and what it held, the largest first.", "", "Run", 7, "",
     "bytes alive storage largest", nullptr, when::hasTrace, memoryPeak, nullptr},
    {"memory.top", "Top at This Moment",
     "Lists the buffers of a plan that are alive at the moment that was clicked, or where a binding is made, the "
     "largest "
     "first.",
     "", "", 7, "[BINDING]", "bytes alive largest", nullptr, when::open, memoryTop, nullptr},
    {"memory.writer", "Who Wrote It", "Selects what wrote the memory of the selected binding, in a run also its step.",
     "", "", 7, "", "buffer storage", nullptr, when::hasFunction, memoryWriter, nullptr},
    {"memory.reader", "Who Reads It",
     "Selects what reads the memory of the selected binding first; again, what reads it next.", "", "", 7, "",
     "buffer storage", nullptr, when::hasFunction, memoryReader, nullptr},
    {"memory.planned", "Memory Before or After Planning",
     "Shows what a stage plans for its buffers, or what they took before: each in memory of its own; or what the run "
     "holds.",
     "", "", 7, "after|before|run", "storage reuse", nullptr, when::open, memoryPlanned, nullptr},
    {"memory.size", "Size of a Symbol", "Plans and graphs show their bytes for another size of a symbolic variable.",
     "", "", 7, "SYMBOL N", "symbolic dynamic bytes", nullptr, when::open, memorySize, nullptr},
};

}  // namespace

std::span<const Command> breakCommands() { return kRows; }

}  // namespace rx::views
