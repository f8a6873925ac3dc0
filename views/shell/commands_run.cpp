#include "views/models/kernel_stepper.h"
#include "views/panels/panel.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"
#include "views/shell/module_memory.h"
#include "views/shell/run_arguments.h"
#include "views/shell/run_budgets.h"

namespace rx::views {
namespace {

/// The stage of a folder that a run takes: "stage=4", else the one that is shown.
int runStage(const Desk& desk, const QStringList& arguments) {
  for (const QString& argument : arguments)
    if (argument.startsWith("stage=")) return argument.mid(6).toInt();
  return desk.selection.place().stage;
}

QString start(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("run");
  // Of a folder of stages the one that is shown runs, or the one that is named.
  const bool ofFolder = !desk.document.canRunPasses();
  const int shown = ofFolder ? runStage(desk, arguments) : 0;
  const StageIndexPtr imported = desk.document.stage(shown, ofFolder);
  if (!imported && ofFolder && shown >= 0 && shown <= desk.document.lastStage()) {
    whenStage(desk, desk.document.path(), shown, [&desk, arguments] {
      if (const QString problem = start(desk, arguments); !problem.isEmpty()) desk.window.sayFailed(problem);
    });
    return {};
  }
  if (!imported) return QStringLiteral("the module is not ready");
  if (imported->errorLine > 0)
    return QStringLiteral("stage %1 could not be read, see its line %2").arg(shown).arg(imported->errorLine);
  const FunctionRow* function = imported->function(arguments[0]);
  if (!function) return QStringLiteral("there is no function %1").arg(arguments[0]);
  RunConfig config = defaultRun(desk.document, arguments[0], desk.selection.place().stage);
  config.stopOnNonFinite = desk.settings.value("stopOnNonFinite", false).toBool();
  config.budgets = budgetsOf(desk.settings);
  const QString problem = readRunArguments(desk.document, arguments.mid(1), &config);
  if (!problem.isEmpty()) {
    desk.debug.refuse(config, QStringLiteral("run.option"), problem);
    return problem;
  }
  if (ofFolder) {
    // The next time the folder opens at it.
    keepFor(desk.settings, "stage", moduleKey(desk), {config.stage});
    goToStage(desk, config.stage);
  }
  desk.debug.start(config);
  return {};
}

/// Runs the open module on an engine that listens elsewhere: files are those of its machine.
QString attach(Desk& desk, const QStringList& arguments) {
  if (!desk.document.canRunPasses()) return QStringLiteral("only a module that passes run on can be sent to an engine");
  if (arguments.isEmpty()) return desk.window.showDialog(QStringLiteral("attach"));
  if (arguments.size() < 2) return QStringLiteral("an address HOST:PORT and the token of the engine are needed");
  const QString name = arguments.value(2, QStringLiteral("main"));
  const StageIndexPtr imported = desk.document.stage(0, false);
  if (!imported || !imported->function(name)) return QStringLiteral("there is no function %1").arg(name);
  RunConfig config;
  config.function = name;
  config.stage = desk.selection.place().stage;
  config.stopOnNonFinite = desk.settings.value("stopOnNonFinite", false).toBool();
  config.budgets = budgetsOf(desk.settings);
  config.engine = arguments[0];
  config.token = arguments[1];
  if (const QString problem = readRunArguments(desk.document, arguments.mid(3), &config); !problem.isEmpty())
    return problem;
  desk.settings.setValue("attach.address", config.engine);
  desk.debug.start(config);
  return {};
}

/// The report of the engine that did not start or died; without arguments the dialog stands there and nothing runs.
QString startOutcome(const Desk& desk) { return desk.debug.deathReport(); }

QString steps(Desk& desk, const QStringList& arguments, StepQueue::Step step) {
  const int count = countArgument(arguments);
  if (count < 1) return QStringLiteral("the count must be a positive number");
  desk.steps.run(step, count);
  return {};
}

QString stepOver(Desk& desk, const QStringList& a) { return steps(desk, a, &DebugSession::stepOver); }
QString stepInto(Desk& desk, const QStringList& a) { return steps(desk, a, &DebugSession::stepInto); }
QString stepOut(Desk& desk, const QStringList& a) { return steps(desk, a, &DebugSession::stepOut); }
QString stepBack(Desk& desk, const QStringList& a) { return steps(desk, a, &DebugSession::stepBack); }
QString stepInstruction(Desk& desk, const QStringList& a) { return steps(desk, a, &DebugSession::stepInstruction); }
QString instructionBack(Desk& desk, const QStringList& a) { return steps(desk, a, &DebugSession::stepInstructionBack); }
QString continueRun(Desk& desk, const QStringList& a) { return steps(desk, a, &DebugSession::continueRun); }
QString reverse(Desk& desk, const QStringList& a) { return steps(desk, a, &DebugSession::reverseContinue); }

bool inKernel(const Desk& desk) { return when::stopped(desk) && !kernelThreads(&desk.debug).kernel.isEmpty(); }
bool canEnterKernel(const Desk& desk) { return when::stopped(desk) && desk.debug.kernelStepper() && !inKernel(desk); }

QString enterThreads(Desk& desk, const QStringList&) {
  desk.debug.kernelStepper()->enterThreads();
  return desk.window.showPanel(QStringLiteral("threads"));
}
QString stepWarp(Desk& desk, const QStringList&) {
  desk.debug.kernelStepper()->stepThreads(QStringLiteral("warp"));
  return {};
}
QString stepGroup(Desk& desk, const QStringList&) {
  desk.debug.kernelStepper()->stepThreads(QStringLiteral("group"));
  return {};
}

QString chooseGroup(Desk& desk, const QStringList& arguments) {
  std::vector<qint64> numbers;
  for (const QString& each : arguments) {
    bool is = false;
    numbers.push_back(each.toLongLong(&is));
    if (!is || numbers.back() < 0)
      return QStringLiteral("a launch and a group are numbers from 0 on, not \"%1\"").arg(each);
  }
  constexpr size_t kMost = 4;
  if (numbers.empty() || numbers.size() > kMost) return QStringLiteral("a launch, and x, y and z of a group");
  desk.debug.kernelStepper()->chooseGroup(static_cast<int>(std::min<qint64>(numbers[0], INT_MAX)),
                                          {numbers.begin() + 1, numbers.end()});
  return {};
}

QString pause(Desk& desk, const QStringList&) {
  desk.debug.pause();
  return {};
}

QString stop(Desk& desk, const QStringList&) {
  desk.steps.clear();
  desk.debug.stopEngine();
  return {};
}

QString restart(Desk& desk, const QStringList&) {
  desk.debug.restart();
  return {};
}

QString retry(Desk& desk, const QStringList& arguments) {
  RunConfig config = desk.debug.config();
  // A parameter takes what is said last.
  for (const QString& argument : arguments)
    if (argument.startsWith("map="))
      config.choices.removeIf(
          [&](const QString& choice) { return choice.section('=', 0, 0) == argument.section('=', 1, 1); });
  const QString problem = readRunArguments(desk.document, arguments, &config);
  if (!problem.isEmpty()) return problem;
  desk.debug.start(config);
  return {};
}

QString openParameters(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog(QStringLiteral("openParameters"));
  return retry(desk, {QStringLiteral("file=") + arguments[0]});
}

QString runToCursor(Desk& desk, const QStringList&) {
  desk.debug.runTo(desk.selection.place().function, desk.selection.place().binding);
  return {};
}

QString toggleBreakpoint(Desk& desk, const QStringList& arguments) {
  // In the list of instructions the key is about the instruction under it.
  Panel* focused = desk.window.focusedPanel();
  if (arguments.isEmpty() && focused && focused == desk.window.panel(QStringLiteral("bytecode")) &&
      focused->command(QStringLiteral("toggleBreakpoint"), {}))
    return {};
  const FunctionRow* function = selectedFunction(desk);
  const BindingRow* binding = selectedBinding(desk);
  if (!arguments.isEmpty() && function) binding = function->bindingNamed(arguments[0]);
  if (!function || !binding) return QStringLiteral("select a binding first: a breakpoint stands at a binding");
  desk.debug.toggleBreakpoint(desk.selection.place().stage, function->name, binding->ordinal, binding->name);
  return {};
}

QString clearBreakpoints(Desk& desk, const QStringList&) {
  desk.debug.clearBreakpoints();
  return {};
}

QString stopOnNonFinite(Desk& desk, const QStringList& arguments) {
  const bool now = when::stopsOnNonFinite(desk);
  if (!arguments.isEmpty() && arguments[0] != "on" && arguments[0] != "off") return QStringLiteral("on or off");
  const bool on = arguments.isEmpty() ? !now : arguments[0] == "on";
  desk.settings.setValue("stopOnNonFinite", on);
  desk.debug.setStopOnNonFinite(on);
  desk.window.say(on ? QStringLiteral("A run now stops where the first NaN or Inf is made.")
                     : QStringLiteral("A run no longer stops at NaN or Inf."),
                  {QStringLiteral("debug.stopOnNonFinite"), on ? QStringLiteral("off") : QStringLiteral("on")});
  return {};
}

QString goToStep(Desk& desk, const QStringList& arguments) {
  bool ok = false;
  const int step = arguments.value(0).toInt(&ok);
  const int count = desk.debug.recorded();
  if (!ok || step < 0 || step > count) return QStringLiteral("recorded steps are 0 to %1").arg(count);
  desk.debug.goToStep(step);
  return {};
}

/// The report of a death stays while the recorded trace is looked at, which is no failure.
QString aliveOutcome(const Desk& desk) {
  const RunState state = desk.debug.state();
  return state == RunState::Died || state == RunState::Off ? desk.debug.deathReport() : QString();
}

constexpr Command kRows[] = {
    {"debug.start", "Run…", "Chooses a function and its inputs and starts it, stopped at the first binding.", "F5",
     "Run", 0,
     "[FUNCTION [inputs=FILE] [params=FILE] [file=FILE] [map=PARAMETER=ARRAY] [seed=N] [stage=N] [target=TARGET] "
     "[mode=step|release] [keep=everything|bindings|statistics|last:N] [plugin=LIB] [SYMBOL=N] "
     "[stop=entry|nonfinite|none]]",
     "debug execute launch begin", "Run", when::canStart, start, startOutcome},
    {"debug.continue", "Continue", "Runs on to the next breakpoint, the first NaN or Inf when that is on, or the end.",
     "F5", "Run", 0, "[COUNT]", "resume go", "Continue", when::stopped, continueRun, aliveOutcome},
    {"debug.pause", "Pause", "Stops at the next instruction; asked again while a kernel runs on, ends the kernel.",
     "F6; Pause; Ctrl+Alt+Pause", "Run", 0, "", "break interrupt", "Pause", when::running, pause, nullptr},
    {"debug.stepOver", "Step Over", "Runs until the next binding of the stage.", "F10", "Run", 1, "[COUNT]",
     "next binding", "Over", when::stopped, stepOver, aliveOutcome},
    {"debug.stepInto", "Step Into", "Runs into the called function.", "F11", "Run", 1, "[COUNT]", "call enter", "Into",
     when::stopped, stepInto, aliveOutcome},
    {"debug.stepOut", "Step Out", "Runs until the function returns.", "Shift+F11", "Run", 1, "[COUNT]", "return finish",
     nullptr, when::stopped, stepOut, aliveOutcome},
    {"debug.stepBack", "Step Back", "Shows the state before the last binding; nothing runs again.", "Shift+F10", "Run",
     1, "[COUNT]", "previous reverse undo history", "Back", when::canLookBack, stepBack, nullptr},
    {"debug.reverseContinue", "Reverse Continue", "Goes back to the breakpoint before, or the start.", "Alt+F5", "Run",
     1, "", "reverse back history", nullptr, when::canLookBack, reverse, nullptr},
    {"debug.stepInstruction", "Step Instruction", "Runs one VM instruction.", "Alt+F10", "Run", 2, "[COUNT]",
     "bytecode vm", nullptr, when::stopped, stepInstruction, aliveOutcome},
    {"debug.stepInstructionBack", "Step Instruction Back", "Shows the state before the last VM instruction.",
     "Alt+Shift+F10", "Run", 2, "[COUNT]", "bytecode vm reverse", nullptr, when::canLookBack, instructionBack, nullptr},
    {"debug.enterThreads", "Step into Threads",
     "Goes into the threads of the next kernel that the binding starts on a device; steps are about the current one "
     "then.",
     "Ctrl+F11", "Run", 1, "", "device kernel gpu warp group interpreter race barrier", nullptr, canEnterKernel,
     enterThreads, nullptr},
    {"debug.stepWarp", "Step Warp", "One statement of all threads of the current thread's warp.", "", "Run", 2, "",
     "device kernel gpu threads", nullptr, inKernel, stepWarp, nullptr},
    {"debug.stepGroup", "Step Group", "One statement of all threads of the current thread's group.", "", "Run", 2, "",
     "device kernel gpu threads block", nullptr, inKernel, stepGroup, nullptr},
    {"debug.chooseGroup", "Choose Group of Threads",
     "Another group of the kernel that was stepped into, or of another kernel that its function starts, from its "
     "beginning on.",
     "", "", 2, "LAUNCH [X [Y [Z]]]", "device kernel gpu threads block launch", nullptr, inKernel, chooseGroup,
     nullptr},
    {"debug.runToCursor", "Run to Selected Binding", "Runs until the selected binding.", "Ctrl+F10", "Run", 2, "",
     "cursor here", nullptr, when::stopped, runToCursor, aliveOutcome},
    {"debug.goToStep", "Go to Step", "Shows a recorded step.", "", "", 2, "STEP", "time timeline", nullptr,
     when::hasTrace, goToStep, nullptr},
    {"debug.toggleBreakpoint", "Toggle Breakpoint", "Sets or removes a breakpoint at the selected binding.", "F9",
     "Run", 3, "[NAME]", "stop", nullptr, when::hasFunction, toggleBreakpoint, nullptr},
    {"debug.clearBreakpoints", "Remove All Breakpoints", "Removes every breakpoint.", "Ctrl+Shift+F9", "Run", 3, "",
     "delete stop", nullptr, when::hasBreakpoints, clearBreakpoints, nullptr},
    {"debug.stopOnNonFinite", "Stop at First NaN or Inf", "Whether a run stops where the first NaN or Inf is made.",
     "Ctrl+Alt+N", "Run", 3, "[on|off]", "infinity overflow exception origin", nullptr, when::always, stopOnNonFinite,
     nullptr, when::stopsOnNonFinite},
    {"debug.retry", "Start Again With", "Starts the last run again with something changed.", "", "", 4, "NAME=VALUE…",
     "again inputs map", nullptr, when::canRestart, retry, startOutcome},
    {"debug.openParameters", "Start Again With Parameters…",
     "Starts the last run again with the arrays of another file (.npz, .npy or .safetensors).", "", "", 4, "[FILE]",
     "weights params npz safetensors", nullptr, when::canRestart, openParameters, startOutcome},
    {"debug.attach", "Attach to Engine…",
     "Runs the open module on an engine that listens elsewhere (rxs dap --listen); files are those of its machine.", "",
     "Run", 0, "[HOST:PORT TOKEN [FUNCTION [inputs=FILE] [params=FILE] [seed=N] [SYMBOL=N]]]",
     "remote connect socket port tunnel ssh", nullptr, when::canStart, attach, startOutcome},
    {"debug.restart", "Restart", "Starts the same run again.", "Ctrl+Shift+F5", "Run", 4, "", "again engine", nullptr,
     when::canRestart, restart, startOutcome},
    {"debug.stop", "Stop", "Ends the run and its engine; breakpoints stay.", "Shift+F5", "Run", 4, "",
     "kill end terminate", nullptr, when::engineOn, stop, nullptr},
};

}  // namespace

std::span<const Command> runCommands() { return kRows; }

}  // namespace rx::views
