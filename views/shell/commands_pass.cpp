#include "views/shell/command.h"
#include "views/shell/conditions.h"

namespace rx::views {
namespace {

QString next(Desk& desk, const QStringList& arguments) {
  const int count = countArgument(arguments);
  if (count < 1) return QStringLiteral("the count must be a positive number");
  goToStage(desk, std::min(desk.selection.place().stage + count, when::stageCount(desk) - 1));
  return {};
}

QString previous(Desk& desk, const QStringList& arguments) {
  const int count = countArgument(arguments);
  if (count < 1) return QStringLiteral("the count must be a positive number");
  goToStage(desk, std::max(desk.selection.place().stage - count, 0));
  return {};
}

/// The stage of that name, or whose file is of that name; -1 where there is none.
int stageNamed(const Desk& desk, const QString& name) {
  const auto& steps = desk.document.steps();
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const StepRow& step) {
    return step.name == name || (!step.file.isEmpty() && step.file == name);
  });
  return found == steps.end() ? -1 : static_cast<int>(found - steps.begin());
}

QString goTo(Desk& desk, const QStringList& arguments) {
  bool ok = false;
  int stage = arguments.value(0).toInt(&ok);
  if (!ok) stage = stageNamed(desk, arguments.value(0));
  if (stage < 0 || stage >= when::stageCount(desk)) {
    return QStringLiteral("stages are 0 to %1, or a pass's name").arg(when::stageCount(desk) - 1);
  }
  goToStage(desk, stage);
  return {};
}

QString first(Desk& desk, const QStringList&) {
  goToStage(desk, 0);
  return {};
}

QString last(Desk& desk, const QStringList&) {
  goToStage(desk, when::stageCount(desk) - 1);
  return {};
}

QString compare(Desk& desk, const QStringList& arguments) {
  bool ok = false;
  const int stage = arguments.value(0, "0").toInt(&ok);
  if (!ok || stage < 0 || stage >= when::stageCount(desk)) {
    return QStringLiteral("stages are 0 to %1").arg(when::stageCount(desk) - 1);
  }
  desk.document.readOther({});
  desk.selection.setCompareStage(stage);
  return desk.window.showPanel("diff");
}

QString compareBefore(Desk& desk, const QStringList&) {
  desk.document.readOther({});
  desk.selection.setCompareStage(-1);
  return desk.window.showPanel("diff");
}

QString pipeline(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("pipeline");
  desk.document.setPipeline(arguments.join(' '));
  if (const QString refused = desk.document.pipelineError(); !refused.isEmpty()) return refused;
  goToStage(desk, 0);
  return {};
}

QString cancel(Desk& desk, const QStringList&) {
  if (!desk.document.busy()) {
    desk.window.cancelTool();
    return {};
  }
  desk.document.cancel();
  // What was asked for does not come: back to the last stage that is there.
  Place place = desk.selection.place();
  const int wanted = place.stage;
  while (place.stage > 0 && !desk.document.stage(place.stage, false)) --place.stage;
  if (place.stage != wanted) desk.selection.replace(place);
  desk.window.say(place.stage == wanted ? QStringLiteral("Cancelled.")
                                        : QStringLiteral("Cancelled; stage %1 is shown.").arg(place.stage));
  return {};
}

QString stageOutcome(const Desk& desk) {
  const int stage = desk.selection.place().stage;
  if (stage <= desk.document.lastStage()) return {};
  for (const StepRow& step : desk.document.steps()) {
    if (step.state == StepState::Failed)
      return QStringLiteral("pass %1 %2 failed: %3").arg(step.number).arg(step.name, step.verdictReason);
  }
  return QStringLiteral("stage %1 was not reached").arg(stage);
}

constexpr Command kRows[] = {
    {"pass.next", "Next Pass", "Runs the next pass and shows its result.", "Ctrl+]; Ctrl+Down", "Passes", 0, "[COUNT]",
     "step forward stage run", nullptr, when::hasNextPass, next, stageOutcome},
    {"pass.previous", "Previous Pass", "Shows the module before this pass.", "Ctrl+[; Ctrl+Up", "Passes", 0, "[COUNT]",
     "step back stage undo", nullptr, when::hasPreviousPass, previous, stageOutcome},
    {"pass.first", "Imported Module", "Shows the module as it was read.", "Ctrl+Shift+[", "Passes", 0, "",
     "stage 0 start original", nullptr, when::hasPreviousPass, first, stageOutcome},
    {"pass.last", "Run All Passes", "Runs the whole pipeline and shows its result.", "Ctrl+Shift+]", "Passes", 0, "",
     "stage end lower compile", nullptr, when::hasNextPass, last, stageOutcome},
    {"pass.goTo", "Go to Stage", "Shows a stage by its number or its pass's name.", "", "", 0, "NUMBER|NAME", "jump",
     nullptr, when::open, goTo, stageOutcome},
    {"pass.compareBefore", "Compare with Stage Before", "Shows what this pass changed.", "Ctrl+D", "Passes", 1, "",
     "diff difference", nullptr, when::open, compareBefore, nullptr},
    {"pass.compare", "Compare with Imported", "Shows the difference to the imported module, or to a stage by number.",
     "Ctrl+Shift+D", "Passes", 1, "[STAGE]", "diff difference", nullptr, when::open, compare, nullptr},
    {"pass.pipeline", "Edit Pipeline…", "Sets which passes run, as pipeline text.", "Ctrl+Alt+P", "Passes", 2, "[TEXT]",
     "order options sequence", nullptr, when::canRunPasses, pipeline, nullptr},
    {"pass.cancel", "Cancel Work", "Stops the work in progress; what was there stays.", "Ctrl+.", "Passes", 2, "",
     "abort stop", nullptr, when::working, cancel, nullptr},
};

}  // namespace

std::span<const Command> passCommands() { return kRows; }

}  // namespace rx::views
