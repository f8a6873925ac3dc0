#include "views/shell/command.h"

#include <QHash>

#include "views/shell/dock_layouts.h"

namespace rx::views {

namespace {

std::vector<const Command*> allRows() {
  std::vector<const Command*> rows;
  for (const auto& part :
       {fileCommands(),   shareCommands(),  editCommands(),   searchCommands(), viewCommands(),    graphCommands(),
        layoutCommands(), placeCommands(),  moduleCommands(), fixCommands(),    passCommands(),    pipelineCommands(),
        diffCommands(),   runCommands(),    breakCommands(),  valueCommands(),  profileCommands(), compareCommands(),
        kernelCommands(), exportCommands(), helpCommands()}) {
    for (const Command& row : part) rows.push_back(&row);
  }
  return rows;
}

QHash<QString, const Command*> rowsById() {
  QHash<QString, const Command*> rows;
  for (const Command* row : commandTable()) rows.insert(QString::fromUtf8(row->id), row);
  return rows;
}

}  // namespace

const std::vector<const Command*>& commandTable() {
  static const std::vector<const Command*> kTable = allRows();
  return kTable;
}

const Command* findCommand(const QString& id) {
  static const QHash<QString, const Command*> kRows = rowsById();
  return kRows.value(id);
}

QStringList keysOf(const Command& row) {
  QStringList keys;
  for (const QString& key : QString::fromUtf8(row.key).split(';', Qt::SkipEmptyParts)) keys << key.trimmed();
  return keys;
}

QString showInLayout(Desk& desk, const QString& layout, const QString& panel) {
  if (desk.window.layoutName() != layout && builtInLayouts().contains(desk.window.layoutName()))
    if (const QString refused = desk.window.applyLayout(layout); !refused.isEmpty()) return refused;
  return desk.window.showPanel(panel);
}

int countArgument(const QStringList& arguments, int fallback) {
  if (arguments.isEmpty()) return fallback;
  bool ok = false;
  const int count = arguments.first().toInt(&ok);
  return ok && count > 0 ? count : -1;
}

}  // namespace rx::views
