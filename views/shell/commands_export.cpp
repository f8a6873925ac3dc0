#include <QFileInfo>

#include "views/models/output_bytes.h"
#include "views/models/samples.h"
#include "views/panels/panel.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"
#include "views/shell/dock_area.h"
#include "views/shell/run_arguments.h"

namespace rx::views {
namespace {

QString package(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("export");
  const QStringList tool = packageArguments(desk.document, arguments[0],
                                            arguments.value(1, fileBeside(desk.document.folder(), "params")),
                                            packagePasses(desk.document));
  return desk.window.runTool(QStringLiteral("Export %1").arg(arguments[0]), tool, {});
}

QString graph(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("exportGraph");
  Panel* panel = desk.window.docks().current("graph");
  if (!panel) return QStringLiteral("there is no graph panel");
  return panel->command("export", arguments) ? QString()
                                             : QStringLiteral("the graph can not be written to %1").arg(arguments[0]);
}

QString saveText(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("saveText");
  const StageIndexPtr index = desk.document.stage(desk.selection.place().stage, false);
  if (!index) return QStringLiteral("the stage is not ready");
  if (const QString error = writeOutput(arguments[0], index->text); !error.isEmpty()) return error;
  desk.window.say(QStringLiteral("Stage %1 is written to %2.").arg(index->stage).arg(arguments[0]));
  return {};
}

QString save(Desk& desk, int reference, const QString& path) {
  WindowDeeds* window = &desk.window;
  desk.debug.saveValue(reference, path, &desk.debug, [window, path](const QString& error) {
    if (!error.isEmpty()) return window->sayFailed(QStringLiteral("%1 is not written: %2").arg(path, error));
    window->say(QStringLiteral("The value is written to %1.").arg(path));
  });
  return {};
}

bool hasValues(const Desk& desk) { return when::hasTrace(desk) || desk.debug.traced().row(); }

QString saveValue(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("saveValue");
  const Place& place = desk.selection.place();
  const TracedRow* traced = desk.debug.traced().row();
  const ValueSummary value = traced               ? traced->value
                             : place.binding >= 0 ? desk.debug.valueOf(place.function, place.binding)
                                                  : desk.debug.valueOfParam(place.function, place.variable);
  if (!value.known || !value.isTensor || value.reference == 0)
    return QStringLiteral("the selected binding has no tensor now");
  return save(desk, value.reference, arguments[0]);
}

QString saveResult(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("saveResult");
  const std::vector<ResultValue>& values = desk.debug.result()->values;
  bool ok = true;
  const int number = arguments.size() > 1 ? arguments[1].toInt(&ok) : 0;
  if (!ok || number < 0 || number >= static_cast<int>(values.size()))
    return QStringLiteral("the run returned the values 0 to %1").arg(values.size() - 1);
  const ResultValue& result = values[static_cast<size_t>(number)];
  if (!result.value.isTensor) return QStringLiteral("%1 is no tensor: %2").arg(result.name, result.value.text);
  return save(desk, result.value.reference, arguments[0]);
}

constexpr Command kRows[] = {
    {"export.package", "Compiled Package…", "Compiles the module to a library that runs without this program.",
     "Ctrl+Shift+E", "Export", 0, "[FOLDER [PARAMS]]", "build ship library deploy", nullptr, when::open, package,
     nullptr},
    {"export.graph", "Graph as SVG, PDF or DOT…", "Writes the graph of the selected function.", "", "Export", 1,
     "[PATH]", "picture graphviz", nullptr, when::hasFunction, graph, nullptr},
    {"export.text", "Stage as Text…", "Writes the text of the selected stage.", "Ctrl+S", "Export", 1, "[PATH]",
     "save script tvmscript", nullptr, when::open, saveText, nullptr},
    {"export.value", "Value as .npy…", "Writes the value of the selected binding.", "", "Export", 1, "[PATH]",
     "save numpy tensor", nullptr, hasValues, saveValue, nullptr},
    {"export.result", "Result as .npy…", "Writes what the run returned; of a tuple the value with a number.", "",
     "Export", 1, "[PATH [NUMBER]]", "save numpy output", nullptr, when::hasResult, saveResult, nullptr},
};

}  // namespace

std::span<const Command> exportCommands() { return kRows; }

}  // namespace rx::views
