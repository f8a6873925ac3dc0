// The stages of the kernel that is selected.
#include "views/models/profile_board.h"
#include "views/panels/panel.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"
#include "views/shell/panel_command.h"

namespace rx::views {
namespace {

QString onKernel(Desk& desk, const QString& command, const QStringList& arguments, const char* refusal) {
  return onPanelOf(desk, "Profile", "kernel", command, arguments, QString::fromLatin1(refusal));
}

constexpr const char* kNoSuchStage =
    "there is no such stage: a number or a name (tir, asm), next or previous, while the "
    "stages of a kernel are shown";

/// Where nothing that is selected is a kernel, that of the profile which is chosen.
QString stages(Desk& desk, const QStringList& arguments) {
  QString refused = onKernel(desk, "stages", arguments, "select a kernel, or a binding that calls one");
  const QString chosen = desk.profiles.choice().kernel;
  if (!refused.isEmpty() && arguments.value(0) == QLatin1String("on") && !chosen.isEmpty())
    refused = onKernel(desk, "stages", {"on", chosen}, "the kernel of the profile has no stages");
  // Its steps stand beside it; the kernel keeps the focus.
  if (!refused.isEmpty() || desk.window.layoutName() != QLatin1String("Profile")) return refused;
  const Panel* steps = desk.window.panel("steps");
  if (!steps || steps->isVisible() || arguments.value(0) == QLatin1String("off")) return refused;
  desk.window.showPanel("steps");
  return desk.window.showPanel("kernel");
}
QString step(Desk& desk, const QStringList& arguments) {
  return onKernel(desk, "step", {arguments.value(0, "next")}, kNoSuchStage);
}
QString stepBack(Desk& desk, const QStringList&) { return onKernel(desk, "step", {"previous"}, kNoSuchStage); }
QString tune(Desk& desk, const QStringList& arguments) {
  return onKernel(desk, "tune", arguments,
                  "show the stages of a kernel of this machine first, and wait for its compilation");
}
QString samples(Desk& desk, const QStringList& arguments) {
  return onKernel(desk, "samples", arguments, "show the stages of a kernel first");
}
QString why(Desk& desk, const QStringList&) {
  const QString refused = stages(desk, {"on"});
  return refused.isEmpty() ? samples(desk, {"on"}) : refused;
}
QString left(Desk& desk, const QStringList& arguments) {
  return onKernel(desk, "left", {arguments.value(0, "next")}, kNoSuchStage);
}
QString right(Desk& desk, const QStringList& arguments) {
  return onKernel(desk, "right", {arguments.value(0, "next")}, kNoSuchStage);
}
QString leftBefore(Desk& desk, const QStringList&) { return onKernel(desk, "left", {"previous"}, kNoSuchStage); }
QString rightBefore(Desk& desk, const QStringList&) { return onKernel(desk, "right", {"previous"}, kNoSuchStage); }
QString cross(Desk& desk, const QStringList&) {
  return onKernel(desk, "cross", {}, "no line of the other stage belongs to this one");
}
QString line(Desk& desk, const QStringList& arguments) {
  return onKernel(desk, "line", arguments, "left or right, and a line that the stage has");
}
QString trace(Desk& desk, const QStringList& arguments) {
  return onKernel(desk, "trace", arguments,
                  "show the stages of a kernel that rules scheduled first; a FILE has to be readable");
}
QString cancel(Desk& desk, const QStringList&) {
  return onKernel(desk, "cancel", {}, "nothing is compiled for the kernel");
}

constexpr Command kRows[] = {
    {"kernel.stages", "Kernel Stages",
     "Shows what becomes of the selected kernel, two stages side by side: TIR, scheduled, each step of lowering, LLVM "
     "IR, assembly; or its text alone again.",
     "Ctrl+Alt+K", "View/Kernel", 0, "[on|off]", "assembly machine code llvm schedule registers spills why slow",
     nullptr, when::open, stages, nullptr},
    {"kernel.samples", "Kernel Samples",
     "Runs the kernel on zeros for half a second, and shows which lines of its machine code and of its stages take the "
     "time.",
     "", "View/Kernel", 0, "[on|off]", "profile hot slow time assembly lines percent", nullptr, when::open, samples,
     nullptr},
    {"kernel.why", "Why the Kernel Takes Its Time",
     "Shows the stages of the selected kernel, runs it, and says which loops of its machine code take the time and "
     "what they wait for.",
     "", "View/Kernel", 0, "", "slow profile hot bound limit ports spills latency", nullptr, when::open, why, nullptr},
    {"kernel.trace", "Edit Schedule Trace…",
     "Shows the schedule of the kernel as text, a line a primitive, to be changed and applied again; with a file, "
     "applies its lines.",
     "", "View/Kernel", 0, "[FILE]", "schedule trace primitives split reorder vectorize tune", nullptr, when::open,
     trace, nullptr},
    {"kernel.step", "Next Step of the Kernel",
     "Shows what the next primitive of the schedule, pass of lowering or stage of the compiler makes of the kernel; "
     "with "
     "a number or a name that stage.",
     "Ctrl+Alt+Down", "View/Kernel", 0, "[STAGE]", "schedule primitive trace step lowering", nullptr, when::open, step,
     nullptr},
    {"kernel.stepBack", "Step Before of the Kernel", "Shows the kernel as it was a step before.", "Ctrl+Alt+Up",
     "View/Kernel", 0, "", "schedule primitive trace step previous", nullptr, when::open, stepBack, nullptr},
    {"kernel.tune", "Tune Kernel",
     "Measures variants of the kernel that its rules offer and keeps the quickest: what was measured before is not "
     "measured again. Later stages, runs and packages of this machine may be made by it.",
     "", "View/Kernel", 0, "[off|TRIALS]", "tune autotune quicker measure variants trials database", nullptr,
     when::open, tune, nullptr},
    {"kernel.cross", "Linked Line of the Other Stage",
     "Goes to the first line on the other side that the line of the caret came from or became.", "Ctrl+Alt+J",
     "View/Kernel", 0, "", "kernel assembly tir line origin", nullptr, when::open, cross, nullptr},
    {"kernel.left", "Next Stage on the Left", "Shows another stage of the kernel on the left.", "", "View/Kernel", 0,
     "[STAGE]", "kernel tir lowered llvm assembly", nullptr, when::open, left, nullptr},
    {"kernel.leftBefore", "Stage Before on the Left", "Shows the stage before on the left.", "", "", 0, "",
     "kernel previous", nullptr, when::open, leftBefore, nullptr},
    {"kernel.right", "Next Stage on the Right", "Shows another stage of the kernel on the right.", "", "View/Kernel", 0,
     "[STAGE]", "kernel tir lowered llvm assembly", nullptr, when::open, right, nullptr},
    {"kernel.rightBefore", "Stage Before on the Right", "Shows the stage before on the right.", "", "", 0, "",
     "kernel previous", nullptr, when::open, rightBefore, nullptr},
    {"kernel.line", "Line of a Kernel's Stage", "Puts the caret on a line of one side.", "", "", 0, "left|right NUMBER",
     "kernel", nullptr, when::open, line, nullptr},
    {"kernel.cancel", "Cancel the Kernel's Compilation", "Ends what is compiled for the kernel panel.", "", "", 0, "",
     "kernel stop", nullptr, when::open, cancel, nullptr},
};

}  // namespace

std::span<const Command> kernelCommands() { return kRows; }

}  // namespace rx::views
