#include <algorithm>

#include "views/panels/panel.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"
#include "views/shell/dock_area.h"
#include "views/shell/panel_command.h"

namespace rx::views {
namespace {

/// What the panel does, after it is shown; the answer is `refusal` where it can not.
QString onDiff(Desk& desk, const char* name, const QStringList& arguments, const QString& refusal) {
  return onPanel(desk, "diff", QLatin1String(name), arguments, refusal);
}

QString next(Desk& desk, const QStringList&) {
  return onDiff(desk, "next", {}, QStringLiteral("there is no difference to go to"));
}
QString previous(Desk& desk, const QStringList&) {
  return onDiff(desk, "previous", {}, QStringLiteral("there is no difference to go to"));
}
QString sideBySide(Desk& desk, const QStringList&) { return onDiff(desk, "sideBySide", {}, {}); }
QString unified(Desk& desk, const QStringList&) { return onDiff(desk, "unified", {}, {}); }
QString ignoreNames(Desk& desk, const QStringList& arguments) {
  return onDiff(desk, "ignoreNames", arguments, QStringLiteral("it is on or off"));
}
QString toFunction(Desk& desk, const QStringList& arguments) {
  return onDiff(desk, "function", arguments,
                QStringLiteral("the function %1 has no difference").arg(arguments.value(0)));
}
QString file(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return onDiff(desk, "chooseFile", {}, {});
  desk.document.readOther(arguments[0]);
  return desk.window.showPanel("diff");
}
/// The compared stage, or the one before, beside the selected one; or the stage that is named.
QString graphs(Desk& desk, const QStringList& arguments) {
  const int right = desk.selection.place().stage, chosen = desk.selection.compareStage();
  int left = chosen >= 0 && chosen != right ? chosen : right - 1;
  if (!arguments.isEmpty()) {
    bool ok = false;
    left = arguments[0].toInt(&ok);
    if (!ok) return QStringLiteral("compare with which stage? a number");
  }
  if (left < 0) return QStringLiteral("the imported module has no stage before it; select a pass, or name a stage");
  if (left >= when::stageCount(desk)) return QStringLiteral("stages are 0 to %1").arg(when::stageCount(desk) - 1);
  if (left == right) return QStringLiteral("that is the selected stage itself");
  if (!selectedFunction(desk)) return QStringLiteral("select a function first");
  desk.window.docks().pairGraphs(std::min(left, right), std::max(left, right));
  return {};
}
QString fileOutcome(const Desk& desk) { return desk.document.otherError(); }

constexpr Command kRows[] = {
    {"diff.next", "Next Change", "Goes to the next difference.", "F7", "Passes/Difference", 0, "", "diff compare",
     nullptr, when::open, next, nullptr},
    {"diff.previous", "Previous Change", "Goes to the previous difference.", "Shift+F7", "Passes/Difference", 0, "",
     "diff compare", nullptr, when::open, previous, nullptr},
    {"diff.sideBySide", "Side by Side", "Shows both texts beside each other, at any width.", "", "Passes/Difference", 1,
     "", "diff compare split columns", nullptr, when::open, sideBySide, nullptr},
    {"diff.unified", "Unified", "Shows both texts as one, what went above what came.", "", "Passes/Difference", 1, "",
     "diff compare inline patch", nullptr, when::open, unified, nullptr},
    {"diff.ignoreNames", "Ignore Names", "Takes lines for equal that differ in the names of variables alone.", "",
     "Passes/Difference", 1, "[on|off]", "diff compare rename", nullptr, when::open, ignoreNames, nullptr},
    {"diff.function", "Changes of Function", "Goes to the first difference of a function.", "", "", 0, "NAME",
     "diff compare summary", nullptr, when::open, toFunction, nullptr},
    {"diff.graphs", "Compare in Graphs",
     "Shows the graphs of two stages side by side, what differs in colour in both; they scroll and select together.",
     "Ctrl+Alt+G", "Passes/Difference", 2, "[STAGE]", "diff compare pair two graphs", nullptr, when::hasFunction,
     graphs, nullptr},
    {"diff.file", "Compare with File…", "Compares the selected stage with the module of another file.", "",
     "Passes/Difference", 2, "[PATH]", "diff compare other", nullptr, when::open, file, fileOutcome},
};

}  // namespace

std::span<const Command> diffCommands() { return kRows; }

}  // namespace rx::views
