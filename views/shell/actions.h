// Menus, toolbar and keys from the command table.
#pragma once

#include <QHash>
#include <QObject>
#include <vector>

#include "views/shell/command.h"

class QAction;
class QMainWindow;
class QMenu;
class QToolBar;
class QToolButton;

namespace rx::views {

class Commands;

class Actions : public QObject {
  Q_OBJECT

 public:
  Actions(Desk& desk, Commands* commands, QMainWindow* window);
  /// Enables and disables after a change of state.
  void refresh();
  QAction* action(const QString& id) const { return actions_.value(id); }
  /// The menu of that path ("View/Panels"), made when it is not there yet.
  QMenu* menu(const QString& path);
  /// A menu of rows: ids of commands, arguments after blanks, "-" for a line; what is unknown is left out. It deletes
  /// itself when it closes.
  QMenu* contextMenu(const QStringList& rows, QWidget* parent);
  /// Fills a toolbar with the rows that have a short label; returns the label of the stage.
  void fillToolbar(QToolBar* toolbar);
  /// Short labels without keys, when the window is narrow.
  void setCompact(bool compact);
  bool compact() const { return compact_; }

 private:
  void addRow(const Command& row);
  Desk& desk_;
  Commands* commands_;
  QMainWindow* window_;
  QHash<QString, QAction*> actions_;
  QHash<QString, QMenu*> menus_;
  QHash<QString, int> lastGroup_;
  std::vector<std::pair<const Command*, QToolButton*>> buttons_;
  bool compact_ = false;
};

/// The keys of a row: "F10" and, where there are several, the rest.
QStringList keysOf(const Command& row);

}  // namespace rx::views
