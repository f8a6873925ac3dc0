// The command table: every action of the window is a row here, and menus, toolbar, palette, keys, their help page and
// the script runner are made from the rows. A new action is a new row in the file of its menu.
#pragma once

#include <span>
#include <vector>

#include "views/shell/desk.h"

namespace rx::views {

struct Command {
  const char* id;         // "debug.stepOver": stable, for scripts
  const char* title;      // as in the menu
  const char* help;       // one sentence
  const char* key;        // "F10", several separated by "; ", empty for none
  const char* menu;       // "Run", or "View/Panels"; a leading "-" on the title of the group is not used: see `group`
  int group;              // rows of a menu with different groups are parted by a line
  const char* arguments;  // form for scripts: "[COUNT]"
  const char* words;      // further search words
  const char* toolbar;    // short label on the toolbar, null when it is not there
  bool (*enabled)(const Desk& desk);
  /// Starts it. The answer is empty, or why it can not be done.
  QString (*run)(Desk& desk, const QStringList& arguments);
  /// Asked when everything it started has settled; empty, or why it did not succeed. May be null.
  QString (*outcome)(const Desk& desk);
  /// For what is on or off: its state. Null for what is done once.
  bool (*checked)(const Desk& desk) = nullptr;
};

/// Rows of one menu each, in menu order.
std::span<const Command> fileCommands();
std::span<const Command> editCommands();
std::span<const Command> searchCommands();
std::span<const Command> shareCommands();
std::span<const Command> viewCommands();
std::span<const Command> graphCommands();
std::span<const Command> layoutCommands();
std::span<const Command> placeCommands();
std::span<const Command> moduleCommands();
std::span<const Command> fixCommands();
std::span<const Command> passCommands();
std::span<const Command> pipelineCommands();
std::span<const Command> diffCommands();
std::span<const Command> runCommands();
std::span<const Command> breakCommands();
std::span<const Command> valueCommands();
std::span<const Command> profileCommands();
std::span<const Command> compareCommands();
std::span<const Command> kernelCommands();
std::span<const Command> exportCommands();
std::span<const Command> helpCommands();

/// All rows, in the order of the menus.
const std::vector<const Command*>& commandTable();
const Command* findCommand(const QString& id);

/// The table's own keys of a row: "F10" and, where there are several, the rest. What a user is shown are those of
/// KeyMap.
QStringList keysOf(const Command& row);

/// Brings a panel in front; out of another layout of ours that one comes first. The answer is empty, or why not.
QString showInLayout(Desk& desk, const QString& layout, const QString& panel);

/// Reads an optional count from the first argument; `fallback` without one, -1 when it is no positive number.
int countArgument(const QStringList& arguments, int fallback = 1);

}  // namespace rx::views
