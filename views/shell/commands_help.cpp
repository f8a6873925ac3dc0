#include "views/shell/command.h"
#include "views/shell/conditions.h"

namespace rx::views {
namespace {

QString shortcuts(Desk& desk, const QStringList&) { return desk.window.showDialog("shortcuts"); }
QString about(Desk& desk, const QStringList&) { return desk.window.showDialog("about"); }

constexpr Command kRows[] = {
    {"help.shortcuts", "Keys and Commands", "All commands with their keys and their names for scripts.", "Ctrl+F1",
     "Help", 0, "", "keyboard shortcuts bindings", nullptr, when::always, shortcuts, nullptr},
    {"help.about", "About relaxscope", "Version and parts.", "", "Help", 1, "", "version license", nullptr,
     when::always, about, nullptr},
};

}  // namespace

std::span<const Command> helpCommands() { return kRows; }

}  // namespace rx::views
