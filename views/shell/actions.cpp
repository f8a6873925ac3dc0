#include "views/shell/actions.h"

#include <QAction>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QToolBar>
#include <QToolButton>

#include "views/panels/panel.h"
#include "views/shell/conditions.h"

namespace rx::views {
namespace {

/// "F10", "⇧F11": short enough for a button.
QString shortKey(const QString& key) {
  QString text = key;
  text.replace("Ctrl+", "⌃").replace("Shift+", "⇧");
  return text;
}

/// Toolbar rows in their order; a null starts a new group.
constexpr const char* kToolbar[] = {"file.open",      nullptr,         "pass.previous",  "pass.next",
                                    nullptr,          "debug.start",   "debug.continue", "debug.pause",
                                    "debug.stepOver", "debug.stepInto", "debug.stepOut", "debug.stepBack", "debug.reverseContinue",
                                    "debug.restart",  "debug.stop",    nullptr,          "debug.stopOnNonFinite"};

}  // namespace

QStringList keysOf(const Command& row) {
  QStringList keys;
  for (const QString& key : QString::fromUtf8(row.key).split(';', Qt::SkipEmptyParts)) keys << key.trimmed();
  return keys;
}

Actions::Actions(Desk& desk, Commands* commands, QMainWindow* window)
    : QObject(window), desk_(desk), commands_(commands), window_(window) {
  for (const Command* row : commandTable()) addRow(*row);
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
  QList<QKeySequence> keys;
  for (const QString& key : keysOf(row)) keys << QKeySequence(key, QKeySequence::PortableText);
  action->setShortcuts(keys);
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
    const QStringList words = row.split(' ', Qt::SkipEmptyParts);
    const QStringList arguments = words.mid(1);
    QAction* found = action(words.value(0));
    if (row == QStringLiteral("-")) {
      if (!made->isEmpty() && !made->actions().last()->isSeparator()) made->addSeparator();
    } else if (found && arguments.isEmpty()) {
      made->addAction(found);
    } else if (found) {
      QAction* own = made->addAction(found->text() + ' ' + arguments.join(' '));
      own->setEnabled(found->isEnabled());
      connect(own, &QAction::triggered, this, [this, id = words[0], arguments] { commands_->run(id, arguments); });
    }
  }
  return made;
}

void Actions::fillToolbar(QToolBar* toolbar) {
  for (const char* id : kToolbar) {
    if (!id) {
      toolbar->addSeparator();
      continue;
    }
    const Command* row = findCommand(QString::fromLatin1(id));
    auto* button = new QToolButton(toolbar);
    button->setObjectName(QStringLiteral("button.") + id);
    button->setToolTip(QStringLiteral("%1  %2\n%3")
                           .arg(QString::fromUtf8(row->title), keysOf(*row).value(0), QString::fromUtf8(row->help)));
    button->setAccessibleName(QString::fromUtf8(row->title));
    button->setFocusPolicy(Qt::TabFocus);
    button->setProperty("primary", qstrcmp(id, "debug.start") == 0 || qstrcmp(id, "debug.continue") == 0 ||
                                       qstrcmp(id, "debug.pause") == 0);
    button->setCheckable(row->checked != nullptr);
    connect(button, &QToolButton::clicked, this, [this, id] {
      commands_->run(QString::fromLatin1(id));
      refresh();
    });
    QAction* place = toolbar->addWidget(button);
    button->setProperty("place", QVariant::fromValue(place));
    buttons_.emplace_back(row, button);
  }
  setCompact(compact_);
  refresh();
}

void Actions::setCompact(bool compact) {
  compact_ = compact;
  for (const auto& [row, button] : buttons_) {
    const QString label = QString::fromUtf8(row->toolbar ? row->toolbar : row->title);
    const QString key = keysOf(*row).value(0);
    const bool withKey = !compact && key.contains('F') && !key.startsWith("Ctrl");
    button->setText(withKey ? label + ' ' + shortKey(key) : label);
  }
}

void Actions::refresh() {
  for (const Command* row : commandTable()) {
    QAction* action = actions_.value(QString::fromUtf8(row->id));
    action->setEnabled(row->enabled(desk_));
    if (row->checked) action->setChecked(row->checked(desk_));
  }
  const bool canStart = commands_->enabled("debug.start");
  for (const auto& [row, button] : buttons_) {
    button->setEnabled(row->enabled(desk_));
    if (row->checked) button->setChecked(row->checked(desk_));
    // Run, Continue and Pause share one place.
    auto* place = button->property("place").value<QAction*>();
    if (qstrcmp(row->id, "debug.start") == 0) place->setVisible(canStart || desk_.debug.state() == RunState::Off);
    const bool runs = when::running(desk_);
    if (qstrcmp(row->id, "debug.continue") == 0)
      place->setVisible(!canStart && !runs && desk_.debug.state() != RunState::Off);
    if (qstrcmp(row->id, "debug.pause") == 0) place->setVisible(runs);
  }
}

}  // namespace rx::views
