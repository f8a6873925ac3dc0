// The graph's rows of the command table: what its buttons, its menu and the palette do, on the graph that has the focus
// or had it last. Keys that need the graph to have
// the focus (Space, + and -, A) are the canvas's own.
#include "views/panels/panel.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"
#include "views/shell/dock_area.h"
#include "views/shell/main_window.h"

namespace rx::views {
namespace {

QString onGraph(Desk& desk, const QString& command, const QStringList& arguments = {}) {
  Panel* graph = desk.window.docks().current("graph");
  if (!graph) return QStringLiteral("there is no graph panel");
  return graph->command(command, arguments) ? QString() : QStringLiteral("the graph refuses this now");
}

QString fit(Desk& desk, const QStringList&) { return onGraph(desk, "fit"); }
QString zoomIn(Desk& desk, const QStringList&) { return onGraph(desk, "zoomIn"); }
QString zoomOut(Desk& desk, const QStringList&) { return onGraph(desk, "zoomOut"); }
QString actualSize(Desk& desk, const QStringList&) { return onGraph(desk, "reset"); }
QString fold(Desk& desk, const QStringList&) { return onGraph(desk, "fold"); }
QString unfold(Desk& desk, const QStringList&) { return onGraph(desk, "unfold"); }
QString machine(Desk& desk, const QStringList&) { return onGraph(desk, "machine"); }
QString weights(Desk& desk, const QStringList&) { return onGraph(desk, "weights"); }
QString focus(Desk& desk, const QStringList& arguments) {
  const int distance = countArgument(arguments, 0);
  if (distance < 0) return QStringLiteral("how many edges away? a number from 1, or nothing for on and off");
  return onGraph(desk, "focus", arguments);
}
QString colour(Desk& desk, const QStringList& arguments) {
  const bool known = arguments.size() == 1;
  return known ? onGraph(desk, "colour", arguments)
               : QStringLiteral("by what? kind, change, time, error, memory or difference");
}
QString colourKind(Desk& desk, const QStringList&) { return onGraph(desk, "colour", {"kind"}); }
QString colourChange(Desk& desk, const QStringList&) { return onGraph(desk, "colour", {"change"}); }
QString colourTime(Desk& desk, const QStringList&) { return onGraph(desk, "colour", {"time"}); }
QString colourError(Desk& desk, const QStringList&) { return onGraph(desk, "colour", {"error"}); }
QString colourMemory(Desk& desk, const QStringList&) { return onGraph(desk, "colour", {"memory"}); }
QString colourDifference(Desk& desk, const QStringList&) { return onGraph(desk, "colour", {"difference"}); }

constexpr Command kRows[] = {
    {"graph.fit", "Fit", "Shows the whole graph (Space in the graph).", "", "View/Graph", 1, "", "zoom all overview",
     nullptr, when::hasFunction, fit, nullptr},
    {"graph.zoomIn", "Larger", "Brings the graph nearer (+ in the graph).", "", "View/Graph", 1, "", "zoom in", nullptr,
     when::hasFunction, zoomIn, nullptr},
    {"graph.zoomOut", "Smaller", "Moves the graph away (- in the graph).", "", "View/Graph", 1, "", "zoom out", nullptr,
     when::hasFunction, zoomOut, nullptr},
    {"graph.actualSize", "Actual Size", "Shows the graph with the letters of the window (0 in the graph).", "",
     "View/Graph", 1, "", "zoom reset 100", nullptr, when::hasFunction, actualSize, nullptr},
    {"graph.fold", "Fold Blocks", "Shows blocks and layers that come again as one node each.", "", "View/Graph", 2, "",
     "collapse layers residual", nullptr, when::hasFunction, fold, nullptr},
    {"graph.unfold", "Unfold All Blocks", "Shows every operation of the graph.", "", "View/Graph", 2, "",
     "expand layers residual", nullptr, when::hasFunction, unfold, nullptr},
    {"graph.machine", "Allocations and Kills", "Shows what is folded into the edges as nodes, or folds it (A).", "",
     "View/Graph", 2, "", "machine memory storage buffers aliases", nullptr, when::hasFunction, machine, nullptr},
    {"graph.weights", "Weights in Full",
     "Shows weights with name, shape and size at the operations that read them, or in the rail alone (W).", "",
     "View/Graph", 2, "", "parameters constants rail labels bytes", nullptr, when::hasFunction, weights, nullptr},
    {"graph.focus", "Only Near the Selection",
     "Shows only nodes at most so many edges (2 where none are said) from the selected one, or all again.", "",
     "View/Graph", 3, "[DISTANCE]", "neighbourhood filter isolate", nullptr, when::hasFunction, focus, nullptr},
    {"graph.colour", "Colour the Graph By", "Colours the nodes by kind, change, time, error, memory or difference.", "",
     "", 4, "kind|change|time|error|memory|difference", "color heat", nullptr, when::hasFunction, colour, nullptr},
    {"graph.colourKind", "Kind of Operation", "Colours the nodes by what they do.", "", "View/Graph/Colours", 4, "",
     "color", nullptr, when::hasFunction, colourKind, nullptr},
    {"graph.colourChange", "Change by the Pass", "Colours what is new or other than at the compared stage.", "",
     "View/Graph/Colours", 4, "", "color diff", nullptr, when::hasFunction, colourChange, nullptr},
    {"graph.colourTime", "Time of the Run", "Colours the nodes by how long they ran.", "", "View/Graph/Colours", 4, "",
     "color heat profile slow", nullptr, when::hasTrace, colourTime, nullptr},
    {"graph.colourError", "NaN and Inf", "Leaves only what is wrong in colour.", "", "View/Graph/Colours", 4, "",
     "color bad", nullptr, when::hasFunction, colourError, nullptr},
    {"graph.colourMemory", "Size of the Value", "Colours the nodes by the bytes of what they make.", "",
     "View/Graph/Colours", 4, "", "color heat bytes", nullptr, when::hasFunction, colourMemory, nullptr},
    {"graph.colourDifference", "Difference of Runs",
     "Leaves in colour what Compare Runs found: what differs by itself, and what inherits it.", "",
     "View/Graph/Colours", 4, "", "color compare own inherited", nullptr, when::hasFunction, colourDifference, nullptr},
};

}  // namespace

std::span<const Command> graphCommands() { return kRows; }

}  // namespace rx::views
