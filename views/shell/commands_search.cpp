#include "views/models/lit_query.h"
#include "views/models/search.h"
#include "views/panels/panel.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"
#include "views/shell/panel_command.h"

namespace rx::views {
namespace {

const QString kResults = QStringLiteral("results");

QString resultsCommand(Desk& desk, const QString& name, const QStringList& arguments, const QString& refused) {
  Panel* panel = desk.window.panel(kResults);
  return panel && panel->command(name, arguments) ? QString() : refused;
}

QString find(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return onPanel(desk, kResults, "edit", {}, QStringLiteral("the results can not be shown"));
  return onPanel(desk, kResults, "find", arguments, QStringLiteral("what is to be found?"));
}

QString pattern(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty())
    return onPanel(desk, kResults, "pattern", {}, QStringLiteral("the results can not be shown"));
  return find(desk, {QStringLiteral("? ") + arguments.join(' ')});
}

/// The name that is given; without one that of the operator or kernel that the selected binding calls, or of the
/// selected function.
QString calleeOf(const Desk& desk, const QStringList& arguments) {
  if (!arguments.isEmpty()) return arguments.join(' ');
  const BindingRow* binding = selectedBinding(desk);
  return binding ? calledName(*binding) : desk.selection.place().function;
}

/// The same once more puts the light out.
QString light(Desk& desk, const QStringList& arguments) {
  const QString name = calleeOf(desk, arguments);
  if (name.isEmpty()) return QStringLiteral("select a binding first, or name an operator");
  const SearchQuery query{name, 0, true};
  desk.lit.set(desk.lit.query() == query ? SearchQuery() : query);
  return {};
}

QString calls(Desk& desk, const QStringList& arguments) {
  const QString name = calleeOf(desk, arguments);
  if (name.isEmpty()) return QStringLiteral("select a binding or a function first, or name an operator");
  return onPanel(desk, kResults, "calls", {name}, QStringLiteral("the calls of %1 can not be listed").arg(name));
}

QString next(Desk& desk, const QStringList&) {
  return resultsCommand(desk, "next", {}, QStringLiteral("there are no results; Ctrl+Shift+F searches all stages"));
}
QString previous(Desk& desk, const QStringList&) {
  return resultsCommand(desk, "previous", {}, QStringLiteral("there are no results; Ctrl+Shift+F searches all stages"));
}

QString again(Desk& desk, const QStringList&) {
  return resultsCommand(desk, "again", {}, QStringLiteral("the results are of every stage that there is"));
}

QString selectPlace(Desk& desk, const QStringList& arguments) {
  bool stageOk = false;
  bool lineOk = false;
  Place place;
  place.stage = arguments.value(0).toInt(&stageOk);
  const int line = arguments.value(1).toInt(&lineOk);
  if (!stageOk || !lineOk) return QStringLiteral("search.reveal STAGE LINE [FUNCTION [ORDINAL [VARIABLE]]]");
  if (place.stage < 0 || place.stage >= when::stageCount(desk))
    return QStringLiteral("stages are 0 to %1").arg(when::stageCount(desk) - 1);
  place.function = arguments.value(2);
  place.binding = arguments.value(3, "-1").toInt();
  place.variable = arguments.value(4);
  desk.selection.select(place);
  desk.document.stage(place.stage);
  Panel* text = desk.window.panel("ir");
  // What is no binding, a line of a TIR function say, has only its line.
  if (text && place.binding < 0 && place.variable.isEmpty()) text->command("goToLine", {QString::number(line)});
  return {};
}

QString reveal(Desk& desk, const QStringList& arguments) {
  if (const QString refused = selectPlace(desk, arguments); !refused.isEmpty()) return refused;
  const Panel* text = desk.window.panel("ir");
  return text && text->visibleRegion().isEmpty() ? desk.window.showPanel("ir") : QString();
}

constexpr Command kRows[] = {
    {"search.find", "Find in All Stages…",
     "Lists everything that fits in every stage: names, operators, shapes such as (*, 4096), types, constants, text.",
     "Ctrl+Shift+F", "Edit", 1, "[TEXT]", "search grep everything results", nullptr, when::open, find, nullptr},
    {"search.pattern", "Find Pattern…",
     "Lists the bindings of every stage that a dataflow pattern matches, and lights them in text and graph; the text "
     "is "
     "that of rxs find.",
     "Ctrl+Shift+M", "Edit", 1, "[PATTERN]", "search dataflow dpl match is_op wildcard", nullptr, when::open, pattern,
     nullptr},
    {"search.calls", "Find Calls of the Operator", "Lists all calls of an operator or kernel over all stages.",
     "Ctrl+Shift+F12", "Edit", 1, "[NAME]", "callers references uses kernel", nullptr, when::open, calls, nullptr},
    {"search.light", "Light the Calls of the Operator",
     "Puts a halo round all calls of an operator or kernel in the graph, or takes it away; F3 in the graph walks them.",
     "", "Edit", 1, "[NAME]", "highlight halo mark operator graph", nullptr, when::open, light, nullptr},
    {"search.next", "Next Result", "Goes to the next row of the result list.", "F4", "Edit", 1, "", "search walk",
     nullptr, when::open, next, nullptr},
    {"search.previous", "Previous Result", "Goes to the row of the result list before.", "Shift+F4", "Edit", 1, "",
     "search walk", nullptr, when::open, previous, nullptr},
    {"search.again", "Search Newer Stages", "Adds what the stages hold that came after the search.", "", "Edit", 1, "",
     "search again more", nullptr, when::open, again, nullptr},
    {"search.reveal", "Show Place", "Shows a line of a stage, and selects the binding there.", "", "", 1,
     "STAGE LINE [FUNCTION [ORDINAL [VARIABLE]]]", "", nullptr, when::open, reveal, nullptr},
    {"search.select", "Select Place", "Selects what stands on a line of a stage; what is on top stays there.", "", "",
     1, "STAGE LINE [FUNCTION [ORDINAL [VARIABLE]]]", "", nullptr, when::open, selectPlace, nullptr},
};

}  // namespace

std::span<const Command> searchCommands() { return kRows; }

}  // namespace rx::views
