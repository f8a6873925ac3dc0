// Bookmarks and notes, tabs of documents, sessions.
#include "views/shell/command.h"
#include "views/shell/conditions.h"

namespace rx::views {
namespace {

bool hasPlace(const Desk& desk) { return when::open(desk) && !desk.selection.place().function.isEmpty(); }
bool hasNotes(const Desk& desk) { return when::open(desk) && !desk.notes.rows().empty(); }
bool hasTabs(const Desk& desk) { return desk.window.tabs() != nullptr; }
bool hasOtherTabs(const Desk& desk) { return hasTabs(desk) && desk.window.tabs()->tabCount() > 1; }

QString toggle(Desk& desk, const QStringList&) {
  const Place place = desk.selection.place();
  desk.notes.toggle(place);
  const QString name = place.variable.isEmpty() ? place.function : place.variable;
  desk.window.say(desk.notes.at(place) ? QStringLiteral("Bookmark set at %1.").arg(name)
                                       : QStringLiteral("Bookmark at %1 removed.").arg(name),
                  {"bookmark.toggle"});
  return {};
}

QString write(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("note");
  desk.notes.write(desk.selection.place(), arguments.join(' '));
  return {};
}

QString go(Desk& desk, bool forward) {
  const Note* note = desk.notes.next(desk.selection.place(), forward);
  if (!note) return QStringLiteral("there is no bookmark");
  const Place place = note->place;
  goToStage(desk, place.stage);
  desk.selection.select(place);
  return {};
}
QString next(Desk& desk, const QStringList&) { return go(desk, true); }
QString previous(Desk& desk, const QStringList&) { return go(desk, false); }

QString newTab(Desk& desk, const QStringList& arguments) { return desk.window.tabs()->openTab(arguments.value(0)); }
QString closeTab(Desk& desk, const QStringList&) { return desk.window.tabs()->closeTab(); }
QString nextTab(Desk& desk, const QStringList&) {
  desk.window.tabs()->nextTab(true);
  return {};
}
QString previousTab(Desk& desk, const QStringList&) {
  desk.window.tabs()->nextTab(false);
  return {};
}

QString saveSession(Desk& desk, const QStringList& arguments) {
  return arguments.isEmpty() ? desk.window.showDialog("saveSession") : desk.window.tabs()->saveSession(arguments[0]);
}
QString openSession(Desk& desk, const QStringList& arguments) {
  return arguments.isEmpty() ? desk.window.showDialog("openSession") : desk.window.tabs()->openSession(arguments[0]);
}

constexpr Command kRows[] = {
    {"tab.new", "New Tab", "Opens another document beside this one; without a path the start page.", "Ctrl+T", "File", 4,
     "[PATH]", "document second open window", nullptr, hasTabs, newTab, nullptr},
    {"tab.close", "Close Tab", "Closes this document and stops its run.", "Ctrl+F4", "File", 4, "", "document", nullptr,
     hasTabs, closeTab, nullptr},
    {"tab.next", "Next Tab", "Shows the next document.", "Ctrl+Alt+Right", "File", 4, "", "document", nullptr,
     hasOtherTabs, nextTab, nullptr},
    {"tab.previous", "Previous Tab", "Shows the document before.", "Ctrl+Alt+Left", "File", 4, "", "document", nullptr,
     hasOtherTabs, previousTab, nullptr},
    {"session.save", "Save Session…",
     "Writes all open documents with place, layout, breakpoints, notes and profiles to a file.", "", "File", 5,
     "[PATH]", "workspace store", nullptr, hasTabs, saveSession, nullptr},
    {"session.open", "Open Session…", "Opens the documents of a session file as they were left.", "", "File", 5,
     "[PATH]", "workspace restore", nullptr, hasTabs, openSession, nullptr},
    {"bookmark.toggle", "Toggle Bookmark", "Sets a bookmark at the selected place, or takes it away.", "Ctrl+B",
     "Edit", 4, "", "mark remember", nullptr, hasPlace, toggle, nullptr},
    {"bookmark.note", "Write Note…", "Writes a note at the selected place.", "Ctrl+Shift+B", "Edit", 4, "[TEXT]",
     "comment annotate", nullptr, hasPlace, write, nullptr},
    {"bookmark.next", "Next Bookmark", "Goes to the next bookmark or note.", "Ctrl+Alt+B", "Edit", 4, "", "mark",
     nullptr, hasNotes, next, nullptr},
    {"bookmark.previous", "Previous Bookmark", "Goes to the bookmark or note before.", "Ctrl+Alt+Shift+B", "Edit", 4,
     "", "mark", nullptr, hasNotes, previous, nullptr},
};

}  // namespace

std::span<const Command> placeCommands() { return kRows; }

}  // namespace rx::views
