#include "views/shell/command.h"

namespace rx::views {

std::vector<const Command*> commandTable() {
  std::vector<const Command*> rows;
  for (const auto& part :
       {fileCommands(), shareCommands(), editCommands(), searchCommands(), viewCommands(), graphCommands(), layoutCommands(), placeCommands(),
        moduleCommands(), fixCommands(), passCommands(), diffCommands(), runCommands(), breakCommands(), valueCommands(),
        exportCommands(), helpCommands()}) {
    for (const Command& row : part) rows.push_back(&row);
  }
  return rows;
}

const Command* findCommand(const QString& id) {
  for (const Command* row : commandTable()) {
    if (id == QLatin1String(row->id)) return row;
  }
  return nullptr;
}

QStringList keysOf(const Command& row) {
  QStringList keys;
  for (const QString& key : QString::fromUtf8(row.key).split(';', Qt::SkipEmptyParts)) keys << key.trimmed();
  return keys;
}

int countArgument(const QStringList& arguments, int fallback) {
  if (arguments.isEmpty()) return fallback;
  bool ok = false;
  const int count = arguments.first().toInt(&ok);
  return ok && count > 0 ? count : -1;
}

}  // namespace rx::views
