#include "views/panels/panel.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"
#include "views/shell/panel_command.h"
#include "views/shell/role_choice.h"

namespace rx::views {
namespace {

QString selectFunction(Desk& desk, const QStringList& arguments) {
  const StageIndexPtr index = desk.document.stage(desk.selection.place().stage, false);
  if (!index) return QStringLiteral("the stage is not ready");
  if (!index->function(arguments.value(0))) return QStringLiteral("there is no function %1").arg(arguments.value(0));
  desk.selection.selectFunction(arguments[0]);
  return {};
}

QString selectBinding(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return QStringLiteral("which binding?");
  if (!arguments.value(1).isEmpty())
    if (const QString refused = selectFunction(desk, {arguments[1]}); !refused.isEmpty()) return refused;
  return selectNamedBinding(desk, arguments[0]);
}

QString moveBinding(Desk& desk, int by) {
  const FunctionRow* function = selectedFunction(desk);
  if (!function || function->bindings.empty()) return QStringLiteral("the function has no bindings");
  const int last = static_cast<int>(function->bindings.size()) - 1;
  const int at = desk.selection.place().binding;
  const int next = at < 0 ? (by > 0 ? 0 : last) : std::clamp(at + by, 0, last);
  desk.selection.selectBinding(function->name, next, function->bindings[static_cast<size_t>(next)].name);
  return {};
}
QString nextBinding(Desk& desk, const QStringList&) { return moveBinding(desk, 1); }
QString previousBinding(Desk& desk, const QStringList&) { return moveBinding(desk, -1); }

QString goToOrdinal(Desk& desk, int ordinal) {
  const FunctionRow* function = selectedFunction(desk);
  const BindingRow* target = function ? function->binding(ordinal) : nullptr;
  if (!target) return QStringLiteral("there is no such binding");
  desk.selection.selectBinding(function->name, target->ordinal, target->name);
  return {};
}

QString goToUse(Desk& desk, const QStringList& arguments) {
  const BindingRow* binding = selectedBinding(desk);
  const int number = countArgument(arguments);
  if (!binding || number < 1 || number > static_cast<int>(binding->usedBy.size())) {
    return QStringLiteral("the binding has no such use");
  }
  return goToOrdinal(desk, binding->usedBy[static_cast<size_t>(number - 1)]);
}

QString goToOperand(Desk& desk, const QStringList& arguments) {
  // In the text the name at the caret is meant.
  Panel* text = desk.window.panel("ir");
  if (arguments.isEmpty() && text && text == desk.window.focusedPanel() && text->command("goToDefinition", {})) return {};
  const BindingRow* binding = selectedBinding(desk);
  int left = countArgument(arguments);
  if (!binding || left < 1) return QStringLiteral("the binding has no such operand");
  for (const OperandRow& operand : binding->operands) {
    if (operand.kind == OperandRow::Kind::Binding && --left == 0) return goToOrdinal(desk, operand.index);
    if (operand.kind == OperandRow::Kind::Global && --left == 0) {
      desk.selection.selectFunction(operand.name);
      return {};
    }
  }
  return QStringLiteral("the binding has no such operand");
}

QString check(Desk& desk, const QStringList&) {
  desk.window.showPanel("problems");
  desk.document.checkStage(desk.selection.place().stage);
  return {};
}

QString explain(Desk& desk, const QStringList& arguments) {
  return onPanel(desk, "problems", "explain", arguments,
                 arguments.isEmpty() ? QStringLiteral("there is no problem whose rule could be explained")
                                     : QStringLiteral("there is no rule %1").arg(arguments[0]));
}

QString checkOutcome(const Desk& desk) {
  const size_t stage = static_cast<size_t>(std::max(0, desk.selection.place().stage));
  const auto& steps = desk.document.steps();
  if (stage < steps.size() && steps[stage].verdict == Verdict::IllFormed) return steps[stage].verdictReason;
  return {};
}

QString chooseModule(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) {
    desk.window.showPalette("module ");
    return {};
  }
  if (!desk.document.moduleNames().contains(arguments[0]))
    return QStringLiteral("the file has no module %1").arg(arguments[0]);
  desk.document.open(desk.document.path(), arguments[0]);
  return {};
}

/// FUNCTION N, or FUNCTION alone: as the text says it, or as it is guessed.
QString inputs(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return QStringLiteral("of which function?");
  bool is = arguments.size() < 2;
  const int count = is ? -1 : arguments[1].toInt(&is);
  if (!is || (count < 0 && arguments.size() > 1))
    return QStringLiteral("the number of its first parameters that are inputs");
  return sayInputs(desk, arguments[0], count);
}

constexpr Command kRows[] = {
    {"select.function", "Select Function", "Selects a function of the stage.", "", "", 0, "NAME", "go to", nullptr,
     when::open, selectFunction, nullptr},
    {"select.binding", "Select Binding",
     "Selects a binding or parameter: of the function that is named or selected, else of the first that has it.", "",
     "", 0, "NAME [FUNCTION]", "go to variable", nullptr, when::open, selectBinding, nullptr},
    {"select.nextBinding", "Next Binding", "Selects the binding below.", "Alt+Down", "Module", 0, "", "move", nullptr,
     when::hasFunction, nextBinding, nullptr},
    {"select.previousBinding", "Previous Binding", "Selects the binding above.", "Alt+Up", "Module", 0, "", "move",
     nullptr, when::hasFunction, previousBinding, nullptr},
    {"select.definition", "Go to Operand",
     "Goes to the definition of the name at the caret, of the first operand, or of that number.", "F12", "Module", 1,
     "[NUMBER]", "definition input producer", nullptr, when::hasBinding, goToOperand, nullptr},
    {"select.use", "Go to Use", "Goes to the first use of the binding, or to that number.", "Shift+F12", "Module", 1,
     "[NUMBER]", "consumer reference", nullptr, when::hasBinding, goToUse, nullptr},
    {"module.check", "Check Stage", "Checks that the stage is well-formed and lists what is not.", "Ctrl+F8", "Module",
     2, "", "verify well-formed problems", nullptr, when::open, check, checkOutcome},
    {"problem.explain", "What Does This Mean?", "Tells what the rule of the current problem means, with an example.",
     "", "Module", 2, "[RULE]", "rule help explain problem error", nullptr, when::always, explain, nullptr},
    {"module.inputs", "Number of Inputs",
     "Says that the first parameters of a function, so many, are inputs and the others weights; without a number what "
     "the text says holds again.",
     "", "", 0, "FUNCTION [NUMBER]", "num_input weights parameters", nullptr, when::canRunPasses, inputs, nullptr},
    {"module.choose", "Choose Module…", "Shows another module of the same file.", "", "Module", 2, "[NAME]",
     "ir_module class several", nullptr, when::open, chooseModule, nullptr},
};

}  // namespace

std::span<const Command> moduleCommands() { return kRows; }

}  // namespace rx::views
