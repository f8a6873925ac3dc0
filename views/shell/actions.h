// Menus and keys from the command table.
#pragma once

#include <QHash>
#include <QObject>

#include "views/shell/command.h"

class QAction;
class QMainWindow;
class QMenu;

namespace rx::views {

class Commands;
class KeyMap;

class Actions : public QObject {
  Q_OBJECT

 public:
  Actions(Desk& desk, Commands* commands, const KeyMap& keys, QMainWindow* window);
  /// Enables and disables after a change of state.
  void refresh();
  /// Keys as the key map has them now.
  void applyKeys();
  QAction* action(const QString& id) const { return actions_.value(id); }
  /// The menu of that path ("View/Panels"), made when it is not there yet.
  QMenu* menu(const QString& path);
  /// A menu of rows: ids of commands, arguments after blanks, a title of its own after a "|", "-" for a line; what is
  /// unknown is left out. It deletes itself when it closes.
  QMenu* contextMenu(const QStringList& rows, QWidget* parent);

 private:
  void addRow(const Command& row);
  Desk& desk_;
  Commands* commands_;
  const KeyMap& keys_;
  QMainWindow* window_;
  QHash<QString, QAction*> actions_;
  QHash<QString, QMenu*> menus_;
  QHash<QString, int> lastGroup_;
};

}  // namespace rx::views
