// Profiling: rxs runs the function again and again beside the window, and the panel shows what it wrote.
#include <QDir>
#include <QFileInfo>
#include <memory>

#include "views/models/run_tool.h"
#include "views/models/scratch_folder.h"
#include "views/panels/kernel/kernel_tune.h"
#include "views/panels/panel.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"
#include "views/shell/run_arguments.h"

namespace rx::views {
namespace {

QString onPanel(Desk& desk, const QString& command, const QStringList& arguments) {
  if (const QString refused = showInLayout(desk, "Profile", "profile"); !refused.isEmpty()) return refused;
  Panel* panel = desk.window.panel("profile");
  return panel && panel->command(command, arguments) ? QString() : QStringLiteral("the profile refuses this");
}

/// What tells profiles of one module apart: "optimized", or how many passes it is where they have no name together.
QString pipelineTitle(const Document& document) {
  const QString text = document.pipeline();
  const bool named = !text.contains(QLatin1Char(',')) && !text.contains(QLatin1Char('('));
  return named && !text.isEmpty() ? text : QStringLiteral("%1 passes").arg(document.steps().size());
}

/// `tuned`: file of what rxs tune measured, which kernels are scheduled by; empty for none.
QString profileRun(Desk& desk, const QString& function, const QString& tuned) {
  if (couldNotStart(desk)) return desk.window.showDialog(QStringLiteral("run"));
  RunConfig config = runToRepeat(desk, function);
  config.mode = QStringLiteral("release");
  const auto folder = std::make_shared<ScratchFolder>();
  const QString file = folder->filePath("profile.json");
  const QStringList tool = QStringList{"run"} + toolArguments(desk.document, config) +
                           QStringList{"--profile", "--profile-out", file, "--confine"} +
                           (tuned.isEmpty() ? QStringList() : QStringList{"--tuned", tuned});
  QString title =
      desk.document.canRunPasses() ? pipelineTitle(desk.document) : QStringLiteral("stage %1").arg(config.stage);
  if (!tuned.isEmpty()) title += QStringLiteral(", tuned");
  return desk.window.runTool(QStringLiteral("Profile"), tool, [&desk, folder, file, title](bool ok, const QString&) {
    if (!ok) return;
    if (const QString problem = onPanel(desk, "load", {file, title}); !problem.isEmpty())
      desk.window.sayFailed(problem);
  });
}

QString profile(Desk& desk, const QStringList& arguments) { return profileRun(desk, arguments.value(0), {}); }

/// What was measured before is in the file, and is not measured again.
QString tune(Desk& desk, const QStringList&) {
  const QString file = KernelTune::database();
  if (!QDir().mkpath(QFileInfo(file).path())) return QStringLiteral("there is no folder for what tuning measures");
  QStringList tool = QStringList{"tune", desk.document.programPath()};
  if (!desk.document.moduleName().isEmpty()) tool << "--module" << desk.document.moduleName();
  tool << "--database" << file;
  return desk.window.runTool(QStringLiteral("Tune"), tool, [&desk, file](bool ok, const QString&) {
    if (!ok) return;
    if (const QString problem = profileRun(desk, {}, file); !problem.isEmpty()) desk.window.sayFailed(problem);
  });
}

QString load(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("loadProfile");
  return onPanel(desk, "load", arguments);
}

QString byKernel(Desk& desk, const QStringList&) { return onPanel(desk, "by", {"kernel"}); }
QString byCall(Desk& desk, const QStringList&) { return onPanel(desk, "by", {"call"}); }
QString byLayer(Desk& desk, const QStringList&) { return onPanel(desk, "by", {"layer"}); }
QString show(Desk& desk, const QStringList& arguments) { return onPanel(desk, "show", arguments); }
QString filter(Desk& desk, const QStringList& arguments) { return onPanel(desk, "filter", {arguments.value(0)}); }
QString binding(Desk& desk, const QStringList&) {
  Panel* panel = desk.window.panel("profile");
  return panel && panel->command("binding", {}) ? QString() : QStringLiteral("choose a kernel of a profile first");
}

/// To one of the panels beside the table.
QString beside(Desk& desk, const QString& id, const QString& command, const QStringList& arguments) {
  if (const QString refused = showInLayout(desk, "Profile", id); !refused.isEmpty()) return refused;
  Panel* panel = desk.window.panel(id);
  return panel && panel->command(command, arguments) ? QString() : QStringLiteral("the profile refuses this");
}
QString shares(Desk& desk, const QStringList& arguments) {
  return beside(desk, "shares", "by", {arguments.value(0, "layer")});
}
QString flameFit(Desk& desk, const QStringList&) { return beside(desk, "flame", "fit", {}); }
QString flameLarger(Desk& desk, const QStringList&) { return beside(desk, "flame", "larger", {}); }
QString flameSmaller(Desk& desk, const QStringList&) { return beside(desk, "flame", "smaller", {}); }

QString against(Desk& desk, const QStringList& arguments) { return onPanel(desk, "against", arguments); }

constexpr Command kRows[] = {
    {"profile.run", "Profile",
     "Runs the function again and again, optimised, and says where the time goes: by kernel and call, beside what this "
     "machine can do.",
     "Ctrl+F5", "Run", 4, "[FUNCTION]", "time performance slow hot roofline benchmark", nullptr, when::open, profile,
     nullptr},
    {"profile.tune", "Tune Kernels",
     "Measures variants of the function's kernels that rules offer, keeps which is the quickest on this machine, and "
     "profiles the function with those.",
     "", "Run", 4, "", "faster schedule variants trials", nullptr, when::open, tune, nullptr},
    {"profile.load", "Load Profile…", "Shows a profile that rxs run --profile-out wrote.", "", "Run", 4, "[FILE]",
     "time performance open json", nullptr, when::always, load, nullptr},
    {"profile.byKernel", "Profile by Kernel", "A row for each kernel, all of its calls together.", "", "", 4, "",
     "time", nullptr, when::always, byKernel, nullptr},
    {"profile.byCall", "Profile by Call", "A row for each call, with the binding that it was imported as.", "", "", 4,
     "", "time binding", nullptr, when::always, byCall, nullptr},
    {"profile.byLayer", "Profile by Layer",
     "A row for each block of the imported function, whatever it was compiled to.", "", "", 4, "",
     "time block residual", nullptr, when::always, byLayer, nullptr},
    {"profile.show", "Show Profile", "Shows one of the profiles that were made or loaded, counted from 1.", "", "", 4,
     "NUMBER", "time", nullptr, when::always, show, nullptr},
    {"profile.against", "Compare Profile", "Holds the profile that is shown against another one, or none.", "", "", 4,
     "NUMBER|none", "time difference", nullptr, when::always, against, nullptr},
    {"profile.filter", "Filter Profile", "Shows only rows of the profile that hold a text; without one, all.", "", "",
     4, "[TEXT]", "time find kernel", nullptr, when::always, filter, nullptr},
    {"profile.binding", "Binding of the Profile's Row", "Goes to what the chosen kernel was imported as.", "", "", 4,
     "", "time origin", nullptr, when::always, binding, nullptr},
    {"profile.shares", "Time by Layer or Kind", "Shows the time of each layer, or of each kind of operators.", "", "",
     4, "layer|kind", "time chart bars", nullptr, when::always, shares, nullptr},
    {"profile.flameFit", "Fit Flame Chart", "Shows all of the run.", "", "", 4, "", "time zoom", nullptr, when::always,
     flameFit, nullptr},
    {"profile.flameLarger", "Enlarge Flame Chart", "Shows less of the run, and larger.", "", "", 4, "", "time zoom",
     nullptr, when::always, flameLarger, nullptr},
    {"profile.flameSmaller", "Shrink Flame Chart", "Shows more of the run.", "", "", 4, "", "time zoom", nullptr,
     when::always, flameSmaller, nullptr},
};

}  // namespace

std::span<const Command> profileCommands() { return kRows; }

}  // namespace rx::views
