// Comparing runs: rxs runs the function in two ways beside the window and tells the first value that is not the same.
#include "views/models/run_comparison.h"
#include "views/models/run_tool.h"
#include "views/panels/panel.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"
#include "views/shell/dock_area.h"
#include "views/shell/run_arguments.h"

namespace rx::views {
namespace {

const QString kSource = QStringLiteral("comparison of runs");

QString compareRuns(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog(QStringLiteral("compareRuns"));
  if (couldNotStart(desk)) return desk.window.showDialog(QStringLiteral("run"));
  const QString other = arguments[0];
  RunConfig config = runToRepeat(desk, arguments.value(1));
  const QStringList tool = QStringList{"run"} + toolArguments(desk.document, config) +
                           QStringList{"--against", other, "--json", "--confine"};
  desk.document.setProblems(kSource, {});
  const auto words = [other](const QString& output) {
    return runComparisonText(readRunComparison(output.toUtf8()), other);
  };
  const auto show = [&desk, other](bool, const QString& output) {
    const RunComparison compared = readRunComparison(output.toUtf8());
    desk.document.setProblems(kSource, runComparisonProblems(compared, other, kSource));
    if (compared.error.isEmpty()) desk.window.say(runComparisonText(compared, other), {});
    if (!compared.differences.empty()) {
      desk.window.showPanel(QStringLiteral("problems"));
      if (Panel* graph = desk.window.docks().current("graph")) graph->command("colour", {"difference"});
    }
    const RunComparison::Difference* first = compared.first();
    if (!first) return;
    goToStage(desk, 0);
    selectNamedBinding(desk, first->binding);
  };
  return desk.window.runTool(QStringLiteral("Comparison"), tool, show, words);
}

constexpr Command kRows[] = {
    {"debug.compareRuns", "Compare Runs…",
     "Runs the function here and on another target or library, on the same inputs, and marks each binding that gets "
     "another value: by itself, or because its inputs are others. Values of 16 bits and fewer are the same within "
     "2e-2, so a fault below that is taken for inherited.",
     "", "Run", 4, "[TARGET|LIBRARY [FUNCTION]]",
     "against cpu device gpu difference error own inherited bisect lock step", nullptr, when::open, compareRuns,
     nullptr},
};

}  // namespace

std::span<const Command> compareCommands() { return kRows; }

}  // namespace rx::views
