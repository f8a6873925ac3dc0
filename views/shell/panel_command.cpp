#include "views/shell/panel_command.h"

#include "views/panels/panel.h"
#include "views/shell/command.h"

namespace rx::views {
namespace {

QString done(Desk& desk, const QString& panel, const QString& command, const QStringList& arguments,
             const QString& refusal) {
  Panel* shown = desk.window.panel(panel);
  return shown && shown->command(command, arguments) ? QString() : refusal;
}

}  // namespace

QString onPanel(Desk& desk, const QString& panel, const QString& command, const QStringList& arguments,
                const QString& refusal) {
  const QString hidden = desk.window.showPanel(panel);
  return hidden.isEmpty() ? done(desk, panel, command, arguments, refusal) : hidden;
}

QString onPanelOf(Desk& desk, const QString& layout, const QString& panel, const QString& command,
                  const QStringList& arguments, const QString& refusal) {
  const QString hidden = showInLayout(desk, layout, panel);
  return hidden.isEmpty() ? done(desk, panel, command, arguments, refusal) : hidden;
}

}  // namespace rx::views
