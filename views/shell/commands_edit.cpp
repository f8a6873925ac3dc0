#include "views/panels/panel.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"

namespace rx::views {
namespace {

QString find(Desk& desk, const QStringList& arguments) {
  Panel* panel = desk.window.focusedPanel();
  if (!panel) return QStringLiteral("no panel is shown");
  if (arguments.isEmpty()) {
    if (panel->showFind()) return {};
    // A panel without anything to search leaves it to the text.
    Panel* text = desk.window.panel("ir");
    if (text && desk.window.showPanel("ir").isEmpty() && text->showFind()) return {};
    return QStringLiteral("this panel has nothing to search");
  }
  const int matches = panel->find(arguments.join(' '));
  if (matches < 0) return QStringLiteral("this panel has nothing to search");
  return matches > 0 ? QString() : QStringLiteral("not found: %1").arg(arguments.join(' '));
}

QString findAgain(Desk& desk, bool forward) {
  Panel* panel = desk.window.focusedPanel();
  return panel && panel->findNext(forward) ? QString() : QStringLiteral("nothing found");
}
QString findNext(Desk& desk, const QStringList&) { return findAgain(desk, true); }
QString findPrevious(Desk& desk, const QStringList&) { return findAgain(desk, false); }

QString copyPanel(Desk& desk, const QStringList&) {
  Panel* panel = desk.window.focusedPanel();
  if (!panel) return QStringLiteral("no panel is shown");
  desk.window.copyText(panel->dump(), QStringLiteral("panel"));
  return {};
}

QString copySelection(Desk& desk, const QStringList&) {
  Panel* panel = desk.window.focusedPanel();
  if (panel && panel->command("copy", {})) return {};
  // Of a panel that is drawn what is selected there is the line that all panels show.
  const BindingRow* binding = selectedBinding(desk);
  const StageIndexPtr stage = desk.document.stage(desk.selection.place().stage, false);
  if (!panel || !binding || !stage) return QStringLiteral("nothing is selected here");
  desk.window.copyText(QString::fromUtf8(stage->line(binding->line)).trimmed(), QStringLiteral("line"));
  return {};
}

QString copyText(Desk& desk, const QStringList& arguments) {
  desk.window.copyText(arguments.join(' '), QStringLiteral("text"));
  return {};
}

QString copyCommand(Desk& desk, const QStringList&) {
  const QString line = desk.debug.state() == RunState::Off ? desk.document.commandLine(desk.selection.place().stage)
                                                           : desk.debug.commandLine();
  if (line.isEmpty()) return QStringLiteral("what is shown has no rxs command");
  desk.window.copyText(line, QStringLiteral("rxs command"));
  return {};
}

QString goToName(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) {
    desk.window.showPalette("@");
    return {};
  }
  const StageIndexPtr index = desk.document.stage(desk.selection.place().stage, false);
  if (!index) return QStringLiteral("the stage is not ready");
  if (index->function(arguments[0])) {
    desk.selection.selectFunction(arguments[0]);
    return {};
  }
  return selectNamedBinding(desk, arguments[0]);
}

QString goToLine(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) {
    desk.window.showPalette(":");
    return {};
  }
  const int line = countArgument(arguments);
  const StageIndexPtr index = desk.document.stage(desk.selection.place().stage, false);
  if (!index) return QStringLiteral("the stage is not ready");
  if (line < 1 || line > index->lineCount()) {
    return QStringLiteral("the text has lines 1 to %1").arg(index->lineCount());
  }
  const FunctionRow* function = index->functionAtLine(line);
  if (!function) return QStringLiteral("line %1 belongs to no function").arg(line);
  const BindingRow* binding = function->bindingAtLine(line);
  if (binding) {
    desk.selection.selectBinding(function->name, binding->ordinal, binding->name);
  } else {
    desk.selection.selectFunction(function->name);
  }
  return {};
}

QString onText(Desk& desk, const char* what) {
  Panel* text = desk.window.panel("ir");
  return text && text->command(QLatin1String(what), {}) ? QString() : QStringLiteral("the IR text is not there");
}
QString foldText(Desk& desk, const QStringList&) { return onText(desk, "foldAll"); }
QString foldBlocks(Desk& desk, const QStringList&) { return onText(desk, "foldBlocks"); }
QString unfoldText(Desk& desk, const QStringList&) { return onText(desk, "unfoldAll"); }

QString back(Desk& desk, const QStringList&) {
  desk.selection.back();
  return {};
}

QString forward(Desk& desk, const QStringList&) {
  desk.selection.forward();
  return {};
}

constexpr Command kRows[] = {
    {"edit.back", "Back", "Goes back to the place before.", "Alt+Left", "Edit", 0, "", "history previous place",
     nullptr, when::canGoBack, back, nullptr},
    {"edit.forward", "Forward", "Goes forward again.", "Alt+Right", "Edit", 0, "", "history next place", nullptr,
     when::canGoForward, forward, nullptr},
    {"edit.find", "Find…", "Finds a text in the panel that has the focus.", "Ctrl+F", "Edit", 1, "[TEXT]",
     "search grep", nullptr, when::always, find, nullptr},
    {"edit.findNext", "Find Next", "Goes to the next match.", "F3", "Edit", 1, "", "search", nullptr, when::always,
     findNext, nullptr},
    {"edit.findPrevious", "Find Previous", "Goes to the match before.", "Shift+F3", "Edit", 1, "", "search", nullptr,
     when::always, findPrevious, nullptr},
    {"edit.goToName", "Go to Name…", "Goes to a function or binding by its name.", "Ctrl+J", "Edit", 2, "[NAME]",
     "find function binding symbol jump", nullptr, when::open, goToName, nullptr},
    {"edit.goToLine", "Go to Line…", "Goes to a line of the IR text.", "Ctrl+G", "Edit", 2, "[LINE]", "jump number",
     nullptr, when::open, goToLine, nullptr},
    {"edit.foldText", "Fold All", "Shows each function, block and layer of the IR text as one line.", "", "Edit", 2, "",
     "collapse text", nullptr, when::open, foldText, nullptr},
    {"edit.foldBlocks", "Fold Blocks", "Shows each block and layer of the IR text as one line.", "", "Edit", 2, "",
     "collapse layers outline", nullptr, when::open, foldBlocks, nullptr},
    {"edit.unfoldText", "Unfold All", "Shows all lines of the IR text.", "", "Edit", 2, "", "expand", nullptr,
     when::open, unfoldText, nullptr},
    {"edit.copySelection", "Copy", "Copies what is selected in the focused panel.", "", "Edit", 3, "", "clipboard text",
     nullptr, when::open, copySelection, nullptr},
    {"edit.copyPanel", "Copy Panel as Text", "Copies what the focused panel shows.", "Ctrl+Alt+C", "Edit", 3, "",
     "clipboard dump", nullptr, when::open, copyPanel, nullptr},
    {"edit.copyText", "Copy Text", "Copies the text given.", "", "", 3, "TEXT", "clipboard", nullptr, when::always,
     copyText, nullptr},
    {"edit.copyCommand", "Copy as rxs Command", "Copies the command line that does what the window shows.",
     "Ctrl+Shift+C", "Edit", 3, "", "clipboard shell terminal reproduce", nullptr, when::open, copyCommand, nullptr},
};

}  // namespace

std::span<const Command> editCommands() { return kRows; }

}  // namespace rx::views
