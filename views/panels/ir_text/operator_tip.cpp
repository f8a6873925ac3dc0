#include "views/panels/ir_text/operator_tip.h"

#include <QCoreApplication>

#include "core/op/op_table.h"
#include "views/panels/operator_words.h"
#include "views/theme/qt_text.h"

namespace rx::views {
namespace {

QString say(const char* text) { return QCoreApplication::translate("OperatorTip", text); }

/// "  axis: int, default -1": one line of the tip.
QString parameterLine(const OperatorParameter& parameter) {
  const QString fallback = parameter.fallback.isEmpty() ? QString() : say(", default %1").arg(parameter.fallback);
  return QStringLiteral("\n    %1: %2%3").arg(parameter.name, parameter.kind, fallback);
}

}  // namespace

QString operatorTip(const QString& name) {
  if (name.isEmpty()) return {};
  const op::OpRow* row = op::findOp(name.toStdString());
  if (!row) return {};
  QString tip = qtText(row->name());
  for (const OperatorParameter& parameter : operatorParameters(qtText(row->spec.signature)))
    tip += parameterLine(parameter);
  tip += QLatin1Char('\n') + qtText(row->spec.doc);
  if (!row->pure()) tip += QLatin1Char('\n') + say("impure");
  if (row->has(op::kDataDependent)) tip += QLatin1Char('\n') + say("the shape of its result depends on values");
  return tip;
}

}  // namespace rx::views
