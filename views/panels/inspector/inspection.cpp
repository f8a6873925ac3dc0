#include "views/panels/inspector/inspection.h"

#include <QCoreApplication>
#include <algorithm>
#include <utility>

#include "views/models/document.h"
#include "views/models/selection.h"
#include "views/models/stage_trouble.h"
#include "views/panels/inspector/inspector_parts.h"

namespace rx::views {

QString inspectorText(const char* source) { return QCoreApplication::translate("Inspector", source); }

void addRow(InspectionSection& section, const QString& label, std::vector<InspectionPiece> pieces,
            std::optional<OpKind> mark) {
  section.rows.push_back({label, std::move(pieces), mark});
}

bool Inspector::runIsHere() const { return context.debug->hasTrace() && context.debug->config().stage == place.stage; }

ValueSummary Inspector::valueOf(const OperandRow& operand) const {
  if (!runIsHere()) return {};
  if (operand.kind == OperandRow::Kind::Binding) return context.debug->valueOf(function->name, operand.index);
  if (operand.kind == OperandRow::Kind::Param) return context.debug->valueOfParam(function->name, operand.name);
  return {};
}

void Inspector::greyFrom(size_t section) {
  const QString past = context.debug->pastOf();
  if (past.isEmpty() || !runIsHere() || section >= result.sections.size()) return;
  for (size_t s = section; s < result.sections.size(); ++s)
    for (InspectionRow& row : result.sections[s].rows)
      for (InspectionPiece& piece : row.pieces)
        if (piece.role != InkRole::Code) piece.role = InkRole::Grey;
  if (std::exchange(saidPast, true)) return;
  std::vector<InspectionPiece> said{{inspectorText("of %1").arg(past), InkRole::Warning}};
  if (context.commands && context.commands->enabled("debug.restart"))
    said.push_back({context.commands->label("debug.restart"), InkRole::Plain, QStringLiteral("run:debug.restart")});
  std::vector<InspectionRow>& rows = result.sections[section].rows;
  rows.insert(rows.begin(), {QString(), std::move(said)});
}

Inspection inspect(const PanelContext& context, const InspectionWish& wish) {
  Inspector inspector{context, wish, context.selection->place(), nullptr};
  const Place& place = inspector.place;
  if (context.document->lastStage() >= 0) inspector.stage = context.document->stage(place.stage, false);
  inspector.function = functionOf(inspector.stage.get(), place.function);
  inspector.binding = bindingOf(inspector.function, place.binding, place.variable);
  if (!inspector.function) {
    const QString trouble = stageTrouble(*context.document, place.stage);
    addRow(inspector.section({}), {},
           {{trouble.isEmpty()
                 ? inspectorText("Select a function or a binding: its structure, value and origin stand here.")
                 : trouble,
             InkRole::Grey}});
    return std::move(inspector.result);
  }
  if (inspector.binding) {
    inspectBinding(inspector);
    return std::move(inspector.result);
  }
  const auto& params = inspector.function->params;
  const auto param = std::find_if(params.begin(), params.end(), [&](const ParamRow& p) {
    return !place.variable.isEmpty() && p.name == place.variable;
  });
  if (param != params.end()) {
    inspectParam(inspector, *param);
  } else {
    inspectFunction(inspector);
  }
  return std::move(inspector.result);
}

QString inspectionText(const Inspection& inspection) {
  QStringList head{inspection.name, inspection.kind, inspection.where};
  head.removeAll(QString());
  QString all = head.isEmpty() ? QString() : head.join(QStringLiteral("  ")) + QLatin1Char('\n');
  for (const InspectionSection& section : inspection.sections) {
    if (!section.title.isEmpty()) all += section.title + QLatin1Char('\n');
    const QString indent = section.title.isEmpty() ? QString() : QStringLiteral("  ");
    for (const InspectionRow& row : section.rows) {
      QStringList parts;
      if (row.icon) parts += QStringLiteral("[%1]").arg(QLatin1String(row.icon));
      if (!row.label.isEmpty()) parts += row.label + QLatin1Char(':');
      for (const InspectionPiece& piece : row.pieces) parts += piece.text;
      all += indent + parts.join(QLatin1Char(' ')) + QLatin1Char('\n');
    }
    for (const InspectionBar& bar : section.bars)
      all += indent + QStringLiteral("%1 %2\n").arg(bar.name, QString::number(bar.count));
  }
  return all;
}

}  // namespace rx::views
