// Panels and layouts: showing, floating, copying, locking and moving panels, and the arrangement of all of them.
#include "views/panels/panel.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"
#include "views/shell/dock_area.h"

namespace rx::views {
namespace {

QString panel(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return QStringLiteral("which panel? one of ") + desk.window.panelIds().join(", ");
  return desk.window.showPanel(arguments[0]);
}

QString hidePanel(Desk& desk, const QStringList& arguments) {
  if (!arguments.isEmpty()) return desk.window.hidePanel(arguments[0]);
  for (const QString& id : desk.window.panelIds()) {
    if (desk.window.panel(id) == desk.window.focusedPanel()) return desk.window.hidePanel(id);
  }
  return QStringLiteral("no panel has the focus");
}

QString nextPanel(Desk& desk, const QStringList&) {
  desk.window.focusNextPanel(true);
  return {};
}

QString previousPanel(Desk& desk, const QStringList&) {
  desk.window.focusNextPanel(false);
  return {};
}

/// The panel that a command is about: named, or the one with the focus.
QString panelId(const Desk& desk, const QString& named) {
  return named.isEmpty() ? desk.window.docks().idOf(desk.window.focusedPanel()) : named;
}
QString noPanel(const Desk& desk) {
  return QStringLiteral("there is no such panel; there are: ") + desk.window.panelIds().join(", ");
}

QString floatPanel(Desk& desk, const QStringList& arguments) {
  return desk.window.docks().floatPanel(panelId(desk, arguments.value(0))) ? QString() : noPanel(desk);
}

QString closeOthers(Desk& desk, const QStringList& arguments) {
  return desk.window.docks().hideOthers(panelId(desk, arguments.value(0))) ? QString() : noPanel(desk);
}

QString duplicate(Desk& desk, const QStringList& arguments) {
  return desk.window.docks().duplicate(panelId(desk, arguments.value(0))).isEmpty() ? noPanel(desk) : QString();
}

QString three(Desk& desk, const QStringList&) {
  desk.window.docks().standInRow({"source", "ir", "kernel"});
  return {};
}

QString lock(Desk& desk, const QStringList& arguments) {
  const QString word = arguments.value(0, QStringLiteral("stage"));
  const LockKind kind = lockKindOf(word);
  if (kind == LockKind::None && word != "off") return QStringLiteral("lock to what? stage, function, binding or off");
  if (kind == LockKind::Function && !selectedFunction(desk)) return QStringLiteral("select a function first");
  if (kind == LockKind::Binding && !selectedBinding(desk)) return QStringLiteral("select a binding first");
  const QString id = panelId(desk, arguments.value(1));
  if (!desk.window.docks().panel(id)) return noPanel(desk);
  return desk.window.docks().lock(id, kind) ? QString() : QStringLiteral("%1 is not locked").arg(id);
}

QString moveTo(Desk& desk, const QStringList& arguments) {
  static constexpr std::pair<const char*, PanelArea> kPlaces[] = {{"left", PanelArea::LeftTop},
                                                                  {"text", PanelArea::Center},
                                                                  {"graph", PanelArea::CenterRight},
                                                                  {"right", PanelArea::Right},
                                                                  {"bottom", PanelArea::Bottom}};
  const QString id = panelId(desk, arguments.value(1));
  if (!desk.window.docks().panel(id)) return noPanel(desk);
  for (const auto& [word, area] : kPlaces) {
    if (arguments.value(0) != QLatin1String(word)) continue;
    return desk.window.docks().movePanel(id, area) ? QString() : QStringLiteral("no other panel is shown there");
  }
  return QStringLiteral("move where? left, text, graph, right or bottom");
}

QString layout(Desk& desk, const QStringList& arguments) {
  return arguments.isEmpty() ? QStringLiteral("which layout? ") + desk.window.layoutNames().join(", ")
                             : desk.window.applyLayout(arguments.join(' '));
}
QString numberedLayout(Desk& desk, qsizetype number) {
  const QStringList names = desk.window.layoutNames();
  return number <= names.size() ? desk.window.applyLayout(names[number - 1])
                                : QStringLiteral("there are %1 layouts").arg(names.size());
}
QString layoutRead(Desk& desk, const QStringList&) { return numberedLayout(desk, 1); }
QString layoutDebug(Desk& desk, const QStringList&) { return numberedLayout(desk, 2); }
QString layoutProfile(Desk& desk, const QStringList&) { return numberedLayout(desk, 3); }
QString layoutFourth(Desk& desk, const QStringList&) { return numberedLayout(desk, 4); }
bool hasFourthLayout(const Desk& desk) { return desk.window.layoutNames().size() > 3; }

QString saveLayout(Desk& desk, const QStringList& arguments) {
  return arguments.isEmpty() ? desk.window.showDialog("saveLayout") : desk.window.saveLayout(arguments.join(' '));
}

bool canUndo(const Desk& desk) { return desk.window.docks().canUndo(); }
bool canRedo(const Desk& desk) { return desk.window.docks().canRedo(); }
QString undo(Desk& desk, const QStringList&) {
  desk.window.docks().undoLayout();
  return {};
}
QString redo(Desk& desk, const QStringList&) {
  desk.window.docks().redoLayout();
  return {};
}

constexpr Command kRows[] = {
    {"view.panel", "Show Panel", "Shows a panel and gives it the focus.", "", "View/Panels", 1, "PANEL",
     "dock tab open", nullptr, when::always, panel, nullptr},
    {"view.closePanel", "Close Panel", "Closes the panel that has the focus.", "Ctrl+W", "View", 1, "[PANEL]",
     "dock tab hide", nullptr, when::always, hidePanel, nullptr},
    {"view.nextPanel", "Next Panel", "Moves the focus to the next panel.", "Ctrl+Tab; Ctrl+PgDown", "View", 1, "",
     "dock tab focus", nullptr, when::always, nextPanel, nullptr},
    {"view.previousPanel", "Previous Panel", "Moves the focus to the panel before.", "Ctrl+Shift+Tab; Ctrl+PgUp",
     "View", 1, "", "dock tab focus", nullptr, when::always, previousPanel, nullptr},
    {"panel.float", "Float or Dock", "Pulls the panel out of the window, or puts it back.", "Ctrl+Alt+F", "View/Panel",
     2, "[PANEL]", "undock tear window", nullptr, when::always, floatPanel, nullptr},
    {"panel.closeOthers", "Close Others", "Closes the other panels of the same place.", "", "View/Panel", 2, "[PANEL]",
     "tabs hide", nullptr, when::always, closeOthers, nullptr},
    {"panel.duplicate", "Duplicate", "Another instance of the panel beside it.", "Ctrl+Alt+D", "View/Panel", 3,
     "[PANEL]", "copy instance second", nullptr, when::always, duplicate, nullptr},
    {"panel.lock", "Lock to",
     "Lets the panel keep the stage, function or binding that is selected now; off lets it go.", "Ctrl+Alt+L",
     "View/Panel", 3, "[stage|function|binding|off [PANEL]]", "pin keep freeze", nullptr, when::open, lock, nullptr},
    {"panel.moveTo", "Move to", "Makes the panel a tab of another place.", "", "", 3,
     "left|text|graph|right|bottom [PANEL]", "dock place", nullptr, when::always, moveTo, nullptr},
    {"view.layoutRead", "Read", "Module and passes; the graph; text and Inspector.", "Ctrl+1", "View/Layouts", 2, "",
     "layout docks arrange", nullptr, when::always, layoutRead, nullptr},
    {"view.layoutDebug", "Debug", "Everything of a run: watches, bytecode, registers, stack, timeline.", "Ctrl+2",
     "View/Layouts", 2, "", "layout docks arrange", nullptr, when::always, layoutDebug, nullptr},
    {"view.layoutProfile", "Profile", "Where the time goes: the profile, with the kernels beside it.", "Ctrl+3",
     "View/Layouts", 2, "", "layout docks arrange time", nullptr, when::always, layoutProfile, nullptr},
    {"view.layoutFourth", "Fourth Layout", "The layout that stands fourth in the switch of the toolbar.", "Ctrl+4",
     "View/Layouts", 2, "", "layout docks arrange own", nullptr, hasFourthLayout, layoutFourth, nullptr},
    {"view.three", "Source, IR and Kernel",
     "Shows what was imported, what it is now and the kernel that is called side by side.", "", "View/Layouts", 2, "",
     "three panes beside imported", nullptr, when::always, three, nullptr},
    {"view.layout", "Apply Layout", "Arranges the panels as in a layout of that name.", "", "", 2, "NAME",
     "docks arrange", nullptr, when::always, layout, nullptr},
    {"view.saveLayout", "Save Layout As…", "Keeps the present arrangement under a name.", "", "View/Layouts", 3,
     "[NAME]", "docks arrange", nullptr, when::always, saveLayout, nullptr},
    {"view.undoLayout", "Undo Layout Change", "Puts the panels back as they stood before the last change.",
     "Ctrl+Alt+Z", "View/Layouts", 4, "", "revert arrangement docks", nullptr, canUndo, undo, nullptr},
    {"view.redoLayout", "Redo Layout Change", "Makes the change of the panels again.", "Ctrl+Alt+Y", "View/Layouts", 4,
     "", "arrangement docks", nullptr, canRedo, redo, nullptr},
};

}  // namespace

std::span<const Command> layoutCommands() { return kRows; }

}  // namespace rx::views
