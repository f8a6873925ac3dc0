#include <QCoreApplication>
#include <QFileInfo>

#include "views/models/diagnostics_report.h"
#include "views/models/output_bytes.h"
#include "views/shell/allocator.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"

namespace rx::views {
namespace {

QString shortcuts(Desk& desk, const QStringList&) { return desk.window.showDialog("shortcuts"); }
QString about(Desk& desk, const QStringList&) { return desk.window.showDialog("about"); }

QString panelHelp(Desk& desk, const QStringList& arguments) {
  if (!arguments.isEmpty()) {
    if (const QString refused = desk.window.showPanel(arguments[0]); !refused.isEmpty()) return refused;
  }
  return desk.window.showDialog("help");
}

/// The engine knows which LLVM is in it, so it is asked; where it does not answer, that is what the report says.
QString saveDiagnostics(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("diagnostics");
  const bool withData = arguments.value(1) == "with-data";
  if (arguments.size() > 1 && !withData) return QStringLiteral("with-data, or nothing");
  const QString path = arguments[0];
  Desk* known = &desk;
  const auto write = [known, path, withData](bool, const QString& engine) {
    const DiagnosticFacts facts{QCoreApplication::applicationVersion(), engine.trimmed(), allocatorSettings(),
                                withData};
    const QString error = writeOutput(path, diagnosticsText(facts, known->debug.log()).toUtf8());
    if (!error.isEmpty()) return known->window.sayFailed(error);
    known->window.say(QStringLiteral("The diagnostics are written to %1; read them before you send them.").arg(path));
  };
  return desk.window.runTool(QStringLiteral("Diagnostics"), {"--version"}, write);
}

QString tour(Desk& desk, const QStringList& arguments) {
  const QString what = arguments.value(0, "begin");
  if (what != "begin" && what != "next" && what != "back" && what != "leave")
    return QStringLiteral("begin, next, back or leave");
  desk.window.tour(what);
  return {};
}

constexpr Command kRows[] = {
    {"help.panel", "Help on This Panel", "What the panel with the focus is for, with its keys and commands.", "F1",
     "Help", 0, "[PANEL]", "what is this how", nullptr, when::always, panelHelp, nullptr},
    {"help.tour", "Take the Tour", "Six steps on a sample, each at the panel that it speaks of.", "", "Help", 0,
     "[begin|next|back|leave]", "introduction tutorial first", nullptr, when::always, tour, nullptr},
    {"help.shortcuts", "Keys and Commands", "All commands with their keys and their names for scripts.", "Ctrl+F1",
     "Help", 0, "", "keyboard shortcuts bindings", nullptr, when::always, shortcuts, nullptr},
    {"help.saveDiagnostics", "Save Diagnostics…",
     "Writes versions, machine and log for a bug report; with-data keeps paths and what programs printed.", "", "Help",
     1, "[FILE [with-data]]", "bug report log versions support", nullptr, when::always, saveDiagnostics, nullptr},
    {"help.about", "About relaxscope", "Version and parts.", "", "Help", 2, "", "version license", nullptr,
     when::always, about, nullptr},
};

}  // namespace

std::span<const Command> helpCommands() { return kRows; }

}  // namespace rx::views
