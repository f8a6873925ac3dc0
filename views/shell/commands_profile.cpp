// Profiling: rxs runs the function again and again beside the window, and the panel shows what it wrote.
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <memory>

#include "views/models/output_bytes.h"
#include "views/models/profile_board.h"
#include "views/models/run_tool.h"
#include "views/models/scratch_folder.h"
#include "views/panels/kernel/kernel_tune.h"
#include "views/panels/panel.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"
#include "views/shell/panel_command.h"
#include "views/shell/run_arguments.h"

namespace rx::views {
namespace {

QString onProfile(Desk& desk, const QString& panel, const QString& command, const QStringList& arguments) {
  return onPanelOf(desk, "Profile", panel, command, arguments, QStringLiteral("the profile refuses this"));
}

/// What tells profiles of one module apart: "optimized", or how many passes it is where they have no name together.
QString pipelineTitle(const Document& document) {
  const QString text = document.pipeline();
  const bool named = !text.contains(QLatin1Char(',')) && !text.contains(QLatin1Char('('));
  return named && !text.isEmpty() ? text : QStringLiteral("%1 passes").arg(document.steps().size());
}

/// Shows a profile of a file. The answer is empty, or what is wrong.
QString take(Desk& desk, const QString& file, const QString& title, const QString& input) {
  QString problem;
  if (!desk.profiles.load(file, title, input, &problem))
    return QStringLiteral("%1 is no profile: %2").arg(file, problem);
  return showInLayout(desk, "Profile", "profile");
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
  return desk.window.runTool(QStringLiteral("Profile"), tool,
                             [&desk, folder, file, title, input = inputsText(config)](bool ok, const QString&) {
                               if (!ok) return;
                               if (const QString problem = take(desk, file, title, input); !problem.isEmpty())
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

/// The pipeline of the window with what tuning kept, or that of packages where it schedules nothing. Nothing is
/// measured.
QString useTuned(Desk& desk, const QStringList&) {
  const QString file = KernelTune::database();
  if (!QFileInfo::exists(file)) return QStringLiteral("nothing was tuned on this machine yet: Tune Kernels does it");
  const std::vector<StepRow>& steps = desk.document.steps();
  const bool schedules =
      std::ranges::any_of(steps, [](const StepRow& step) { return step.name == QLatin1String("ApplySchedules"); });
  QStringList tool{"tune", desk.document.programPath(), "--trials", "0", "--database", file, "--json", "--pipeline"};
  tool << (schedules ? desk.document.pipeline() : QStringLiteral("optimized"));
  if (!desk.document.moduleName().isEmpty()) tool << "--module" << desk.document.moduleName();
  const auto told = [&desk](bool ok, const QString& output) {
    if (!ok) return;
    const QString passes = QJsonDocument::fromJson(output.toUtf8())["pipeline"].toString();
    if (passes.isEmpty() || passes == desk.document.pipeline())
      return desk.window.sayFailed(QStringLiteral("tuning found nothing quicker for a kernel of this module"));
    desk.document.setPipeline(passes);
    if (const QString refused = desk.document.pipelineError(); !refused.isEmpty())
      return desk.window.sayFailed(refused);
    desk.window.say(QStringLiteral("The pipeline schedules kernels as tuning found them quickest here."),
                    {"pipeline.undo"});
  };
  // Lines that say how far it is stand apart from the answer.
  return desk.window.runTool(
      QStringLiteral("Tuned kernels"), tool, told,
      [](const QString&) { return QStringLiteral("as they were measured"); },
      [](const QByteArray&) { return Progress(); });
}

QString load(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("loadProfile");
  return take(desk, arguments[0], arguments.value(1), {});
}

QString byKernel(Desk& desk, const QStringList&) { return onProfile(desk, "profile", "by", {"kernel"}); }
QString byCall(Desk& desk, const QStringList&) { return onProfile(desk, "profile", "by", {"call"}); }
QString byLayer(Desk& desk, const QStringList&) { return onProfile(desk, "profile", "by", {"layer"}); }

/// The profile of a number as people count; the one that is shown where none is named. -1 for none.
int numbered(const Desk& desk, const QString& number) {
  if (number.isEmpty()) return desk.profiles.shownNumber();
  const int at = number.toInt() - 1;
  return at >= 0 && static_cast<size_t>(at) < desk.profiles.entries().size() ? at : -1;
}
const QString kNoProfile = QStringLiteral("there is no such profile");

QString show(Desk& desk, const QStringList& arguments) {
  return desk.profiles.show(numbered(desk, arguments.value(0))) ? QString() : kNoProfile;
}
QString against(Desk& desk, const QStringList& arguments) {
  const bool none = arguments.value(0) == QLatin1String("none");
  const int number = none || arguments.isEmpty() ? -1 : numbered(desk, arguments[0]);
  if (!none && number < 0) return kNoProfile;
  return desk.profiles.holdAgainst(number) ? QString() : QStringLiteral("there is no other profile to be held against");
}
QString rename(Desk& desk, const QStringList& arguments) {
  if (!desk.profiles.shown()) return kNoProfile;
  if (arguments.isEmpty()) return desk.window.showDialog("renameProfile");
  return desk.profiles.rename(desk.profiles.shownNumber(), arguments.join(' ')) ? QString() : kNoProfile;
}
QString removeProfile(Desk& desk, const QStringList& arguments) {
  return desk.profiles.remove(numbered(desk, arguments.value(0))) ? QString() : kNoProfile;
}

QString writeTo(Desk& desk, const QString& path, const QByteArray& bytes) {
  if (const QString error = writeOutput(path, bytes); !error.isEmpty()) return error;
  desk.window.say(QStringLiteral("The profile is written to %1.").arg(path));
  return {};
}
QString save(Desk& desk, const QStringList& arguments) {
  if (!desk.profiles.shown()) return kNoProfile;
  if (arguments.isEmpty()) return desk.window.showDialog("saveProfile");
  return writeTo(desk, arguments[0], desk.profiles.entries()[static_cast<size_t>(desk.profiles.shownNumber())].json);
}
QString saveTrace(Desk& desk, const QStringList& arguments) {
  const ProfilePtr shown = desk.profiles.shown();
  if (!shown) return kNoProfile;
  if (shown->flame.empty()) return QStringLiteral("the profile has no events of a run");
  if (arguments.isEmpty()) return desk.window.showDialog("saveProfileTrace");
  return writeTo(desk, arguments[0], chromeTrace(*shown));
}
QString copyText(Desk& desk, const QStringList&) {
  if (!desk.profiles.shown()) return kNoProfile;
  desk.window.copyText(desk.window.panel("profile")->dump(), QStringLiteral("profile"));
  return {};
}
QString copyJson(Desk& desk, const QStringList&) {
  if (!desk.profiles.shown()) return kNoProfile;
  desk.window.copyText(
      QString::fromUtf8(desk.profiles.entries()[static_cast<size_t>(desk.profiles.shownNumber())].json),
      QStringLiteral("profile as JSON"));
  return {};
}
bool hasProfile(const Desk& desk) { return desk.profiles.shown() != nullptr; }

QString filter(Desk& desk, const QStringList& arguments) {
  return onProfile(desk, "profile", "filter", {arguments.value(0)});
}
QString binding(Desk& desk, const QStringList&) {
  Panel* panel = desk.window.panel("profile");
  return panel && panel->command("binding", {}) ? QString() : QStringLiteral("choose a kernel of a profile first");
}

QString shares(Desk& desk, const QStringList& arguments) {
  return onProfile(desk, "shares", "by", {arguments.value(0, "layer")});
}
QString flameFit(Desk& desk, const QStringList&) { return onProfile(desk, "flame", "fit", {}); }
QString flameLarger(Desk& desk, const QStringList&) { return onProfile(desk, "flame", "larger", {}); }
QString flameSmaller(Desk& desk, const QStringList&) { return onProfile(desk, "flame", "smaller", {}); }

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
    {"profile.useTuned", "Schedule Kernels as Tuned",
     "Writes into the pipeline what tuning found quickest on this machine for kernels of this module.", "", "Run", 4,
     "", "faster schedule database optimized", nullptr, when::canRunPasses, useTuned, nullptr},
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
    {"profile.rename", "Rename Profile…", "Gives the profile that is shown another name.", "", "", 4, "[NAME]",
     "time title", nullptr, hasProfile, rename, nullptr},
    {"profile.remove", "Remove Profile", "Forgets the profile that is shown, or one by its number.", "", "", 4,
     "[NUMBER]", "time delete forget", nullptr, hasProfile, removeProfile, nullptr},
    {"profile.save", "Save Profile…", "Writes the profile that is shown as JSON, which Load Profile and rxs read.", "",
     "Export", 4, "[FILE]", "time json export", nullptr, hasProfile, save, nullptr},
    {"profile.saveTrace", "Save Profile as Chrome Trace…",
     "Writes the last run of the profile that is shown as Chrome's trace viewer and Perfetto read it.", "", "Export", 4,
     "[FILE]", "time json export perfetto tracing flame", nullptr, hasProfile, saveTrace, nullptr},
    {"profile.copyText", "Copy Profile as Text", "Copies the table of the profile and what is said of it.", "", "", 4,
     "", "time clipboard", nullptr, hasProfile, copyText, nullptr},
    {"profile.copyJson", "Copy Profile as JSON", "Copies the profile that is shown as rxs writes it.", "", "", 4, "",
     "time clipboard", nullptr, hasProfile, copyJson, nullptr},
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
