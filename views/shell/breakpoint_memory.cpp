#include "views/shell/breakpoint_memory.h"

#include <QVariantMap>

#include "core/compile/request/passes.h"
#include "views/theme/qt_text.h"

namespace rx::views {
namespace {

const QString kBreakpoints = QStringLiteral("breakpoints");
const QString kWatches = QStringLiteral("watches");
const QString kPipelines = QStringLiteral("pipelines");
constexpr qsizetype kMostModules = 200;

/// Puts the rows of a module in place of those that are kept; no rows take it away.
void keep(Desk& desk, const QString& key, const QString& module, const QVariantList& rows) {
  QVariantMap all = desk.settings.value(key).toMap();
  if (rows.isEmpty() && !all.contains(module)) return;
  if (rows.isEmpty()) {
    all.remove(module);
  } else {
    while (all.size() >= kMostModules && !all.contains(module)) all.erase(all.begin());
    all[module] = rows;
  }
  desk.settings.setValue(key, all);
}

QVariantMap keptRow(const BreakpointRow& row) {
  return {{"stage", row.stage},
          {"function", row.function},
          {"binding", row.binding},
          {"variable", row.variable},
          {"enabled", row.enabled},
          {"data", row.kind == BreakpointKind::Data},
          {"reg", row.reg},
          {"instruction", row.instruction},
          {"condition", row.condition},
          {"hitCondition", row.hitCondition},
          {"logMessage", row.logMessage}};
}

BreakpointRow rowOf(const QVariantMap& kept) {
  BreakpointRow row;
  row.stage = kept.value("stage").toInt();
  row.function = kept.value("function").toString();
  row.binding = kept.value("binding", -1).toInt();
  row.variable = kept.value("variable").toString();
  row.enabled = kept.value("enabled", true).toBool();
  row.reg = kept.value("reg", -1).toInt();
  row.instruction = kept.value("instruction", -1).toInt();
  row.kind = row.instruction >= 0          ? BreakpointKind::Instruction
             : kept.value("data").toBool() ? BreakpointKind::Data
                                           : BreakpointKind::Binding;
  row.condition = kept.value("condition").toString();
  row.hitCondition = kept.value("hitCondition").toString();
  row.logMessage = kept.value("logMessage").toString();
  return row;
}

}  // namespace

void keepBreakpoints(Desk& desk, const QString& module) {
  if (module.isEmpty()) return;
  QVariantList rows;
  for (const BreakpointRow& row : desk.debug.breakpoints()) rows.append(keptRow(row));
  keep(desk, kBreakpoints, module, rows);
  QVariantList expressions;
  for (const WatchRow& row : desk.debug.watches()) expressions.append(row.expression);
  keep(desk, kWatches, module, expressions);
  const QString pipeline = desk.document.pipeline();
  const bool isDefault = pipeline.toStdString() == compile::defaultPipeline();
  keep(desk, kPipelines, module, isDefault ? QVariantList() : QVariantList{pipeline});
}

void bringBackBreakpoints(Desk& desk, const QString& module) {
  if (!desk.debug.breakpoints().empty()) desk.debug.clearBreakpoints();
  for (const QVariant& kept : desk.settings.value(kBreakpoints).toMap().value(module).toList())
    desk.debug.addBreakpoint(rowOf(kept.toMap()));
  if (!desk.debug.watches().empty()) desk.debug.clearWatches();
  for (const QVariant& kept : desk.settings.value(kWatches).toMap().value(module).toList())
    desk.debug.addWatch(kept.toString());
  if (!desk.document.canRunPasses()) return;
  const QString usual = qtText(compile::defaultPipeline());
  const QVariantList kept = desk.settings.value(kPipelines).toMap().value(module).toList();
  desk.document.setPipeline(kept.isEmpty() ? usual : kept.front().toString());
  // What was kept may name passes of another version.
  if (!desk.document.pipelineError().isEmpty()) desk.document.setPipeline(usual);
}

}  // namespace rx::views
