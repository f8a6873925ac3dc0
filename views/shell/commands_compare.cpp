// Comparing runs: rxs runs the function in two ways beside the window and tells the first value that is not the same.
#include <memory>

#include "views/models/bisect_report.h"
#include "views/models/run_comparison.h"
#include "views/models/run_tool.h"
#include "views/panels/panel.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"
#include "views/shell/dock_area.h"
#include "views/shell/panel_command.h"
#include "views/shell/run_arguments.h"

namespace rx::views {
namespace {

const QString kSource = QStringLiteral("comparison of runs");

QString onBisect(Desk& desk, const QString& command, const QStringList& arguments) {
  return onPanel(desk, "bisect", command, arguments, QStringLiteral("the panel refuses this"));
}

QString compareRuns(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog(QStringLiteral("compareRuns"));
  if (couldNotStart(desk)) return desk.window.showDialog(QStringLiteral("run"));
  const QString other = arguments[0];
  RunConfig config = runToRepeat(desk, arguments.value(1));
  const QStringList tool = QStringList{"run"} + toolArguments(desk.document, config) +
                           QStringList{"--against", other, "--json", "--confine"};
  desk.document.setProblems(kSource, {});
  // Beside a file every value has a row, and rxs says in a sentence what came of them.
  const auto words = [other](const QString& output) {
    const QString said = readBisectReport(output.toUtf8()).said;
    return said.isEmpty() ? runComparisonText(readRunComparison(output.toUtf8()), other) : said;
  };
  const auto show = [&desk, other, words](bool, const QString& output) {
    const RunComparison compared = readRunComparison(output.toUtf8());
    desk.document.setProblems(kSource, runComparisonProblems(compared, other, kSource));
    const bool isFile = !readBisectReport(output.toUtf8()).stages.empty();
    if (isFile) onBisect(desk, "show", {output});
    if (compared.error.isEmpty()) desk.window.say(words(output), {});
    if (!compared.differences.empty()) {
      if (!isFile) desk.window.showPanel(QStringLiteral("problems"));
      if (Panel* graph = desk.window.docks().current("graph")) graph->command("colour", {"difference"});
    }
    const RunComparison::Difference* first = compared.first();
    if (!first) return;
    goToStage(desk, 0);
    selectNamedBinding(desk, first->binding);
  };
  return desk.window.runTool(QStringLiteral("Comparison"), tool, show, words);
}

/// What of a run the search takes as well: its stages it makes itself.
QStringList bisectArguments(Desk& desk, RunConfig config) {
  config.stage = 0;
  config.mode.clear();
  config.plugins.clear();
  QStringList words = toolArguments(desk.document, config);
  if (!desk.document.canRunPasses()) words[0] = desk.document.path();
  return words;
}

/// The guilty stage, at the binding that wrote over another, else at the first that is off, beside the stage before it.
void showGuilty(Desk& desk, const BisectReport& report) {
  const StageOutcome* guilty = report.stage(report.guilty);
  const ComparedValue* first = guilty ? guilty->first() : nullptr;
  const bool overwritten = first && !first->overwritten.by.isEmpty();
  const QString binding = overwritten ? first->overwritten.by : first ? first->binding : QString();
  const bool isBinding = first && !first->function.isEmpty();
  goToStage(desk, report.guilty);
  whenStage(desk, desk.document.path(), report.guilty, [&desk, binding, isBinding, stage = report.guilty] {
    if (desk.selection.place().stage != stage) return;
    if (isBinding) selectNamedBinding(desk, binding);
    if (stage == 0) return;
    desk.selection.setCompareStage(-1);
    desk.window.showPanel(QStringLiteral("diff"));
  });
}

/// The run that all stages make: of arguments as debug.start takes them, else the last one.
QString bisectRun(Desk& desk, const QStringList& arguments, RunConfig* config) {
  const QString function = arguments.value(0);
  *config = runToRepeat(desk, function);
  const QStringList words = arguments.mid(2);
  if (words.isEmpty()) return {};
  *config = defaultRun(desk.document, config->function, 0);
  return readRunArguments(desk.document, words, config);
}

/// The arguments of rxs, with what the panel shows of them.
QString bisectTool(Desk& desk, const QStringList& arguments, QStringList* tool) {
  RunConfig config;
  if (const QString problem = bisectRun(desk, arguments, &config); !problem.isEmpty()) return problem;
  *tool = QStringList{"bisect"} + bisectArguments(desk, config) + QStringList{"--json", "--confine"};
  if (!arguments.value(1).isEmpty()) *tool << "--limit" << arguments[1];
  const QString taken = QStringLiteral("%1 · %2").arg(config.function, inputsText(config));
  onBisect(desk, "with", QStringList{taken, config.function} + arguments.mid(2));
  return {};
}

QString bisect(Desk& desk, const QStringList& arguments) {
  // What did not fit a run is asked for once more, unless other arguments are given.
  if (couldNotStart(desk) && arguments.size() < 3) return desk.window.showDialog(QStringLiteral("bisect"));
  QStringList tool;
  if (const QString problem = bisectTool(desk, arguments, &tool); !problem.isEmpty()) return problem;
  const auto words = [](const QString& output) { return bisectText(readBisectReport(output.toUtf8())); };
  const auto shown = std::make_shared<int>(-1);
  // Done is also a search that found something, which is no failure of it.
  const auto show = [&desk, shown](bool, const QString& output) {
    const BisectReport report = readBisectReport(output.toUtf8());
    if (!report.error.isEmpty()) return void(onBisect(desk, "cancelled", {}));
    onBisect(desk, "show", {output});
    desk.window.say(bisectText(report), {});
    if (report.guilty >= 0 && report.guilty != *shown) showGuilty(desk, report);
  };
  // The stage that was found is shown at once; the others follow beside it.
  const auto told = [&desk, shown, report = BisectReport()](const QByteArray& line) mutable {
    if (!addBisectLine(line, &report)) return Progress();
    onBisect(desk, "line", {QString::fromUtf8(line)});
    if (report.guilty >= 0 && report.guilty != *shown) {
      *shown = report.guilty;
      showGuilty(desk, report);
    }
    return Progress{QStringLiteral("Bisect: ") + bisectProgressText(report), static_cast<int>(report.stages.size()),
                    report.total};
  };
  const QString refused = desk.window.runTool(QStringLiteral("Bisect"), tool, show, words, told);
  return refused.isEmpty() ? onBisect(desk, "working", {}) : refused;
}

QString bisectWith(Desk& desk, const QStringList&) { return desk.window.showDialog(QStringLiteral("bisect")); }

/// The stages again as far as the guilty one, and what is left of the module that shows the same.
QString reproducer(Desk& desk, const QStringList& arguments) {
  QString folder = arguments.value(0);
  if (folder.isEmpty()) return onBisect(desk, "reproducer", {});
  QStringList tool;
  if (const QString problem = bisectTool(desk, arguments.mid(1), &tool); !problem.isEmpty()) return problem;
  tool << "--search-only"
       << "--reproducer" << folder;
  const auto words = [](const QString& output) { return readBisectReport(output.toUtf8()).reproducer; };
  const auto show = [&desk, words](bool, const QString& output) {
    const QString said = words(output);
    desk.window.say(said.isEmpty()
                        ? QStringLiteral("No reproducer: %1").arg(bisectText(readBisectReport(output.toUtf8())))
                        : QStringLiteral("Written: %1").arg(said),
                    {});
  };
  const auto told = [report = BisectReport()](const QByteArray& line) mutable {
    if (!addBisectLine(line, &report)) return Progress();
    return Progress{QStringLiteral("Reproducer: ") + bisectProgressText(report), static_cast<int>(report.stages.size()),
                    report.total};
  };
  return desk.window.runTool(QStringLiteral("Reproducer"), tool, show, words, told);
}

constexpr Command kRows[] = {
    {"debug.bisect", "Bisect",
     "Runs every stage on the same inputs, each in a process of its own, and names the pass that changed what is "
     "computed: a binary search first, then the stages that it left out.",
     "", "Run", 4, "[FUNCTION [LIMIT [NAME=VALUE…]]]", "guilty pass wrong broke compare stages error", nullptr,
     when::open, bisect, nullptr},
    {"debug.bisectWith", "Bisect With…",
     "Asks for the function, files, seed and sizes that every stage is run with, and bisects.", "", "Run", 4, "",
     "inputs parameters seed guilty pass", nullptr, when::open, bisectWith, nullptr},
    {"debug.reproducer", "Write Reproducer…",
     "Writes the smallest module that was found with which the guilty pass computes something else, its inputs, and "
     "the command of rxs that shows it, into a folder.",
     "", "Run", 4, "[FOLDER [FUNCTION [LIMIT [NAME=VALUE…]]]]", "bisect bug report reduce minimal issue", nullptr,
     when::open, reproducer, nullptr},
    {"debug.compareRuns", "Compare Runs…",
     "Runs the function here and on another target or library, on the same inputs, or beside a file of values that its "
     "bindings are known to have, and marks each binding that gets another value: by itself, or because its inputs are "
     "others. Values of 16 bits and fewer are the same within 2e-2, so a fault below that is taken for inherited.",
     "", "Run", 4, "[TARGET|LIBRARY|FILE [FUNCTION]]",
     "against activations npz reference cpu device gpu difference error own inherited bisect lock step", nullptr,
     when::open, compareRuns, nullptr},
};

}  // namespace

std::span<const Command> compareCommands() { return kRows; }

}  // namespace rx::views
