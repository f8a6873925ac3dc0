#include "views/shell/breakpoint_memory.h"

#include <QVariantMap>

namespace rx::views {
namespace {

const QString kKey = QStringLiteral("breakpoints");
constexpr qsizetype kMostModules = 200;

}  // namespace

void keepBreakpoints(Desk& desk, const QString& module) {
  if (module.isEmpty()) return;
  QVariantMap all = desk.settings.value(kKey).toMap();
  QVariantList rows;
  for (const BreakpointRow& row : desk.debug.breakpoints())
    rows.append(QVariantMap{{"stage", row.stage},
                            {"function", row.function},
                            {"binding", row.binding},
                            {"variable", row.variable},
                            {"enabled", row.enabled},
                            {"condition", row.condition}});
  if (rows.isEmpty() && !all.contains(module)) return;
  if (rows.isEmpty()) {
    all.remove(module);
  } else {
    while (all.size() >= kMostModules && !all.contains(module)) all.erase(all.begin());
    all[module] = rows;
  }
  desk.settings.setValue(kKey, all);
}

void bringBackBreakpoints(Desk& desk, const QString& module) {
  if (!desk.debug.breakpoints().empty()) desk.debug.clearBreakpoints();
  const QVariantList rows = desk.settings.value(kKey).toMap().value(module).toList();
  for (const QVariant& kept : rows) {
    const QVariantMap row = kept.toMap();
    desk.debug.toggleBreakpoint(row.value("stage").toInt(), row.value("function").toString(),
                                row.value("binding", -1).toInt(), row.value("variable").toString());
    if (desk.debug.breakpoints().empty()) continue;
    const int id = desk.debug.breakpoints().back().id;
    if (!row.value("enabled", true).toBool()) desk.debug.setBreakpointEnabled(id, false);
    const QString condition = row.value("condition").toString();
    if (!condition.isEmpty()) desk.debug.setBreakpointCondition(id, condition);
  }
}

}  // namespace rx::views
