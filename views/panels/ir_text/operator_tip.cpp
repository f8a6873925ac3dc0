#include "views/panels/ir_text/operator_tip.h"

#include <QCoreApplication>

#include "core/op/op_table.h"

namespace rx::views {
namespace {

QString qt(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

QString say(const char* text) { return QCoreApplication::translate("OperatorTip", text); }

/// The parameters of a signature, "x: expr" and "axis: int = -1"; commas inside of brackets and texts divide nothing.
QStringList parametersOf(const QString& signature) {
  QStringList parameters;
  QString one;
  int depth = 0;
  bool quoted = false;
  for (const QChar c : signature) {
    if (c == '\'') quoted = !quoted;
    if (!quoted && (c == '(' || c == '[')) ++depth;
    if (!quoted && (c == ')' || c == ']')) --depth;
    if (c == ',' && depth == 0 && !quoted) {
      parameters << one.trimmed();
      one.clear();
    } else {
      one += c;
    }
  }
  if (!one.trimmed().isEmpty()) parameters << one.trimmed();
  return parameters;
}

/// "  axis: int, default -1": one line of the tip.
QString parameterLine(const QString& parameter) {
  const qsizetype equals = parameter.indexOf(QStringLiteral(" = "));
  const QString declared = equals < 0 ? parameter : parameter.left(equals);
  const QString fallback = equals < 0 ? QString() : say(", default %1").arg(parameter.mid(equals + 3));
  return QStringLiteral("\n    ") + declared + fallback;
}

}  // namespace

QString operatorTip(const QString& name) {
  if (name.isEmpty()) return {};
  const op::OpRow* row = op::findOp(name.toStdString());
  if (!row) return {};
  QString tip = qt(row->name());
  for (const QString& parameter : parametersOf(qt(row->spec.signature))) tip += parameterLine(parameter);
  tip += QLatin1Char('\n') + qt(row->spec.doc);
  if (!row->pure()) tip += QLatin1Char('\n') + say("impure");
  if (row->has(op::kDataDependent)) tip += QLatin1Char('\n') + say("the shape of its result depends on values");
  return tip;
}

}  // namespace rx::views
