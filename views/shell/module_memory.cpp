#include "views/shell/module_memory.h"

namespace rx::views {

QVariantList keptFor(const Settings& settings, const QString& key, const QString& module) {
  return settings.value(key).toMap().value(module).toList();
}

void keepFor(Settings& settings, const QString& key, const QString& module, const QVariantList& rows) {
  constexpr qsizetype kMostModules = 200;
  if (module.isEmpty()) return;
  QVariantMap all = settings.value(key).toMap();
  if (rows.isEmpty()) {
    if (!all.remove(module)) return;
  } else {
    while (all.size() >= kMostModules && !all.contains(module)) all.erase(all.begin());
    all[module] = rows;
  }
  settings.setValue(key, all);
}

QStringList moduleKeys() {
  return {QStringLiteral("breakpoints"), QStringLiteral("watches"), QStringLiteral("notes"), QStringLiteral("stage"),
          QStringLiteral("inputs")};
}

}  // namespace rx::views
