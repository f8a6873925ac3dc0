#include "views/shell/actions.h"

#include <QAction>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>

#include "views/panels/panel.h"
#include "views/shell/key_map.h"

namespace rx::views {

Actions::Actions(Desk& desk, Commands* commands, const KeyMap& keys, QMainWindow* window)
    : QObject(window), desk_(desk), commands_(commands), keys_(keys), window_(window) {
  for (const Command* row : commandTable()) addRow(*row);
  applyKeys();
}

void Actions::applyKeys() {
  for (const Command* row : commandTable()) {
    QList<QKeySequence> sequences;
    for (const QString& key : keys_.keys(*row)) sequences << QKeySequence(key, QKeySequence::PortableText);
    actions_.value(QString::fromUtf8(row->id))->setShortcuts(sequences);
  }
}

QMenu* Actions::menu(const QString& path) {
  if (QMenu* found = menus_.value(path)) return found;
  const qsizetype slash = path.lastIndexOf('/');
  const QString name = path.mid(slash + 1);
  QMenu* made = slash < 0 ? window_->menuBar()->addMenu(name) : menu(path.left(slash))->addMenu(name);
  menus_.insert(path, made);
  return made;
}

void Actions::addRow(const Command& row) {
  const QString id = QString::fromUtf8(row.id);
  auto* action = new QAction(QString::fromUtf8(row.title), this);
  action->setObjectName(id);
  action->setToolTip(QString::fromUtf8(row.help));
  action->setStatusTip(QString::fromUtf8(row.help));
  action->setShortcutContext(Qt::WindowShortcut);
  action->setCheckable(row.checked != nullptr);
  connect(action, &QAction::triggered, this, [this, id] {
    commands_->run(id);
    refresh();
  });
  actions_.insert(id, action);
  window_->addAction(action);
  const QString path = QString::fromUtf8(row.menu);
  const bool needsArguments = *row.arguments && row.arguments[0] != '[';
  if (path.isEmpty()) return;
  QMenu* target = menu(path);
  if (needsArguments || path.contains("Recent")) return;  // the window fills these menus with its rows
  if (lastGroup_.contains(path) && lastGroup_.value(path) != row.group) target->addSeparator();
  lastGroup_.insert(path, row.group);
  target->addAction(action);
}

QMenu* Actions::contextMenu(const QStringList& rows, QWidget* parent) {
  refresh();
  auto* made = new QMenu(parent);
  made->setAttribute(Qt::WA_DeleteOnClose);
  for (const QString& row : rows) {
    const QStringList words = row.section('|', 0, 0).split(' ', Qt::SkipEmptyParts);
    const QString title = row.section('|', 1);
    const QStringList arguments = words.mid(1);
    QAction* found = action(words.value(0));
    if (row == QStringLiteral("-")) {
      if (!made->isEmpty() && !made->actions().last()->isSeparator()) made->addSeparator();
    } else if (found && arguments.isEmpty()) {
      made->addAction(found);
    } else if (found) {
      QAction* own = made->addAction(title.isEmpty() ? found->text() + ' ' + arguments.join(' ') : title);
      own->setEnabled(found->isEnabled());
      connect(own, &QAction::triggered, this, [this, id = words[0], arguments] { commands_->run(id, arguments); });
    }
  }
  return made;
}

void Actions::refresh() {
  for (const Command* row : commandTable()) {
    QAction* action = actions_.value(QString::fromUtf8(row->id));
    action->setEnabled(row->enabled(desk_));
    if (row->checked) action->setChecked(row->checked(desk_));
  }
}

}  // namespace rx::views
